"""Does the chess DQN learn what moves are worth? On a mate in two, through real updates."""

from typing import Any

import numpy as np
import pytest

from selfmate.learners.dqn.learner import Dqn
from selfmate.nets.optim import one_thread
from selfmate.rules import Ragged
from selfmate.runs.run import Stopwatch
from unit.learners.dqn_lines import GAMMA, MATE_IN_TWO, MATING_LINE, dqn_with, line

UPDATES = 300
HASTY = {"batch_size": 32, "learning_rate": 0.003, "target_update_every": 25, "hidden": (32, 16)}


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, [GAMMA**2, -GAMMA, 1]),
        ({"double": False, "dueling": True}, [GAMMA**2, -GAMMA, 1]),
        ({"n_step": 2, "prioritized": True}, [GAMMA**2, -GAMMA, 1]),
        ({"n_step": 3}, [GAMMA**2, -GAMMA, 1]),
        ({"backup": "two_ply"}, [GAMMA, -1, 1]),
    ],
    ids=str,
)
def test_it_learns_what_a_mate_in_two_is_worth(
    settings: dict[str, Any], expected: list[float]
) -> None:
    page = line(MATE_IN_TWO, MATING_LINE)
    dqn = dqn_with(page, **HASTY, **settings)
    rng = np.random.default_rng(1)
    with one_thread():
        for _ in range(UPDATES):
            assert dqn.update(1, 1, rng, Stopwatch()) is not None
    assert values_of_line(dqn) == pytest.approx(expected, abs=0.02)


def values_of_line(dqn: Dqn) -> list[float]:
    """Of the moves that were played."""
    page = line(MATE_IN_TWO, MATING_LINE)
    legal = Ragged(page.legal.astype(np.int32), page.legal_offsets)
    values = dqn.net.values(page.packed, legal)
    found: list[float] = values[legal.find(page.actions)].tolist()
    return found
