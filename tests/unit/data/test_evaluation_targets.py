"""Targets from evaluated games, computed by hand."""

import numpy as np
import pytest

from selfmate.data.dataset import COLUMNS, NO_EVALUATION, NO_MOVE, Chunk
from selfmate.data.examples import examples_of_games
from selfmate.data.wdl_curve import WdlCurve
from selfmate.encodings import actions_of_moves
from selfmate.encodings.records import encode_records
from selfmate.rules import Board, uci_code

CURVE = WdlCurve(offset_full=1.0, offset_bare=1.0, slope_full=1.0, slope_bare=1.0)
WIN, LOSS = 0.73105858, 0.04742587  # sigmoid(2 - 1), sigmoid(-2 - 1)


def chunk() -> Chunk:
    """White won. Three positions: White is two pawns up and to move, Black is two pawns down and to
    move, and nobody knows."""
    boards = [Board(), Board(), Board()]
    boards[1].push("e2e4")
    columns = {name: np.zeros((3, *shape), kind) for name, (kind, shape) in COLUMNS.items()}
    columns |= {
        "stored": encode_records(boards),
        "moves": np.array([uci_code(move) for move in ("e2e4", "e7e5", "g1f3")], np.uint16),
        "best_moves": np.array([uci_code("d2d4"), NO_MOVE, NO_MOVE], np.uint16),
        "results": np.ones(3, np.int8),
        "evaluations": np.array([200, -200, NO_EVALUATION], np.int16),
    }
    return Chunk(**columns)


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_values_mix_result_and_evaluation(share: float) -> None:
    draw = 1 - WIN - LOSS
    wanted = [
        [1 - share + share * WIN, share * draw, share * LOSS],
        [share * LOSS, share * draw, 1 - share + share * WIN],
        [1, 0, 0],
    ]
    found = examples_of_games(chunk(), share, CURVE).wdl_side_to_move
    np.testing.assert_allclose(found, np.array(wanted), atol=1e-6)


def test_the_policy_learns_the_best_move_where_it_is_known() -> None:
    examples = examples_of_games(chunk())
    found = examples.legal.values[np.flatnonzero(examples.policy)].tolist()
    boards = [Board(), Board(), Board()]
    boards[1].push("e2e4")
    moves = np.array([uci_code(move) for move in ("d2d4", "e7e5", "g1f3")], np.uint16)
    assert found == actions_of_moves("az4672", boards, moves).tolist()
