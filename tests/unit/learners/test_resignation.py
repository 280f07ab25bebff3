"""A side that resigns must be lost; games that are played through show it."""

import pytest

from selfmate.selfplay.alphazero import Resignation


def test_it_is_stopped_when_wrong_too_often_and_allowed_again_when_right() -> None:
    resignation = Resignation(0.1)
    resignation.observe(19, 19)  # too few to tell
    assert (resignation.playthrough, list(resignation.alarms())) == (0.1, [])
    resignation.observe(5, 1)
    assert resignation.playthrough == 1.0
    assert [alarm[:24] for alarm in resignation.alarms()] == ["20 of 24 games were not "]
    resignation.observe(3, 0)
    assert list(resignation.alarms()) == []
    resignation.observe(30, 1)
    assert resignation.playthrough == 0.1


def test_it_continues_from_its_facts() -> None:
    first, second = Resignation(0.2), Resignation(0.2)
    first.observe(30, 20)
    second.load(first.facts())
    assert second.playthrough == first.playthrough == 1.0
    for one in (first, second):
        one.observe(40, 0)
    assert second.playthrough == first.playthrough == 0.2
    with pytest.raises(ValueError, match="not the facts"):
        second.load("nothing")
