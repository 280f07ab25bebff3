"""--ray and --actors: bad input is one line and exit code 2, and nothing is left behind."""

import socket
from pathlib import Path
from threading import Thread

import pytest

from unit.cli.process import selfmate


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("train", "alphazero", "--ray", "nowhere"), "--ray 'nowhere' is no cluster; there are"),
        (("train", "alphazero", "--ray", "local:0"), "--ray local:N has 1 to 256 workers, not 0"),
        (("train", "alphazero", "--actors", "2"), "--actors is for --ray"),
        (("train", "sarsa", "--ray", "local:1"), "train sarsa plays on this machine alone"),
        (
            ("train", "alphazero", "--preset", "try", "--ray", "127.0.0.1:1"),
            "there is no cluster of Ray at 127.0.0.1:1: Connection refused; start one with",
        ),
        (("match", "random", "greedy", "--actors", "2"), "--actors is for --ray"),
        (
            ("match", "random", "greedy", "--ray", "127.0.0.1:1"),
            "there is no cluster of Ray at 127.0.0.1:1",
        ),
        (("rate", "random", "--ray", "local:1", "--actors", "0"), "'0' is not a whole number from"),
        (("collect", "--games", "2", "--out", "x.ndjson", "--ray", "x"), "--ray 'x' is no cluster"),
        (("rate", "random", "--ray", "local:999"), "--ray local:N has 1 to 256 workers"),
        (("rate", "random", "--ray", "local:99999"), "--ray local:N has 1 to 256 workers"),
        (("rate", "random", "--ray", "127.0.0.1:99999"), "--ray '127.0.0.1:99999' is no cluster"),
    ],
)
def test_bad_clusters_are_refused(
    arguments: tuple[str, ...], sentence: str, tmp_path: Path
) -> None:
    done = selfmate(*arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_port_where_another_program_listens_is_refused_at_once(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        answering = Thread(target=_answer_as_a_web_server, args=(server,))
        answering.start()
        where = f"127.0.0.1:{server.getsockname()[1]}"
        done = selfmate("match", "random", "greedy", "--ray", where, cwd=tmp_path)
        answering.join()
    assert done.returncode == 2, done.stderr
    assert f"there is no cluster of Ray at {where}: another program listens there" in done.stderr
    assert list(tmp_path.iterdir()) == []


def _answer_as_a_web_server(server: socket.socket) -> None:
    """To one client."""
    connection, _ = server.accept()
    with connection:
        connection.recv(100)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
