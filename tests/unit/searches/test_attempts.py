"""What a net tries before it finds a legal move: in order, never twice, with its probabilities."""

import numpy as np
import pytest

from selfmate.rules import Ragged
from selfmate.searches.sampling import Attempts, attempt_actions

LOGITS = np.log(np.array([[0.4, 0.3, 0.2, 0.1]], np.float32))
LEGAL = Ragged(np.array([1, 3], np.int32), np.array([0, 2]))


def tries(count: int, *, temperature: float = 1.0, most: int = 4) -> Attempts:
    """The same position over and over, with other seeds."""
    rng = np.random.default_rng(1).integers(2**64, size=count, dtype=np.uint64)
    legal = Ragged(np.tile(LEGAL.values, count), np.arange(0, 2 * count + 1, 2))
    logits = np.repeat(LOGITS, count, axis=0)
    return attempt_actions(logits, legal, rng, temperature=temperature, most=most)


def rows_of(found: Attempts) -> list[tuple[int, ...]]:
    illegal = np.split(found.illegal.values, found.illegal.offsets[1:-1])
    return [
        (*row.tolist(), chosen) for row, chosen in zip(illegal, found.chosen.tolist(), strict=True)
    ]


def test_at_temperature_0_the_likeliest_is_tried_first() -> None:
    assert set(rows_of(tries(5, temperature=0.0))) == {(0, 1)}


def test_sequences_are_as_frequent_as_drawing_without_replacement_says() -> None:
    count = 40_000
    rows = rows_of(tries(count))
    by_hand = {
        (1,): 0.3,
        (3,): 0.1,
        (0, 1): 0.4 * 0.3 / 0.6,
        (0, 3): 0.4 * 0.1 / 0.6,
        (2, 1): 0.2 * 0.3 / 0.8,
        (2, 3): 0.2 * 0.1 / 0.8,
        (0, 2, 1): 0.4 * 0.2 / 0.6 * 0.75,
        (0, 2, 3): 0.4 * 0.2 / 0.6 * 0.25,
        (2, 0, 1): 0.2 * 0.4 / 0.8 * 0.75,
        (2, 0, 3): 0.2 * 0.4 / 0.8 * 0.25,
    }
    assert set(rows) == set(by_hand)
    for sequence, share in by_hand.items():
        deviation = (share * (1 - share) / count) ** 0.5
        assert rows.count(sequence) / count == pytest.approx(share, abs=4 * deviation)


def test_a_low_temperature_is_nearly_deterministic() -> None:
    assert rows_of(tries(2000, temperature=0.02)).count((0, 1)) > 1990


def test_after_so_many_attempts_the_likeliest_legal_move_is_played() -> None:
    rows = rows_of(tries(5000, most=1))
    assert {row for row in rows if row[0] in (0, 2)} == {(0, 1), (2, 1)}
    assert rows_of(tries(3, most=0)) == [(1,)] * 3


def test_a_row_depends_on_its_own_seed_alone() -> None:
    rng = np.arange(50, dtype=np.uint64)
    logits = np.random.default_rng(2).normal(size=(50, 1968)).astype(np.float32)
    legal = Ragged(np.tile(np.array([3, 700, 1900], np.int32), 50), np.arange(0, 151, 3))
    all_rows = rows_of(attempt_actions(logits, legal, rng, temperature=1.0, most=8))
    for row in (0, 17, 49):
        alone = attempt_actions(
            logits[row : row + 1],
            legal.take(np.array([row])),
            rng[row : row + 1],
            temperature=1.0,
            most=8,
        )
        assert rows_of(alone) == [all_rows[row]]


def test_logits_that_differ_vastly_are_no_trouble() -> None:
    logits = np.array([[0, -1e30, 1e30, -1e30]], np.float32)
    found = attempt_actions(logits, LEGAL, np.zeros(1, np.uint64), temperature=1.0, most=4)
    assert rows_of(found) == [(2, 0, 1)]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"temperature": -1.0}, "temperature must be 0 or more"),
        ({"temperature": float("nan")}, "temperature must be 0 or more"),
        ({"most": -1}, "most must be 0 or more, not -1"),
    ],
)
def test_wrong_settings_are_refused(change: dict[str, float], sentence: str) -> None:
    settings = {"temperature": 1.0, "most": 1} | change
    with pytest.raises(ValueError, match=sentence):
        attempt_actions(LOGITS, LEGAL, np.zeros(1, np.uint64), **settings)  # type: ignore[arg-type]


def test_an_action_that_does_not_exist_is_refused() -> None:
    legal = Ragged(np.array([1, 4], np.int32), np.array([0, 2]))
    with pytest.raises(ValueError, match="there is no action 4 of 4"):
        attempt_actions(LOGITS, legal, np.zeros(1, np.uint64), temperature=1.0, most=1)
