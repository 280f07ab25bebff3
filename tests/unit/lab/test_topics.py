"""Followers get each change once, and errors as well."""

from collections.abc import Hashable
from typing import Any

import pytest

from selfmate.lab.errors import INTERNAL, NotFoundError
from selfmate.lab.topics import Follower, Topics


class Counter:
    def __init__(self) -> None:
        self.count = 0
        self.fault: Exception | None = None
        self.looks = 0

    def version(self) -> Hashable:
        if self.fault:
            raise self.fault
        return self.count

    def data(self) -> Any:
        self.looks += 1
        return {"count": self.count}


@pytest.fixture
def counters() -> dict[str, Counter]:
    return {"a": Counter(), "b": Counter()}


@pytest.fixture
def follower(counters: dict[str, Counter]) -> Follower:
    topics = Topics()
    topics.add("counter", lambda name: counters[name])
    return Follower(topics)


def test_what_has_not_changed_is_not_sent_again(
    follower: Follower, counters: dict[str, Counter]
) -> None:
    follower.follow(["counter:a", "counter:b", "counter:a"])
    assert follower.updates() == {"counter:a": {"count": 0}, "counter:b": {"count": 0}}
    assert follower.updates() == {}
    counters["b"].count = 5
    assert follower.updates() == {"counter:b": {"count": 5}}
    assert counters["a"].looks == 1


def test_following_more_repeats_nothing_and_following_anew_does(follower: Follower) -> None:
    follower.follow(["counter:a"])
    follower.updates()
    follower.follow(["counter:a", "counter:b"])
    assert list(follower.updates()) == ["counter:b"]
    follower.follow([])
    assert follower.updates() == {}
    follower.follow(["counter:a"])
    assert list(follower.updates()) == ["counter:a"]


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (ValueError("the file is damaged"), "the file is damaged"),
        (NotFoundError("there is no counter"), "there is no counter"),
        (FileNotFoundError(2, "No such file", "/home/somebody/runs/x"), "'x': No such file"),
        (KeyError("a bug"), INTERNAL),
    ],
)
def test_an_error_is_sent_once_and_does_not_hold_up_others(
    follower: Follower, counters: dict[str, Counter], fault: Exception, said: str
) -> None:
    counters["a"].fault = fault
    follower.follow(["counter:a", "counter:b"])
    assert follower.updates() == {"counter:a": {"error": said}, "counter:b": {"count": 0}}
    assert follower.updates() == {}
    counters["a"].fault = None
    assert follower.updates() == {"counter:a": {"count": 0}}


@pytest.mark.parametrize("name", ["", ":", "nothing", "../counter:a", "x" * 300])
def test_a_topic_that_is_not_there_is_an_error_of_its_own(follower: Follower, name: str) -> None:
    follower.follow([name])
    (news,) = follower.updates().values()
    assert news["error"].startswith("there is no topic")
    assert len(news["error"]) < 120
