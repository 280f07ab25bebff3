"""Labelled games against the rules and the teacher, position by position."""

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import selfmate._core as core
from selfmate.encodings import is_black_to_move
from selfmate.encodings.features import encode_packed, flipped_actions, flipped_legal_actions
from selfmate.nets.config import QNetConfig
from selfmate.nets.evaluator import QNetEvaluator
from selfmate.rules import Board, Ragged
from selfmate.searches.teacher import score_moves

PROMOTIONS = "8/3P3k/8/8/8/8/3p3K/8 w - - 0 1"
TEACHER, NET, RANDOM = 0, 1, 2
Labelled = tuple[NDArray[np.uint8], NDArray[np.int32], Ragged, NDArray[np.int16], NDArray[np.int8]]


def made_net() -> QNetEvaluator:
    torch.manual_seed(1)
    return QNetEvaluator(QNetConfig(hidden=(8,)).make_net())


def play(
    starts: list[Board],
    movers: list[list[int]],
    *,
    max_plies: int = 40,
    max_positions: int = 10**6,
    seed: int = 1,
) -> Labelled:
    packed, games, actions, scores, offsets, results = core.play_labelled_games(
        starts,
        np.arange(seed, seed + len(starts), dtype=np.uint64),
        np.array(movers, np.uint8),
        made_net(),
        depth=1,
        top_k=3,
        tau=1.0,
        net_tau=1.0,
        max_plies=max_plies,
        max_positions=max_positions,
    )
    return packed, games, Ragged(actions.astype(np.int32), offsets), scores, results


def next_board(board: Board, packed: NDArray[np.uint8]) -> Board:
    """The board after the move that leads to this position."""
    for move in board.legal_moves():
        after = board.copy()
        after.push(move)
        if np.array_equal(encode_packed([after])[0], packed):
            return after
    raise AssertionError("no legal move leads to the next position")


def boards_of(start: Board, packed: NDArray[np.uint8]) -> list[Board]:
    """The positions of a game, found again move by move."""
    boards = [start.copy()]
    assert np.array_equal(encode_packed(boards)[0], packed[0])
    for row in packed[1:]:
        boards.append(next_board(boards[-1], row))
    return boards


@pytest.mark.parametrize(
    ("fen", "movers"),
    [
        (Board().fen(), [TEACHER, TEACHER]),
        (Board().fen(), [NET, RANDOM]),
        (PROMOTIONS, [RANDOM, TEACHER]),
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", [TEACHER, RANDOM]),
    ],
)
def test_positions_actions_and_scores_are_right(fen: str, movers: list[int]) -> None:
    packed, _, legal, scores, _ = play([Board(fen)], [movers])
    boards = boards_of(Board(fen), packed)
    black = is_black_to_move(boards)
    wanted_legal = flipped_legal_actions(boards, black)
    assert legal.offsets.tolist() == wanted_legal.offsets.tolist()
    assert legal.values.tolist() == wanted_legal.values.tolist()
    taught = score_moves(boards, depth=1)
    for row in range(len(boards)):
        of_row = slice(*taught.offsets[row : row + 2])
        codes = taught.moves[of_row].astype(np.int64)
        actions = flipped_actions(
            codes % 64 * 64 + codes // 64 % 64, black[[row]].repeat(len(codes))
        )
        best = dict[int, int]()
        for action, score in zip(actions.tolist(), taught.centipawns[of_row].tolist(), strict=True):
            best[action] = max(best.get(action, score), score)
        of_row = slice(*legal.offsets[row : row + 2])
        found = dict(zip(legal.values[of_row].tolist(), scores[of_row].tolist(), strict=True))
        assert found == best


def test_a_game_does_not_depend_on_the_others() -> None:
    starts, movers = [Board() for _ in range(4)], [[TEACHER, TEACHER], [NET, NET]] * 2
    packed, games, legal, scores, results = play(starts, movers)
    again = play(starts, movers)
    assert packed.tolist() == again[0].tolist()
    assert scores.tolist() == again[3].tolist()
    first = play(starts[:1], movers[:1])
    assert packed[games == 0].tolist() == first[0].tolist()
    assert len(results) == 4
    assert legal.offsets[-1] == len(scores)
    other_seed = play(starts, movers, seed=9)
    assert len(other_seed[0]) != len(packed) or other_seed[0].tolist() != packed.tolist()


def test_as_many_positions_as_asked_for() -> None:
    starts, movers = [Board() for _ in range(20)], [[TEACHER, TEACHER]] * 20
    packed, games, legal, scores, results = play(starts, movers, max_positions=100)
    assert len(packed) == len(games) == len(legal) == 100
    assert len(legal.values) == len(scores)
    assert len(results) == games[-1] + 1 < 20


def test_results_are_those_of_the_games() -> None:
    mate_in_one = Board("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
    packed, _, _, _, results = core_results([mate_in_one, Board()])
    assert results.tolist() == [1, 0]
    assert len(packed) == 1 + 6


def core_results(starts: list[Board]) -> Labelled:
    """The teacher plays its best move alone, for at most six plies."""
    packed, games, actions, scores, offsets, results = core.play_labelled_games(
        starts,
        np.zeros(len(starts), np.uint64),
        np.zeros((len(starts), 2), np.uint8),
        depth=1,
        top_k=1,
        tau=1.0,
        net_tau=1.0,
        max_plies=6,
        max_positions=100,
    )
    return packed, games, Ragged(actions.astype(np.int32), offsets), scores, results


def test_a_net_is_needed_where_a_net_moves() -> None:
    with pytest.raises(ValueError, match="there is no net to move"):
        core.play_labelled_games(
            [Board()], np.zeros(1, np.uint64), np.ones((1, 2), np.uint8),
            depth=1, top_k=1, tau=1.0, net_tau=1.0, max_plies=6, max_positions=100,
        )  # fmt: skip
