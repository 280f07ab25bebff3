"""`selfmate lab` as it is typed: wrong options, restarts, and a quick end."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from socket import IPPROTO_TCP, TCP_NODELAY
from threading import Thread, Timer

import pytest
import uvicorn
from fastapi import FastAPI

from page.lab import RunningLab, running_lab
from selfmate.lab import server
from selfmate.lab.access import lasting_token
from unit.cli.process import selfmate
from unit.lab.door import Door

MANY = 60
PATIENCE_S = 60
UNLIKELY_HOST = "192.0.2.1"  # kept free for examples, so no machine's own


@pytest.mark.parametrize(
    ("host", "said"),
    [
        ("0.0.0.0", "not all of them"),
        ("0", "not all of them"),
        ("::", "not all of them|cannot listen"),  # not every machine has these
        ("", "not all of them"),
        (UNLIKELY_HOST, UNLIKELY_HOST),
        ("no such host", "no such host"),
        ("ä..b", "this is not an address"),
        ("::1::", "::1::"),
    ],
)
def test_a_host_is_one_address_of_this_machine(host: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        server.listen(host, 0)


def test_only_loopback_is_for_this_machine_alone() -> None:
    with server.listen("127.0.0.1", 0) as listening:
        assert server.is_loopback(listening)


def test_small_answers_are_sent_at_once() -> None:
    """And not when the last one is known to have come, which takes a browser 40 ms to say."""

    async def accepted(listening: socket.socket) -> int:
        talks: asyncio.Queue[asyncio.StreamWriter] = asyncio.Queue()
        async with await asyncio.start_server(lambda _, out: talks.put(out), sock=listening):
            with socket.create_connection(listening.getsockname()):
                out = await talks.get()
                nodelay = out.get_extra_info("socket").getsockopt(IPPROTO_TCP, TCP_NODELAY)
                out.close()
                await out.wait_closed()
        return int(nodelay)

    with server.listen("127.0.0.1", 0) as listening, ThreadPoolExecutor(1) as thread:
        assert thread.submit(asyncio.run, accepted(listening)).result(PATIENCE_S)


def test_a_port_that_is_taken_is_said_in_one_line(lab: RunningLab) -> None:
    refused = selfmate("lab", "--no-browser", "--port", str(lab.port))
    assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)
    assert "choose another --port" in refused.stderr


def test_runs_are_in_a_folder_that_need_not_be_there(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "below" / "it"):
        with pytest.raises(ValueError, match="file is not a folder"):
            server.runs_path(path)
    for path in (tmp_path, tmp_path / "new" / "runs", Path("runs")):
        assert server.runs_path(path) == path


def test_a_page_that_is_missing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "page_folder", lambda: tmp_path)
    with pytest.raises(ValueError, match=r"Node\.js"):
        server.built_page()


def test_links_last_until_a_new_token_is_wanted(tmp_path: Path, lab: RunningLab) -> None:
    with running_lab(tmp_path) as first:
        pass
    path = tmp_path / "state" / "selfmate" / "lab-token"
    assert path.read_text("ascii").strip() == first.token == lasting_token(path)
    with running_lab(tmp_path, "--port", str(first.port), "--new-token") as second:
        assert lasting_token(path) == second.token
        old, new = Door(second.port, first.token), Door(second.port, second.token)
        assert old.ask("GET", f"/?token={first.token}").status == 401
        assert old.ask("GET", "/", old.cookie).status == 401
        assert old.ask("GET", "/api/players", old.bearer).status == 401
        assert old.knock(old.bearer) == 403
        assert new.ask("GET", "/", new.cookie).status == 200


def test_the_browser_is_started_without_the_token(
    tmp_path: Path, lab: RunningLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What stands on its command line opens the page once; the page gets the token as a cookie."""
    started, browser = tmp_path / "started", tmp_path / "browser"
    os.mkfifo(started)
    browser.write_text(f'#!/bin/sh\necho "$@" > {started}\n')
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{browser} %s")
    with running_lab(tmp_path, "--browser") as own:
        address = started.read_text().strip()  # waits for the browser
        door = Door(own.port, own.token)
        assert own.token not in address
        path = address.removeprefix(own.address)
        opened = door.ask("GET", path)
        assert opened.status == 200
        assert opened.headers["set-cookie"].startswith(
            "=".join((f"selfmate-{own.port}", own.token))
        )
        assert door.ask("GET", path).status == 401
        assert door.ask("GET", path.replace("/?", "/api/players?")).status == 401


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_in_good_order_with_tabs_and_requests_open(
    tmp_path: Path, lab: RunningLab, number: signal.Signals
) -> None:
    with running_lab(tmp_path) as ending, ExitStack() as open_still:
        door = Door(ending.port, ending.token)
        beginning = f"POST /api HTTP/1.1\r\nHost: {door.host}\r\n"
        for text in ("", "GET / HT", f"{beginning}Content-Length: 9\r\n\r\n"):
            connection = open_still.enter_context(door.connected())
            connection.sendall(text.encode())
        assert door.knock(door.bearer) == 101
        ending.process.send_signal(number)
        assert ending.process.wait(timeout=60) == 0
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", ending.port))


def test_silent_connections_keep_nobody_out(tmp_path: Path, lab: RunningLab) -> None:
    """Those that wait longest are closed; who has the token is answered."""
    with running_lab(tmp_path) as crowded, ExitStack() as open_still:
        door = Door(crowded.port, crowded.token)
        silent = [open_still.enter_context(door.connected()) for _ in range(250)]
        for connection in silent[-50:]:
            connection.sendall(b"GET / HT")
        for _ in range(3):
            assert door.ask("GET", "/api/players", door.cookie).status == 200
        assert door.knock(door.bearer) == 101
        assert silent[0].recv(1) == b""
        silent[-1].setblocking(False)
        with pytest.raises(BlockingIOError):
            silent[-1].recv(1)


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HT"])
def test_a_request_must_come_in_time(sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "REQUEST_SECONDS", 0.2)
    with server.listen("127.0.0.1", 0) as listening:
        quick = uvicorn.Server(server.server_config(FastAPI()))
        thread = Thread(target=quick.run, args=([listening],))
        thread.start()
        try:
            with socket.create_connection(listening.getsockname(), PATIENCE_S) as connection:
                connection.sendall(sent)
                with connection.makefile("rb") as file:
                    assert file.read().count(b"HTTP/1.1 404") == sent.count(b"Host")
        finally:
            quick.should_exit = True
            thread.join()


STARTING = """
import json, sys
from contextlib import ExitStack
from pathlib import Path
from selfmate.lab.app import LabSettings, make_views
from selfmate.lab.server import built_page
from selfmate.lab.players import LabPlayers
from selfmate.lab.runs_folder import RunsFolder

runs = Path(sys.argv[1])
settings = LabSettings(runs=runs, page=built_page(), token="", host="127.0.0.1", port=1)
with ExitStack() as closing:
    make_views(settings, closing)
    titles = [offer.title for offer in LabPlayers(RunsFolder(runs)).offers()]
heavy = {"torch", "chess", "matplotlib", "pandas", "scipy"} & set(sys.modules)
print(json.dumps([titles, sorted(heavy)]))
"""


def test_starting_and_listing_players_load_nothing_heavy(lab: RunningLab) -> None:
    started = subprocess.run(
        [sys.executable, "-c", STARTING, str(lab.runs)],
        capture_output=True, text=True, check=True, env=os.environ,
    )  # fmt: skip
    titles, heavy = json.loads(started.stdout)
    assert "Random" in titles
    assert heavy == []


ENDING = """
import os, sys, threading
from pathlib import Path
from fastapi import FastAPI
from selfmate.lab import server
from selfmate.lab.app import LabSettings

closed, never = threading.Event(), threading.Event()
deaf = "deaf" in sys.argv
app = FastAPI()

@app.get("/slow")
def slow() -> str:
    os.write(1, b"asked\\n")
    closed.wait()
    return "closed"

def close():
    print("closing", flush=True)
    closed.set()
    if deaf:
        never.wait()

def make_app(settings, closing):
    closing.callback(close)
    return app

server.make_app = make_app
threading.Thread(target=never.wait).start()  # like a search that does not stop
settings = LabSettings(runs=Path(), page=Path(), token="", host="127.0.0.1", port=0)
listening = server.listen("127.0.0.1", 0)
server.serve(settings, listening, lambda: print(listening.getsockname()[1], flush=True))
"""


@pytest.mark.parametrize("player", ["slow", "deaf"])
def test_slow_answers_hold_up_neither_others_nor_the_end(player: str) -> None:
    """All who ask are heard at once, and get their answers when views are closed."""
    command = [sys.executable, "-c", ENDING, player]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process,
        ExitStack() as whatever_happens,
    ):
        whatever_happens.callback(process.kill)
        watchdog = Timer(PATIENCE_S, process.kill)
        whatever_happens.callback(watchdog.cancel)
        watchdog.start()
        assert process.stdout is not None
        door = Door(int(process.stdout.readline()), "")
        with ThreadPoolExecutor(MANY) as pool:
            answers = [pool.submit(door.ask, "GET", "/slow") for _ in range(MANY)]
            for _ in range(MANY):
                assert process.stdout.readline() == "asked\n"
            process.send_signal(signal.SIGTERM)
            assert {answer.result().json() for answer in answers} == {"closed"}
        assert process.stdout.readline() == "closing\n"
        assert process.wait(timeout=60) == 0
