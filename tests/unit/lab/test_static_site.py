"""`selfmate lab --static`: a folder of files, for this machine only."""

from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

import pytest

from page.lab import RunningLab, running_lab
from unit.cli.process import selfmate

PAGE = b"<!doctype html><title>A page</title>"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningLab]:
    folder = tmp_path_factory.mktemp("static")
    site = folder / "site"
    (site / "nets").mkdir(parents=True)
    (site / "index.html").write_bytes(PAGE)
    (site / "core.wasm").write_bytes(b"\0asm\1\0\0\0")
    (folder / "secret").write_text("not for browsers")
    (site / "link").symlink_to(folder / "secret")
    with running_lab(folder, "--static", "site") as server:
        yield server


def ask(
    server: RunningLab, path: str, host: str = "", method: str = "GET"
) -> tuple[int, str | None, bytes]:
    """Status, type and content of the answer."""
    with closing(HTTPConnection("127.0.0.1", server.port, timeout=60)) as connection:
        connection.request(method, path, headers={"Host": host or server.host})
        answer = connection.getresponse()
        return answer.status, answer.headers["Content-Type"], answer.read()


def test_files_come_with_their_types_and_without_a_token(server: RunningLab) -> None:
    assert ask(server, "/") == (200, "text/html; charset=utf-8", PAGE)
    assert ask(server, "/core.wasm")[:2] == (200, "application/wasm")


@pytest.mark.parametrize(
    "path", ["/../secret", "/%2e%2e/secret", "/link", "/nets/", "/no-such-file", "/api/players"]
)
def test_there_is_nothing_else(server: RunningLab, path: str) -> None:
    status, _, content = ask(server, path)
    assert status == 404
    assert b"not for browsers" not in content


def test_foreign_names_and_changes_are_refused(server: RunningLab) -> None:
    assert ask(server, "/", host="attacker.example")[0] == 421
    assert ask(server, "/", method="POST")[0] == 405


def test_a_folder_without_a_page_is_refused(tmp_path: Path) -> None:
    refused = selfmate("lab", "--static", str(tmp_path), "--no-browser")
    assert refused.returncode == 2
    assert "is not a folder with an index.html" in refused.stderr
