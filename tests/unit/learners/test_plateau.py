"""Validations without gain halve the learning rate, and then end the training."""

from selfmate.learners.schedule import Plateau


def test_three_without_gain_halve_and_five_end() -> None:
    plateau = Plateau(patience=3, early_stopping_patience=5)
    factors = []
    for loss in (3.0, 2.0, 2.5, 2.1, 2.0, 2.4, 2.3):
        plateau.validated(loss)
        factors.append(plateau.factor)
    assert factors == [1, 1, 1, 1, 0.5, 0.5, 0.5]
    assert plateau.is_over


def test_a_gain_resets_the_count() -> None:
    plateau = Plateau(patience=2, early_stopping_patience=3)
    for loss in (3.0, 3.1, 3.2, 2.9, 3.0, 3.0):
        plateau.validated(loss)
        assert not plateau.is_over
    assert plateau.factor == 0.25
    plateau.validated(3.0)
    assert plateau.is_over


def test_it_continues_from_its_facts() -> None:
    first, second = (Plateau(patience=2, early_stopping_patience=4) for _ in range(2))
    for loss in (3.0, 3.1, 3.2):
        first.validated(loss)
    second.load(first.facts())
    assert second == first
