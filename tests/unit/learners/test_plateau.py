"""Validations without gain: the rate is halved, and then enough is enough."""

from selfmate.learners.plateau import Plateau


def test_three_without_gain_halve_and_five_end() -> None:
    plateau = Plateau(halve_after=3, stop_after=5)
    factors = []
    for loss in (3.0, 2.0, 2.5, 2.1, 2.0, 2.4, 2.3):
        plateau.validated(loss)
        factors.append(plateau.factor)
    assert factors == [1, 1, 1, 1, 0.5, 0.5, 0.5]
    assert plateau.is_over


def test_a_gain_begins_anew() -> None:
    plateau = Plateau(halve_after=2, stop_after=3)
    for loss in (3.0, 3.1, 3.2, 2.9, 3.0, 3.0):
        plateau.validated(loss)
        assert not plateau.is_over
    assert plateau.factor == 0.25
    plateau.validated(3.0)
    assert plateau.is_over


def test_it_goes_on_from_its_facts() -> None:
    first, second = (Plateau(halve_after=2, stop_after=4) for _ in range(2))
    for loss in (3.0, 3.1, 3.2):
        first.validated(loss)
    second.load(first.facts())
    assert second == first
