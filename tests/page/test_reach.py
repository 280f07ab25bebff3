"""The lab for other machines: on purpose only, and then behind the same gate, with TLS."""

import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from page.lab import RunningLab, require_page, running_lab
from selfmate.lab.access import names_of
from selfmate.lab.server import check_reach, checked_certificate
from unit.cli.process import selfmate
from unit.lab.door import Door

ELSEWHERE = "192.0.2.1"  # kept free for examples


@dataclass(frozen=True)
class TlsDoor(Door):
    @contextmanager
    def connected(self) -> Iterator[socket.socket]:
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with (
            socket.create_connection(("127.0.0.1", self.port), timeout=60) as plain,
            context.wrap_socket(plain) as connection,
        ):
            yield connection


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("tls")
    cert, key = folder / "cert.pem", folder / "key.pem"
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    names = ["-subj", "/CN=localhost", "-keyout", str(key), "-out", str(cert)]
    subprocess.run([*command.split(), *names], check=True, capture_output=True)
    return cert, key


@pytest.fixture(scope="module")
def tls_lab(
    tmp_path_factory: pytest.TempPathFactory, certificate: tuple[Path, Path]
) -> Iterator[RunningLab]:
    require_page()
    cert, key = map(str, certificate)
    folder = tmp_path_factory.mktemp("lab")
    with running_lab(folder, "--allow-remote", "--cert", cert, "--key", key) as lab:
        yield lab


def test_other_machines_are_let_in_on_purpose_only() -> None:
    refused = selfmate("lab", "--no-browser", "--port", "0", "--host", ELSEWHERE)
    assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)
    assert "--allow-remote" in refused.stderr
    with pytest.raises(ValueError, match="open the lab to other machines"):
        check_reach(ELSEWHERE, allow_remote=False)
    check_reach(ELSEWHERE, allow_remote=True)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "localhost", "::1"])
def test_loopback_needs_no_permission(host: str) -> None:
    check_reach(host, allow_remote=False)


def test_the_host_that_was_named_is_ours_and_no_other() -> None:
    names = names_of("lab.example")
    assert "lab.example" in names
    assert "evil.example" not in names
    assert "[2001:db8::1]" in names_of("2001:db8::1")


def test_a_certificate_that_cannot_be_used_is_said(
    tmp_path: Path, certificate: tuple[Path, Path]
) -> None:
    cert, key = certificate
    (tmp_path / "no.pem").write_text("nothing")
    assert checked_certificate(None, None) is None
    for wrong in ((cert, None), (None, key)):
        with pytest.raises(ValueError, match="belong together"):
            checked_certificate(*wrong)
    for wrong_files in ((cert, tmp_path / "missing.pem"), (tmp_path / "no.pem", key)):
        with pytest.raises(ValueError, match="cannot be used"):
            checked_certificate(*wrong_files)
    refused = selfmate("lab", "--no-browser", "--port", "0", "--cert", str(cert))
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)


def test_token_origin_and_host_are_checked_behind_tls(tls_lab: RunningLab) -> None:
    door = TlsDoor(tls_lab.port, tls_lab.token)
    own = ("Origin", f"https://{door.host}")
    assert tls_lab.address.startswith("https://")
    assert door.ask("GET", "/api/players").status == 401
    assert door.ask("GET", "/api/players", door.bearer).status == 200
    assert door.ask("GET", "/api/players", door.cookie, own).status == 200
    for foreign in (f"http://{door.host}", "https://evil.example", "null"):
        assert door.ask("GET", "/api/players", door.cookie, ("Origin", foreign)).status == 403
        assert door.knock(door.cookie, ("Origin", foreign)) == 403
    assert door.ask("GET", "/api/players", door.bearer, hosts=["evil.example"]).status == 421
    assert door.knock(door.cookie, own) == 101
    assert door.knock(own) == 403


def test_the_cookie_is_for_encrypted_connections_only(tls_lab: RunningLab) -> None:
    door = TlsDoor(tls_lab.port, tls_lab.token)
    opened = door.ask("GET", f"/?token={door.token}")
    assert opened.status == 200
    assert "; Secure" in opened.headers["Set-Cookie"]
    assert opened.is_dressed()


def test_the_page_works_behind_tls(browser: Browser, tls_lab: RunningLab) -> None:
    context = browser.new_context(ignore_https_errors=True)
    page = context.new_page()
    page.goto(tls_lab.link)
    page.goto(f"{tls_lab.address}/#/play?player=random")
    expect(page.get_by_text("Your move.")).to_be_visible()
    page.get_by_role("link", name="Match", exact=True).click()
    expect(page.get_by_text("None yet.").first).to_be_visible()  # came over the socket
    context.close()
