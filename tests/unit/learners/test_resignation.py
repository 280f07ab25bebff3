"""Who gives up must be lost; games that are played on show it."""

import pytest

from selfmate.learners.resignation import Resignation


def test_it_is_stopped_when_wrong_too_often_and_allowed_again_when_right() -> None:
    resignation = Resignation(0.1)
    resignation.saw(19, 19)  # too few to tell
    assert (resignation.checked, list(resignation.alarms())) == (0.1, [])
    resignation.saw(5, 1)
    assert resignation.checked == 1.0
    assert [alarm[:24] for alarm in resignation.alarms()] == ["20 of 24 games were not "]
    resignation.saw(3, 0)
    assert list(resignation.alarms()) == []
    resignation.saw(30, 1)
    assert resignation.checked == 0.1


def test_it_goes_on_from_its_facts() -> None:
    first, second = Resignation(0.2), Resignation(0.2)
    first.saw(30, 20)
    second.load(first.facts())
    assert second.checked == first.checked == 1.0
    for one in (first, second):
        one.saw(40, 0)
    assert second.checked == first.checked == 0.2
    with pytest.raises(ValueError, match="not the facts"):
        second.load("nothing")
