"""Puzzles mined from games, with engines whose scores the tests write down."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from selfmate.arena.mining import Miner, only_moves, positions_of, winning_chances
from selfmate.arena.puzzles import Puzzle
from selfmate.players.player import Scoring
from selfmate.rules import Board, uci_code
from selfmate.searches.teacher import MoveScores
from unit.arena.scripted import Scripted

# The knight gives up the back rank.
START = "6k1/5ppp/2n5/8/8/8/5PPP/R5K1 b - - 0 1"
BLUNDER, MATE = "c6b4", "a1a8"
Scores = Mapping[str, int]  # by UCI move


def move_scores(boards: Sequence[Scores]) -> MoveScores:
    return MoveScores(
        moves=np.array([uci_code(move) for scores in boards for move in scores], np.uint16),
        centipawns=np.array([cp for scores in boards for cp in scores.values()], np.int32),
        offsets=np.cumsum([0, *map(len, boards)], dtype=np.int64),
    )


def scoring(by_fen: Mapping[str, Scores], default: Scores) -> Scoring:
    def score(boards: Sequence[Board]) -> MoveScores:
        return move_scores([by_fen.get(board.fen().split()[0], default) for board in boards])

    return Scoring(name="engine", score=score, parallel_games=8, close=lambda: None)


def player(move: str) -> Scripted:
    return Scripted("p", lambda board, seeds: move)


def after_blunder() -> str:
    board = Board(START)
    board.push(BLUNDER)
    return board.fen().split()[0]


def mined(beginner: str, rater: str) -> list[Puzzle]:
    engine = scoring({after_blunder(): {MATE: 9999, "a1a2": -100}}, {"g8f8": 0, "g8h8": 0})
    miner = Miner(engine, engine, player(beginner), {700: player(rater)})
    positions = list(positions_of(Board(START), [BLUNDER, "a1a2"]))
    assert len(positions) == 2
    return miner.puzzles(positions, seed=1)


def test_the_only_good_move_after_a_blunder_is_a_puzzle() -> None:
    (puzzle,) = mined(beginner="g1f1", rater=MATE)
    assert puzzle.fen == START
    assert puzzle.moves == (BLUNDER, MATE)
    assert puzzle.rating == 700
    assert puzzle.themes == ("mate", "mateIn1", "oneMove", "endgame")


def test_a_puzzle_that_no_rater_solves_is_rated_above_them() -> None:
    (puzzle,) = mined(beginner="g1f1", rater="g1f1")
    assert puzzle.rating == 900


def test_what_a_beginner_solves_is_no_puzzle() -> None:
    assert mined(beginner=MATE, rater=MATE) == []


@pytest.mark.parametrize(
    ("scores", "is_only"),
    [
        ({"e2e4": 300, "d2d4": 0}, True),
        ({"e2e4": 900, "d2d4": 500}, False),  # both win
        ({"e2e4": -100, "d2d4": -900}, False),  # the better one loses, too
        ({"e2e4": 20, "d2d4": -500}, True),  # it saves the game
        ({"e2e4": 300}, False),  # there is no choice
    ],
)
def test_only_moves_are_judged_by_winning_chances(scores: Scores, is_only: bool) -> None:
    (found,) = only_moves(move_scores([scores]))
    assert (found is not None) == is_only
    assert found is None or found.move == "e2e4"


def test_the_order_of_scored_moves_does_not_matter() -> None:
    first, second = only_moves(move_scores([{"d2d4": 0, "e2e4": 300}, {"e2e4": 300, "d2d4": 0}]))
    assert first == second


def test_winning_chances_are_odd_and_bounded() -> None:
    scores = np.array([-10_000, -100, 0, 100, 10_000], np.int32)
    chances = winning_chances(scores)
    assert chances.tolist() == (-chances[::-1]).tolist()
    assert chances[3] == pytest.approx(0.183, abs=1e-3)  # (1 + 0.183) / 2 = 59 % of the points


def test_positions_without_a_choice_are_left_out() -> None:
    forced = Board("7k/8/8/8/8/8/r7/1r4K1 w - - 0 1")  # no legal move: mate
    assert list(positions_of(forced, [])) == []
    lone = Board("k7/8/1K6/8/8/8/8/7Q b - - 0 1")
    (only,) = lone.legal_moves()
    found = list(positions_of(lone, [only]))
    assert [position.move for position in found] == [only]
