"""The socket from outside: its updates, and the messages that it refuses."""

import json
import math
from contextlib import ExitStack
from typing import Any, cast

import pytest
from fastapi import WebSocket
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from page.lab import RunningLab
from selfmate.lab.topics import MAX_MESSAGE_BYTES, MAX_TABS, Follower, Topics, _Tab
from unit.lab.conftest import MARKUP
from unit.lab.door import Door
from unit.runs.toy import run_toy

FOLLOW_RUNS = json.dumps({"follow": ["runs"]})


def opened(door: Door) -> ClientConnection:
    return connect(
        f"ws://{door.host}/api/news",
        additional_headers=dict([door.bearer]),
        compression=None,
        open_timeout=60,
        proxy=None,
    )


def news_of(socket: ClientConnection) -> Any:
    return json.loads(socket.recv(timeout=60))["news"]


def test_two_tabs_hear_the_same(door: Door, lab: RunningLab) -> None:
    with opened(door) as one, opened(door) as other:
        for tab in (one, other):
            tab.send(FOLLOW_RUNS)
            assert MARKUP in [run["name"] for run in news_of(tab)["runs"]]
        run_toy(lab.runs / "another")
        for tab in (one, other):
            while "another" not in [run["name"] for run in news_of(tab)["runs"]]:
                pass


def test_what_no_text_can_hold_silences_nobody() -> None:
    follower = Follower(Topics())
    tab = _Tab(cast(WebSocket, None), follower)
    follower.updates = lambda: {"a": {"text": "\ud800", "loss": math.nan}, "b": math.nan}  # type: ignore[method-assign]
    news = json.loads(tab._message())["news"]
    assert news["a"]["error"].startswith("this cannot be shown")
    assert news["b"] is None


def test_a_topic_that_is_not_there_does_not_end_the_talk(door: Door) -> None:
    with opened(door) as tab:
        tab.send(json.dumps({"follow": ["nothing", "run:../../etc"]}))
        assert all("error" in data for data in news_of(tab).values())
        tab.send(FOLLOW_RUNS)
        assert "runs" in news_of(tab)


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("", 1003),
        ("{", 1003),
        ("[]", 1003),
        ('{"follow": "runs"}', 1003),
        ('{"follow": [1]}', 1003),
        ('{"follow": [], "more": 1}', 1003),
        (json.dumps({"follow": ["x" * 301]}), 1003),
        (json.dumps({"follow": [str(number) for number in range(21)]}), 1003),
        ("[" * 10_000, 1003),
        (FOLLOW_RUNS.encode(), 1003),
        ("x" * (MAX_MESSAGE_BYTES + 1), 1009),
        (b"x" * (MAX_MESSAGE_BYTES + 1), 1009),
    ],
    ids=lambda value: str(value[:20]) if isinstance(value, str | bytes) else str(value),
)
def test_what_is_not_understood_ends_the_talk(door: Door, message: str | bytes, code: int) -> None:
    with opened(door) as tab:
        tab.send(message)
        with pytest.raises(ConnectionClosed) as closed:
            tab.recv(timeout=60)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == code


def test_a_message_in_pieces_is_one_message(door: Door) -> None:
    with opened(door) as tab:
        tab.send([FOLLOW_RUNS[:5], FOLLOW_RUNS[5:]])
        assert "runs" in news_of(tab)
        tab.send(["x" * 1000 for _ in range(MAX_MESSAGE_BYTES // 1000 + 1)])
        with pytest.raises(ConnectionClosed):
            tab.recv(timeout=60)


def test_there_may_be_so_many_tabs_and_no_more(door: Door) -> None:
    with ExitStack() as tabs:
        for _ in range(MAX_TABS):
            tabs.enter_context(opened(door))
        with pytest.raises(InvalidStatus):
            opened(door)
        assert door.ask("GET", "/api/players", door.bearer).status == 200
    with opened(door) as tab:  # those that were closed are forgotten
        tab.send(FOLLOW_RUNS)
        assert "runs" in news_of(tab)
