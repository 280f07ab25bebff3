"""The core's Q-net and move scorer against those of torch, in any company, and what they refuse."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import selfmate._core as core
from selfmate.encodings import is_black_to_move
from selfmate.encodings.features import (
    encode_packed,
    flipped_legal_actions,
    is_white_to_move,
    position_rows,
)
from selfmate.nets.config import MoveScorerConfig, QNetConfig
from selfmate.nets.evaluator import MoveScorerEvaluator, QNetEvaluator
from selfmate.nets.move_scorer import MoveScorer
from selfmate.nets.q_net import QNet
from selfmate.rules import Board, random_games, uci_code

PROMOTION = "k7/3P4/8/8/8/8/8/K7 w - - 0 1"
Inputs = Literal["features839", "attacks3399"]
HIDDEN = st.lists(st.integers(1, 40), min_size=1, max_size=3).map(tuple)


def positions() -> list[Board]:
    """Positions of random games with both sides to move, and one with promotions."""
    games = random_games(30, seed=2, max_plies=120)
    boards = []
    for number in range(len(games)):
        board = Board()
        for move in games.uci(number)[: 4 * number]:
            board.push(move)
        if board.outcome() is None:
            boards.append(board)
    return [*boards, Board(PROMOTION)]


def q_net(
    hidden: tuple[int, ...],
    dueling: bool,
    seed: int = 1,
    inputs: Inputs = "features839",
    move_kinds: bool = False,
) -> QNet:
    torch.manual_seed(seed)
    config = QNetConfig(inputs=inputs, hidden=hidden, dueling=dueling, move_kinds=move_kinds)
    return config.make_net()


def scorer(encoding: str, hidden: tuple[int, ...], seed: int = 1) -> MoveScorer:
    torch.manual_seed(seed)
    config = MoveScorerConfig.model_validate({"encoding": encoding, "hidden": hidden})
    return config.model_copy(update={"value_head": True}).make_net()


@settings(max_examples=15, deadline=None)
@given(
    hidden=HIDDEN,
    dueling=st.booleans(),
    seed=st.integers(0, 10**6),
    inputs=st.sampled_from(["features839", "attacks3399"]),
    move_kinds=st.booleans(),
)
def test_q_values_are_those_of_torch(
    hidden: tuple[int, ...], dueling: bool, seed: int, inputs: Inputs, move_kinds: bool
) -> None:
    net, boards = q_net(hidden, dueling, seed, inputs, move_kinds), positions()
    values, moves, q_values, offsets = QNetEvaluator(net).q_values(boards)
    legal = flipped_legal_actions(boards, is_black_to_move(boards))
    wanted = net.values(encode_packed(boards), legal)
    is_queen_or_none = np.isin(moves >> 12, [0, uci_code("d7d8q") >> 12])
    np.testing.assert_allclose(q_values[is_queen_or_none], wanted, atol=1e-5)
    np.testing.assert_allclose(values, np.maximum.reduceat(wanted, legal.offsets[:-1]), atol=1e-5)
    assert offsets[-1] == len(moves) == sum(len(board.legal_moves()) for board in boards)


def test_the_value_of_a_dueling_net_is_that_of_its_best_move() -> None:
    values, _, q_values, offsets = QNetEvaluator(q_net((24, 16), True)).q_values(positions())
    np.testing.assert_allclose(np.maximum.reduceat(q_values, offsets[:-1]), values, atol=1e-6)


def test_underpromotions_are_worth_less_than_the_queen() -> None:
    board = Board(PROMOTION)
    _, moves, q_values, _ = QNetEvaluator(q_net((24, 16), False)).q_values([board])
    found = dict(zip(moves.tolist(), q_values.tolist(), strict=True))
    for piece in "rbn":
        loss = found[uci_code("d7d8q")] - found[uci_code(f"d7d8{piece}")]
        assert loss == pytest.approx(0.5)


@pytest.mark.parametrize("dueling", [False, True])
def test_the_policy_is_a_softmax_and_the_value_is_win_and_loss(dueling: bool) -> None:
    evaluator, boards = QNetEvaluator(q_net((24, 16), dueling)), positions()
    values, moves, q_values, offsets = evaluator.q_values(boards)
    wdl, same_moves, logits, same_offsets = evaluator.evaluate(boards)
    np.testing.assert_allclose(logits, q_values / np.float32(0.1), rtol=1e-6)
    np.testing.assert_allclose(wdl[:, 0] - wdl[:, 2], np.clip(values, -1, 1), atol=1e-6)
    np.testing.assert_allclose(wdl.sum(axis=1), 1, atol=1e-6)
    assert moves.tolist() == same_moves.tolist()
    assert offsets.tolist() == same_offsets.tolist()


@settings(max_examples=15, deadline=None)
@given(
    encoding=st.sampled_from(["onehot768", "turned768", "counts"]),
    hidden=HIDDEN,
    seed=st.integers(0, 10**6),
)
def test_scores_and_values_are_those_of_torch(
    encoding: str, hidden: tuple[int, ...], seed: int
) -> None:
    net, boards = scorer(encoding, hidden, seed), positions()
    wdl, _, logits, _ = MoveScorerEvaluator(net).evaluate(boards)
    np.testing.assert_allclose(logits, net.scores(net.config.candidates(boards)), atol=1e-5)
    white = is_white_to_move(boards)
    in_whites_view = net.values(position_rows(encoding, boards), white)
    assert in_whites_view is not None
    wanted = np.where(white, in_whites_view, -in_whites_view)
    np.testing.assert_allclose(wdl[:, 0] - wdl[:, 2], wanted, atol=1e-5)


@pytest.mark.parametrize(
    "make",
    [
        lambda: QNetEvaluator(q_net((40, 24), True)),
        lambda: MoveScorerEvaluator(scorer("turned768", (40, 24))),
    ],
    ids=["q_net", "move_scorer"],
)
def test_a_position_has_the_same_answer_in_any_batch_on_any_threads(
    make: Callable[[], core.PositionEvaluator],
) -> None:
    net, boards = make(), positions() * 4
    wdl, _, logits, offsets = net.evaluate(boards, 2)
    for row in range(0, len(boards), 7):
        alone = net.evaluate(boards[row : row + 1])
        assert alone[0][0].tolist() == wdl[row].tolist()
        assert alone[2].tolist() == logits[offsets[row] : offsets[row + 1]].tolist()


def test_refreshed_weights_are_those_of_the_net() -> None:
    net = q_net((24, 16), True)
    evaluator, board = QNetEvaluator(net), Board()
    before = evaluator.q_values([board])[2]
    net.take(q_net((24, 16), True, seed=2).arrays())
    assert evaluator.q_values([board])[2].tolist() == before.tolist()
    evaluator.refresh()
    assert evaluator.q_values([board])[2].tolist() != before.tolist()


SHAPE: dict[str, Any] = {"inputs": "features839", "move_kinds": False, "temperature": 0.1}


def test_wrong_weights_are_refused() -> None:
    weights = q_net((24, 16), False).arrays()
    with pytest.raises(ValueError, match=r"the weights lack value\.weight"):
        core.QNet(weights, hidden=(24, 16), dueling=True, **SHAPE)
    with pytest.raises(ValueError, match="must have the shape"):
        core.QNet(weights, hidden=(24, 17), dueling=False, **SHAPE)
    more = weights | {"more": weights["first.bias"]}
    with pytest.raises(ValueError, match="weights, but"):
        core.QNet(more, hidden=(24, 16), dueling=False, **SHAPE)
    bad = weights | {"first.bias": np.full(24, np.nan, np.float32)}
    with pytest.raises(ValueError, match="not finite"):
        core.QNet(bad, hidden=(24, 16), dueling=False, **SHAPE)


def test_a_scorer_without_a_value_head_cannot_search() -> None:
    with pytest.raises(ValueError, match="without a value head cannot search"):
        MoveScorerEvaluator(MoveScorerConfig(hidden=(8,)).make_net())


def test_answers_that_are_not_finite_end_a_search() -> None:
    net = q_net((8,), False)
    weights = {name: np.full_like(array, 3e38) for name, array in net.arrays().items()}
    search = core.TreeSearch()
    search.set(0, Board())
    search.start(np.zeros(1, np.int64), 10, noise=False, seeds=np.zeros(1, np.uint64))
    with pytest.raises(ValueError, match="not finite"):
        search.run(
            core.QNet(weights, hidden=(8,), dueling=False, **SHAPE),
            most=8,
            enough=8,
        )
    search.set(0, Board())  # and the search can be used again
    assert search.gather(1) == 1
