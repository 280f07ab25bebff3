"""Labelled batches against the positions they are made of, one by one."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from numpy.typing import NDArray

from selfmate.data.teacher_data import Positions, TeacherDataset, read_positions
from unit.data.collected import collect


@cache
def some_positions() -> Positions:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "games.ndjson"
        collect(path)
        return read_positions(path)


def teachings(
    positions: Positions | None = None, sharpness: float = 1.0, seed: int = 1
) -> TeacherDataset:
    if positions is None:
        positions = some_positions()
    return TeacherDataset(positions, validation=0.2, sharpness=sharpness, seed=seed)


def games_of(rows: NDArray[np.int64]) -> set[int]:
    return set(some_positions().games[rows].tolist())


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_game_is_in_both_parts_and_no_position_is_lost(seed: int) -> None:
    parts = teachings(seed=seed)
    taught, tested = games_of(parts.training), games_of(parts.validation)
    assert not taught & tested
    assert len(tested) == np.ceil(0.2 * len(taught | tested))
    everything = np.concatenate([parts.training, parts.validation])
    assert sorted(everything.tolist()) == list(range(len(some_positions())))


def test_the_seed_decides_which_games_are_tested_on() -> None:
    parts = {tuple(teachings(seed=seed).validation.tolist()) for seed in range(9)}
    assert len(parts) > 3
    again = teachings(seed=3).validation
    np.testing.assert_array_equal(again, teachings(seed=3).validation)


@pytest.mark.parametrize("sharpness", [0.5, 1.0, 2.0, 100.0])
def test_a_lesson_is_what_the_positions_say(sharpness: float) -> None:
    positions = some_positions()
    rows = np.array([7, 0, 30, 7])
    batch = teachings(sharpness=sharpness).lesson(rows)
    for i, row in enumerate(rows.tolist()):
        ours = slice(*batch.legal.offsets[i : i + 2].tolist())
        theirs = slice(*positions.legal_offsets[row : row + 2].tolist())
        legal = positions.legal[theirs].tolist()
        assert batch.legal.values[ours].tolist() == legal
        assert batch.values[i] == positions.values_side_to_move[row]
        assert batch.best[i] - ours.start == positions.best_places[row]
        entries = range(*positions.policy_offsets[row : row + 2].tolist())
        powers = [0.0] * len(legal)
        for entry in entries:
            share = float(positions.policy_probs[entry])
            powers[int(positions.policy_places[entry])] += share**sharpness
        expected = [power / sum(powers) for power in powers]
        assert batch.probs[ours].tolist() == pytest.approx(expected, rel=1e-4, abs=1e-6)
        assert batch.probs[ours].sum() == pytest.approx(1)


def test_the_sharper_the_surer_of_the_best_move() -> None:
    rows = np.arange(60)
    surest = []
    for sharpness in (0.5, 1, 3, 100):
        batch = teachings(sharpness=sharpness).lesson(rows)
        surest.append(np.maximum.reduceat(batch.probs, batch.legal.offsets[:-1]).mean())
    assert surest == sorted(surest)
    assert np.isfinite(surest).all()


@pytest.mark.parametrize(
    "column", ["packed", "games", "best_places", "values_side_to_move", "policy_probs"]
)
def test_other_data_have_another_digest(column: str) -> None:
    positions = some_positions()
    other = replace(positions, **{column: np.roll(getattr(positions, column), 1, axis=0)})
    assert teachings(positions).digest != teachings(other).digest
    assert teachings(positions).digest == teachings(replace(positions)).digest


def test_there_must_be_games_for_both_parts() -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "none.ndjson"
        path.write_text("")
        nothing = read_positions(path)
    positions = some_positions()
    one_game = replace(positions, games=np.zeros_like(positions.games))
    for too_few in (nothing, one_game):
        with pytest.raises(ValueError, match="too few games"):
            teachings(too_few)
