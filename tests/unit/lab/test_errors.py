"""What the gate and the errors make of any view: bodies are counted, faults become sentences."""

import re
import socket
import threading
from collections.abc import Iterator

import pytest
import uvicorn
from fastapi import FastAPI, Request

from selfmate.lab.access import MAX_BODY_BYTES, Gate
from selfmate.lab.errors import INTERNAL, BusyError, NotFoundError, add_error_handlers
from unit.lab.door import JSON, Door, Header

TOKEN = "the token of this test"
CHUNK = 2**16


def make_view() -> FastAPI:
    app = FastAPI(openapi_url=None)
    add_error_handlers(app)
    faults = {
        "value": ValueError("the move e9 is not on the board"),
        "there": NotFoundError("there is no game 7"),
        "busy": BusyError("the game is over"),
        "disk": OSError(28, "No space left on device"),
        "file": OSError(13, "Permission denied", "/home/somebody/runs/pool.jsonl"),
        "bug": KeyError("secret"),
    }

    @app.post("/length")
    async def length(request: Request) -> int:
        return len(await request.body())

    @app.post("/number")
    def number(body: dict[str, int]) -> dict[str, int]:
        return body

    @app.get("/fault/{kind}")
    def fault(kind: str) -> None:
        raise faults[kind]

    @app.get("/nan")
    def nan() -> dict[str, float]:
        return {"loss": float("nan")}

    return app


@pytest.fixture(scope="module")
def door() -> Iterator[Door]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        gate = Gate(make_view(), TOKEN, host="127.0.0.1", cookie="cookie")
        config = uvicorn.Config(gate, http="h11", lifespan="off", log_config=None)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        yield Door(port, TOKEN)
        server.should_exit = True
        thread.join()


def chunked(data: bytes) -> bytes:
    parts = [data[start : start + CHUNK] for start in range(0, len(data), CHUNK)]
    return b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


@pytest.mark.parametrize("more", [0, 1, 3 * CHUNK])
@pytest.mark.parametrize("path", ["/length", "/number"])
def test_bodies_are_counted(door: Door, more: int, path: str) -> None:
    body = b" " * (MAX_BODY_BYTES + more)
    told: Header = ("Content-Length", str(len(body)))
    padded: Header = ("Content-Length", f"{len(body):020}")
    sent = [
        door.ask("POST", path, door.bearer, JSON, told, body=body),
        door.ask("POST", path, door.bearer, JSON, padded, body=body),
        door.ask(
            "POST", path, door.bearer, JSON, ("Transfer-Encoding", "chunked"), body=chunked(body)
        ),
    ]
    for answer in sent:
        assert answer.is_dressed()
        if more:
            assert (answer.status, list(answer.json())) == (413, ["error"])
        else:
            assert answer.status == (200 if path == "/length" else 422)


def test_a_refused_request_is_answered_before_its_body(door: Door) -> None:
    """The answer comes before the body does."""
    assert door.ask("POST", "/length", ("Content-Length", str(2**40))).status == 401


@pytest.mark.parametrize("length", ["-1", "1e3", "x", "", "9" * 5000, "5, 6"])
def test_lengths_that_are_none_are_refused(door: Door, length: str) -> None:
    headers = [door.bearer, ("Content-Length", length)]
    assert door.ask("POST", "/length", *headers, body=b"12345").status == 400


def test_what_hides_behind_a_body_needs_the_token_too(door: Door) -> None:
    hidden = f"GET /nan HTTP/1.1\r\nHost: {door.host}\r\nConnection: close\r\n\r\n"
    lines = [f"POST /length HTTP/1.1\r\nHost: {door.host}\r\nContent-Length: 2"]
    lines += [f"Authorization: Bearer {TOKEN}", "", f"ab{hidden}"]
    with door.connected() as connection:
        connection.sendall("\r\n".join(lines).encode())
        with connection.makefile("rb") as file:
            answers = file.read()
    assert re.findall(rb"HTTP/1.1 (\d+)", answers) == [b"200", b"401"]


def test_lengths_and_chunks_together_are_refused_or_chunks_count(door: Door) -> None:
    both = [("Content-Length", "2"), ("Transfer-Encoding", "chunked")]
    answer = door.ask("POST", "/length", door.bearer, *both, body=chunked(b"12345"))
    assert (answer.status, answer.body) in ((200, b"5"), (400, b"Invalid HTTP request received."))


@pytest.mark.parametrize(
    ("kind", "status", "said"),
    [
        ("value", 400, "the move e9 is not on the board"),
        ("there", 404, "there is no game 7"),
        ("busy", 409, "the game is over"),
        ("disk", 500, "No space left on device"),
        ("file", 500, "'pool.jsonl': Permission denied"),
        ("bug", 500, INTERNAL),
    ],
)
def test_faults_are_sentences(door: Door, kind: str, status: int, said: str) -> None:
    answer = door.ask("GET", f"/fault/{kind}", door.bearer)
    assert (answer.status, answer.json()) == (status, {"error": said})
    assert answer.is_dressed()


def test_what_was_misread_is_named(door: Door) -> None:
    answer = door.post("/number", {"depth": "deep"})
    assert answer.status == 422
    assert answer.json()["error"].startswith("depth: ")


def test_json_knows_no_nan(door: Door) -> None:
    assert door.ask("GET", "/nan", door.bearer).json() == {"loss": None}
