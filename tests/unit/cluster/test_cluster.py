"""Addresses, shares of nodes, and why workers are refused: all without Ray."""

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from selfmate.cluster.address import ClusterAddress, parse_address
from selfmate.cluster.nodes import Node, shares_of_nodes
from selfmate.cluster.pool import Figures, reason_of
from selfmate.cluster.shelf import Shelf
from selfmate.cluster.worker import Requirements, fault_of
from selfmate.runs import Arrays

WANTED = Requirements(version="0.2.0", sources="abc", torch="2 for AVX2", kernels="avx2")
GOOD: dict[str, Any] = {
    "version": "0.2.0", "sources": "abc", "torch": "2 for AVX2", "kernels_error": "", "error": "",
}  # fmt: skip


def test_addresses() -> None:
    assert parse_address("local:3") == ClusterAddress(local_cpus=3)
    assert parse_address("auto") == ClusterAddress(address="auto")
    assert parse_address("192.0.2.1:6379") == ClusterAddress(address="192.0.2.1:6379")
    assert [str(parse_address(text)) for text in ("local:3", "auto")] == ["local:3", "auto"]


@pytest.mark.parametrize(
    "text", ["", "local", "local:0", "local:257", "local:x", "a b:1", "ray://x:1"]
)
def test_other_addresses_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="local:N"):
        parse_address(text)


def test_every_cpu_is_a_worker_unless_the_user_says_how_many() -> None:
    small, large = Node("a", "a", 2), Node("b", "b", 6)
    assert shares_of_nodes([small, large], None) == {small: 2, large: 6}
    assert shares_of_nodes([small, large], 1) == {small: 1}
    assert shares_of_nodes([small, large], 4) == {small: 1, large: 3}
    assert shares_of_nodes([small], 5) == {small: 5}
    assert shares_of_nodes([], 5) == {}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, None),
        ({"version": "0.1.0"}, "has Selfmate 0.1.0, and this is 0.2.0"),
        ({"version": ""}, "has no Selfmate, and this is 0.2.0"),
        ({"sources": "def"}, "has another Selfmate 0.2.0 (sources def, these are abc)"),
        ({"kernels_error": "there are no kernels avx2"}, "cannot compute as this machine does"),
        ({"error": "OSError: no disk"}, "cannot start: OSError: no disk"),
        ({"torch": "2 for DEFAULT"}, "has torch 2 for DEFAULT, and this is torch 2 for AVX2"),
    ],
)
def test_why_a_worker_is_refused(changes: dict[str, str], sentence: str | None) -> None:
    found = fault_of(WANTED, GOOD | changes)
    if sentence is None:
        assert found is None
    else:
        assert found is not None
        assert sentence in found


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "The actor died unexpectedly before finishing this task.\n\tpid: 7\nThe actor is dead "
            "because its worker process has died. Worker exit type: SYSTEM_ERROR.",
            "its worker process has died",
        ),
        ("The actor is dead because it was killed by `ray.kill`.", "it was killed by `ray.kill`"),
        (
            "The actor 5 is unavailable: The actor is temporarily unavailable: RpcError: Socket "
            "closed. The task may or may not have been executed.",
            "RpcError: Socket closed",
        ),
        ("Task was killed due to low memory.\nMore of it.", "Task was killed due to low memory"),
    ],
)
def test_why_a_worker_is_lost(text: str, reason: str) -> None:
    assert reason_of(RuntimeError(text)) == reason


def test_requirements_differ_by_any_part() -> None:
    assert replace(WANTED, kernels="portable") != WANTED


def test_only_workers_without_a_task_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    figures = Figures(began=0.0, seen_at=0.0)
    assert figures.waiting == 0
    for second, ready, busy in ((10.0, 0, 0), (20.0, 2, 2), (30.0, 2, 0)):
        monkeypatch.setattr("time.monotonic", lambda now=second: now)
        figures.look(ready, busy)
    assert (figures.seconds, figures.waiting) == (30, 0.5)


def test_a_shelf_makes_things_once_and_forgets_what_is_not_needed() -> None:
    shelf, made = Shelf(), list[str]()

    def make(name: str, arrays: Arrays | None = None) -> str:
        made.append(name)
        return name

    for digests in (("a",), ("a", "b"), ("b",), ("a",)):
        shelf.put({digest: {} for digest in digests})
        for digest in digests:
            assert shelf.made(digest, partial(make, digest)) == digest
    assert made == ["a", "b", "a"]
    assert [shelf.kept("player", lambda: make("player")) for _ in range(2)] == ["player"] * 2
    assert made[3:] == ["player"]
