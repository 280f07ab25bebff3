"""The net that scores moves against dense layers over position and move side by side."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from torch import Tensor

from selfmate.encodings.features import Candidates
from selfmate.nets.config import MoveScorerConfig
from selfmate.nets.move_scorer import BLOCK_ROWS, MoveScorer
from selfmate.rules import SparseRows, places_of_rows

POSITION_INPUTS, MOVE_INPUTS, POSITIONS = 768, 136, 40


def seeded_net(*hidden: int, value_head: bool = True) -> MoveScorer:
    torch.manual_seed(1)
    config = MoveScorerConfig(hidden=hidden, value_head=value_head)
    return MoveScorer(config, position_inputs=POSITION_INPUTS, move_inputs=MOVE_INPUTS)


def made_up_rows(rng: np.random.Generator, rows: int, most: int, width: int) -> SparseRows:
    """Rows of one to `most` inputs."""
    parts = [rng.permutation(width)[: rng.integers(1, most + 1)] for _ in range(rows)]
    columns = np.concatenate(parts).astype(np.int32)
    offsets = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
    return SparseRows(columns, rng.uniform(0.1, 1, len(columns)).astype(np.float32), offsets)


def made_up(seed: int) -> Candidates:
    rng = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(rng.integers(1, 50, POSITIONS))])
    return Candidates(
        positions=made_up_rows(rng, POSITIONS, 32, POSITION_INPUTS),
        is_white=rng.random(POSITIONS) < 0.5,
        moves=made_up_rows(rng, int(offsets[-1]), 5, MOVE_INPUTS),
        offsets=offsets,
    )


def dense(rows: SparseRows, width: int) -> Tensor:
    found = torch.zeros(len(rows), width)
    numbers = np.repeat(np.arange(len(rows)), np.diff(rows.offsets))
    found[numbers, rows.columns] = torch.from_numpy(rows.values)
    return found


def taken_rows(sparse: SparseRows, rows: NDArray[np.int64]) -> SparseRows:
    places, offsets = places_of_rows(sparse.offsets, rows)
    return SparseRows(sparse.columns[places], sparse.values[places], offsets)


def taken(asked: Candidates, rows: NDArray[np.int64]) -> Candidates:
    moves, offsets = places_of_rows(asked.offsets, rows)
    return Candidates(
        positions=taken_rows(asked.positions, rows),
        is_white=asked.is_white[rows],
        moves=taken_rows(asked.moves, moves),
        offsets=offsets,
    )


def dense_scores(net: MoveScorer, asked: Candidates) -> Tensor:
    """Of each move beside its position, in one wide first layer."""
    positions = dense(asked.positions, POSITION_INPUTS)
    repeated = positions.repeat_interleave(torch.from_numpy(np.diff(asked.offsets)), dim=0)
    inputs = torch.cat([repeated, dense(asked.moves, MOVE_INPUTS)], dim=1)
    weight = torch.cat([net.position.weight, net.move.weight])
    level = torch.relu(inputs @ weight + net.position.bias)
    for layer in net.hidden:
        level = torch.relu(layer(level))
    scores: Tensor = net.score(level)
    return scores[:, 0]


def dense_values(net: MoveScorer, asked: Candidates) -> Tensor:
    """Of each position with the turn as one input more."""
    assert net.value is not None
    turn = torch.from_numpy(asked.is_white.astype(np.float32))[:, None]
    inputs = torch.cat([dense(asked.positions, POSITION_INPUTS), turn], dim=1)
    weight = torch.cat([net.position.weight, net.value.turn.weight.T])
    level = torch.relu(inputs @ weight + net.position.bias)
    return torch.tanh(level @ net.value.out.weight[0] + net.value.out.bias)


@pytest.mark.parametrize("hidden", [(9,), (24, 16), (32, 16, 8)])
def test_scores_values_and_gradients_are_those_of_the_net_in_one_piece(
    hidden: tuple[int, ...],
) -> None:
    net, asked = seeded_net(*hidden), made_up(2)
    scores, values = net(asked)
    assert values is not None
    expected_scores, expected_values = dense_scores(net, asked), dense_values(net, asked)
    torch.testing.assert_close(scores, expected_scores, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(values, expected_values, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(net.scores(asked), scores.detach(), rtol=1e-4, atol=1e-5)
    found_values = net.values(asked.positions, asked.is_white)
    assert found_values is not None
    np.testing.assert_allclose(found_values, values.detach(), rtol=1e-4, atol=1e-5)
    factors = torch.linspace(-1, 1, len(scores))
    parameters = list(net.parameters())
    ours = torch.autograd.grad((factors * scores).sum() + values.sum(), parameters)
    expected = (factors * expected_scores).sum() + expected_values.sum()
    theirs = torch.autograd.grad(expected, parameters)
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-4)


NET, ASKED = seeded_net(256, 128), made_up(5)
SCORES, VALUES = NET.scores(ASKED), NET.values(ASKED.positions, ASKED.is_white)
SOME_ROWS = st.lists(st.integers(0, POSITIONS - 1), min_size=1, max_size=12)


@settings(max_examples=60, deadline=None)
@given(rows=SOME_ROWS, threads=st.integers(1, 3))
def test_a_position_has_the_same_scores_in_any_batch(rows: list[int], threads: int) -> None:
    chosen = np.array(rows)
    asked = taken(ASKED, chosen)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    scores, values = NET.scores(asked), NET.values(asked.positions, asked.is_white)
    torch.set_num_threads(before)
    places, _ = places_of_rows(ASKED.offsets, chosen)
    assert scores.tobytes() == SCORES[places].tobytes()
    assert values is not None
    assert VALUES is not None
    assert values.tobytes() == VALUES[chosen].tobytes()


def test_scores_are_the_same_at_any_place_of_a_block() -> None:
    one = int(np.argmin(np.diff(ASKED.offsets)))
    own = SCORES[ASKED.offsets[one] : ASKED.offsets[one + 1]]
    count = BLOCK_ROWS + 1
    found = NET.scores(taken(ASKED, np.full(count, one)))
    assert found.tobytes() == np.tile(own, count).tobytes()


def test_without_a_value_head_there_are_no_values() -> None:
    net = seeded_net(8, value_head=False)
    assert net(ASKED)[1] is None
    assert net.values(ASKED.positions, ASKED.is_white) is None
