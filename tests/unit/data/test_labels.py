"""Labels against softmax and sorting by hand, one position at a time."""

import math
from collections import Counter

import numpy as np
import pytest

from selfmate.data.ndjson import label
from selfmate.rules import Board, derive_seeds, uci_text
from selfmate.searches.teacher import MoveScores, score_moves
from selfmate.searches.teacher import values_side_to_move as value_of

MATE_OR_NOT = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"
ONE_MOVE = "7k/8/8/8/8/8/6q1/7K w - - 0 1"
PROMOTIONS = "8/P6k/8/8/8/8/8/K7 w - - 0 1"
FENS = (Board().fen(), MATE_OR_NOT, ONE_MOVE, PROMOTIONS)


def scores_of(centipawns: list[int]) -> MoveScores:
    moves = np.arange(len(centipawns), dtype=np.uint16)
    return MoveScores(moves, np.array(centipawns, np.int32), np.array([0, len(moves)]))


def test_probabilities_are_softmax_over_the_best_by_hand() -> None:
    labels = label(scores_of([0, 100, -50, 100, 40]), 3, np.array([0.5]))
    assert labels.moves.tolist() == [[1, 3, 4]]
    weights = [1, 1, math.exp(-0.6 / 0.5)]
    assert labels.probs[0] == pytest.approx([weight / sum(weights) for weight in weights])
    assert labels.values_side_to_move[0] == pytest.approx(math.tanh(1 / 4))


def test_a_quicker_mate_comes_first_and_takes_all() -> None:
    labels = label(scores_of([9997, 9999, 900]), 2, np.array([1.0]))
    assert labels.moves.tolist() == [[1, 0]]
    assert labels.probs[0] == pytest.approx([1 / (1 + math.exp(-0.02)), 1 / (1 + math.exp(0.02))])
    assert label(scores_of([9999, 900]), 2, np.array([1.0])).probs[0, 1] < 1e-30


@pytest.mark.parametrize("top_k", [1, 4, 218])
def test_many_positions_together_are_labelled_as_one_by_one(top_k: int) -> None:
    boards = [Board(fen) for fen in FENS]
    taus = np.array([0.5, 1.0, 1.5, 2.0])
    together = label(score_moves(boards, depth=2), top_k, taus)
    for row, board in enumerate(boards):
        scores = score_moves([board], depth=2)
        order = sorted(range(len(scores.moves)), key=lambda i: -scores.centipawns[i])[:top_k]
        assert together.counts[row] == len(order)
        assert together.moves[row, : len(order)].tolist() == scores.moves[order].tolist()
        weights = np.exp((scores.pawns[order] - scores.pawns.max()) / taus[row])
        assert together.probs[row, : len(order)] == pytest.approx(weights / weights.sum(), abs=1e-6)
        assert not together.probs[row, len(order) :].any()
        assert together.values_side_to_move[row] == value_of(scores)[0]


def test_moves_are_sampled_as_often_as_their_probability_says() -> None:
    rolls = 4000
    scores = score_moves([Board()] * rolls, depth=1)
    labels = label(scores, 4, np.full(rolls, 0.3))
    seeds = derive_seeds(1, np.arange(rolls), np.zeros(rolls, np.int64))
    counts = Counter(labels.sample(seeds).tolist())
    for move, prob in zip(labels.moves[0], labels.probs[0], strict=True):
        error = math.sqrt(rolls * prob * (1 - prob))
        assert abs(counts.pop(int(move)) - rolls * prob) < 4 * error
    assert not counts


def test_extreme_dice_give_moves_that_are_there() -> None:
    labels = label(score_moves([Board(ONE_MOVE), Board()], depth=1), 5, np.ones(2))
    for number in (0, 2**64 - 1):
        moves = labels.sample(np.array([number, number], np.uint64))
        assert uci_text(int(moves[0])) == "h1g2"
        assert uci_text(int(moves[1])) in Board().legal_moves()
