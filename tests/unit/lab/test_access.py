"""Whoever knocks, at whichever address: only our own page, and programs that know the token."""

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from http import HTTPStatus

import pytest

from page.lab import RunningLab
from unit.lab.addresses import TRAVERSALS, Address, all_addresses
from unit.lab.conftest import MARKUP
from unit.lab.door import Answer, Door, Header

ADDRESSES = all_addresses()
HTTP = [address for address in ADDRESSES if address.method]
UNAUTHORIZED, FORBIDDEN, MISDIRECTED = (
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.MISDIRECTED_REQUEST,
)
WRONG_TOKENS: dict[str, Callable[[Door], Iterable[Header]]] = {
    "none": lambda _: [],
    "wrong": lambda _: [("Authorization", "Bearer wrong")],
    "empty": lambda _: [("Authorization", "Bearer ")],
    "not latin": lambda _: [("Authorization", "Bearer \xff\xfe")],
    "shortened": lambda door: [("Authorization", f"Bearer {door.token[:-1]}")],
    "no scheme": lambda door: [("Authorization", door.token)],
    "another scheme": lambda door: [("Authorization", f"Basic {door.token}")],
    "wrong cookie": lambda door: [("Cookie", f"selfmate-{door.port}=wrong")],
    "empty cookie": lambda door: [("Cookie", f"selfmate-{door.port}=")],
    "cookie of another port": lambda door: [("Cookie", f"selfmate-1={door.token}")],
    "odd cookie": lambda _: [("Cookie", ';=;"; \xff=\\;;')],
}
FOREIGN_ORIGINS = (
    "http://evil.example",
    "null",
    "",
    "http://127.0.0.1",
    "http://127.0.0.1:1",
    "https://{host}",
    "http://{host}.evil.example",
    "http://{host}/",
    "http://localhost:{port}",  # ours as well, but not what the Host says
)
FOREIGN_HOSTS = (
    "evil.example",
    "evil.example:{port}",
    "127.0.0.1.evil.example:{port}",
    "localhost.evil.example",
    "127.0.0.2:{port}",
    "127.0.0.1:{port}@evil.example",
    "127.0.0.1:x",
    "[::2]:{port}",
    "",
)


def filled(text: str, door: Door) -> str:
    return text.format(host=door.host, port=door.port)


def assert_refused(answer: Answer, status: int) -> None:
    assert answer.status == status
    assert answer.is_dressed()
    assert "set-cookie" not in answer.headers
    if answer.headers["content-type"] == "application/json":
        assert answer.json()["error"]


def test_there_is_a_socket_and_a_page() -> None:
    assert {str(address) for address in ADDRESSES} >= {"WS /api/news", "GET /", "GET /api/players"}
    assert [str(address) for address in ADDRESSES if not address.method] == ["WS /api/news"]


@pytest.mark.parametrize("address", HTTP, ids=str)
def test_every_address_is_behind_the_gate(door: Door, address: Address) -> None:
    method, path = address.method, address.filled()
    foreign, null = ("Origin", "http://evil.example"), ("Origin", "null")
    for headers in ([], [("Authorization", "Bearer wrong")], [("Cookie", "selfmate=x")]):
        assert_refused(door.ask(method, path, *headers), UNAUTHORIZED)
    for headers in ([door.bearer, foreign], [door.cookie, null]):
        assert_refused(door.ask(method, path, *headers), FORBIDDEN)
    assert_refused(door.ask(method, path, door.bearer, hosts=["evil.example"]), MISDIRECTED)
    if method != "GET":
        assert_refused(door.ask(method, path, door.cookie), FORBIDDEN)


@pytest.mark.parametrize("address", HTTP, ids=str)
def test_other_sites_and_links_open_the_page_and_nothing_else(door: Door, address: Address) -> None:
    method, path = address.method, address.filled()
    by_site = door.ask(method, path, door.cookie, ("Sec-Fetch-Site", "same-site"))
    by_link = door.ask(method, f"{path.partition('?')[0]}?token={door.token}")
    if str(address) == "GET /":
        assert (by_site.status, by_link.status) == (HTTPStatus.OK, HTTPStatus.OK)
    else:
        assert_refused(by_site, FORBIDDEN)
        assert_refused(by_link, UNAUTHORIZED)


@pytest.mark.parametrize("headers", WRONG_TOKENS.values(), ids=WRONG_TOKENS.keys())
def test_only_the_token_lets_in(door: Door, headers: Callable[[Door], Iterable[Header]]) -> None:
    assert_refused(door.ask("GET", "/api/players", *headers(door)), UNAUTHORIZED)
    assert door.knock(*headers(door)) == FORBIDDEN


@pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
def test_pages_from_elsewhere_stay_out_though_they_have_the_token(door: Door, origin: str) -> None:
    own, theirs = ("Origin", f"http://{door.host}"), ("Origin", filled(origin, door))
    for headers in ([door.bearer, theirs], [door.cookie, theirs], [door.bearer, own, theirs]):
        assert_refused(door.ask("GET", "/api/players", *headers), FORBIDDEN)
        assert door.knock(*headers) in (HTTPStatus.BAD_REQUEST, FORBIDDEN)


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
def test_we_answer_to_our_own_names_only(door: Door, host: str) -> None:
    """Else a page could have its name lead to us, and be taken for ours (DNS rebinding)."""
    hosts = [filled(host, door)]
    own = ("Origin", f"http://{hosts[0]}")
    assert_refused(door.ask("GET", "/api/players", door.bearer, own, hosts=hosts), MISDIRECTED)
    assert door.knock(door.bearer, own, hosts=hosts) == FORBIDDEN


def test_one_name_is_needed(door: Door) -> None:
    for hosts in ([], [door.host, door.host], [door.host, "evil.example"]):
        answer = door.ask("GET", "/api/players", door.bearer, hosts=hosts)
        assert answer.status in (HTTPStatus.BAD_REQUEST, MISDIRECTED)


def test_a_cookie_alone_opens_no_socket(door: Door) -> None:
    assert door.knock(door.cookie) == FORBIDDEN


@pytest.mark.parametrize("address", HTTP, ids=str)
def test_names_lead_nowhere_else(lab: RunningLab, door: Door, address: Address) -> None:
    """Whatever is asked for by name, and however it is escaped."""
    before = sorted(lab.runs.parent.rglob("*"))
    for text in TRAVERSALS:
        path = address.filled(text)
        if path == address.filled("x"):
            continue
        answer = door.ask(address.method, path, door.bearer)
        assert HTTPStatus.BAD_REQUEST <= answer.status < HTTPStatus.INTERNAL_SERVER_ERROR
        assert answer.is_dressed()
        assert answer.json()["error"]
        assert b"root:" not in answer.body
        assert len(answer.body) < 1000
    assert sorted(lab.runs.parent.rglob("*")) == before


@pytest.mark.parametrize("address", HTTP, ids=str)
def test_unusual_methods_are_refused(door: Door, address: Address) -> None:
    usual = {other.method for other in HTTP if other.pattern == address.pattern}
    for method in {"HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"} - usual:
        answer = door.ask(method, address.filled(), door.bearer)
        assert (answer.status, answer.is_dressed()) == (HTTPStatus.METHOD_NOT_ALLOWED, True)
        assert set(answer.headers["allow"].split(", ")) <= usual
        assert not any(name.lower().startswith("access-control") for name in answer.headers)


@pytest.mark.parametrize("address", [a for a in HTTP if a.method == "POST"], ids=str)
@pytest.mark.parametrize(
    "body", [b"{", b"[]", b"null", b"\xff", b'{"a": 1}', b"[" * 5000, b'"' + b"x" * 5000 + b'"']
)
def test_what_cannot_be_understood_is_answered_by_a_sentence(
    door: Door, address: Address, body: bytes
) -> None:
    length = ("Content-Length", str(len(body)))
    headers = [door.bearer, ("Content-Type", "application/json"), length]
    answer = door.ask("POST", address.filled("no-such"), *headers, body=body)
    assert answer.status < HTTPStatus.INTERNAL_SERVER_ERROR
    assert answer.is_dressed()
    assert len(answer.body) < 1000 or answer.status == HTTPStatus.OK


def test_our_page_and_programs_are_let_in(door: Door) -> None:
    own = ("Origin", f"http://{door.host}")
    assert door.ask("GET", "/api/players", door.bearer).status == HTTPStatus.OK
    assert door.ask("GET", "/api/players", door.cookie).status == HTTPStatus.OK
    assert door.ask("GET", "/api/players", door.cookie, own).status == HTTPStatus.OK
    assert door.knock(door.bearer) == HTTPStatus.SWITCHING_PROTOCOLS
    assert door.knock(door.cookie, own) == HTTPStatus.SWITCHING_PROTOCOLS


def test_other_servers_of_this_machine_cannot_lock_us_out_by_cookies(door: Door) -> None:
    name, value = door.cookie
    for theirs in (f"selfmate-{door.port}=theirs", '{"odd": [1]}', "a b=c", "\xff"):
        for cookies in (f"{theirs}; {value}", f"{value}; {theirs}"):
            assert door.ask("GET", "/api/players", (name, cookies)).status == HTTPStatus.OK


@pytest.mark.parametrize("name", ["localhost", "LOCALHOST", "[::1]", "127.0.0.1"])
def test_a_tunnel_may_have_another_port(door: Door, name: str) -> None:
    for host in (f"{name}:9000", name):
        own = ("Origin", f"http://{host.lower()}")
        assert door.ask("GET", "/api/players", door.cookie, own, hosts=[host]).status == 200
        assert door.knock(door.cookie, own, hosts=[host]) == HTTPStatus.SWITCHING_PROTOCOLS


def test_the_link_sets_a_cookie_that_scripts_cannot_read(door: Door) -> None:
    answer = door.ask("GET", f"/?token={door.token}")
    cookie, *flags = answer.headers["set-cookie"].split("; ")
    assert cookie == door.cookie[1]
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(flags)
    assert not any(flag.startswith("Domain") for flag in flags)
    assert "set-cookie" not in door.ask("GET", "/", door.cookie).headers


def test_without_the_token_the_page_says_where_it_is(door: Door) -> None:
    for path in ("/", "/?token=wrong", "/?token="):
        answer = door.ask("GET", path)
        assert_refused(answer, UNAUTHORIZED)
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert b"selfmate lab" in answer.body
        assert door.token.encode() not in answer.body


def test_only_the_pages_own_files_are_served(door: Door) -> None:
    kinds = {"page.js": "text/javascript", "page.css": "text/css", "icon.svg": "image/svg+xml"}
    for name, kind in kinds.items():
        answer = door.ask("GET", f"/{name}", door.bearer)
        assert answer.headers["content-type"].partition(";")[0] == kind
        assert (answer.status, answer.is_dressed()) == (HTTPStatus.OK, True)
    for name in ("page", "static", "static/", "page.js/", ".", "gate.py", "api", "api/", "docs"):
        answer = door.ask("GET", f"/{name}", door.bearer)
        assert (answer.status, answer.is_dressed()) == (HTTPStatus.NOT_FOUND, True)


def test_markup_in_names_is_data(door: Door) -> None:
    answer = door.ask("GET", "/api/players", door.bearer)
    assert MARKUP in [offer["title"] for offer in answer.json()]
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_unfinished_requests_do_not_hold_up_others(door: Door) -> None:
    beginnings = (
        "GET /api/players HTTP/1.1\r\nHost: ",
        f"POST / HTTP/1.1\r\nHost: {door.host}\r\nContent-Length: 1000\r\n\r\nx",
    )
    with ExitStack() as waiting:
        for beginning in beginnings * 20:
            connection = waiting.enter_context(door.connected())
            connection.sendall(beginning.encode())
        assert door.ask("GET", "/api/players", door.bearer).status == HTTPStatus.OK
