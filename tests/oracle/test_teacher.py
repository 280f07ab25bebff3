"""The teacher against the one written with python-chess, and what it must know."""

import random
from itertools import islice

import chess
import numpy as np
import pytest

from oracle.positions import CHESS960_FENS, STARTS, random_games
from oracle.seeded_walks import walks
from selfmate._core import TeacherSearch, teacher_scores
from selfmate.rules import Board, GameBatch, uci_text
from selfmate.searches.teacher import best_moves, mate_in, score_moves, values_side_to_move
from selfmate_benchmarks.peers.teacher import evaluate, scores

ENDGAMES = (
    "8/8/8/3k4/8/8/8/KR6 w - - 0 1",
    "8/8/8/3k4/8/1p6/8/K7 b - - 0 1",
    "8/5k2/8/8/2N5/8/p7/K7 b - - 0 1",
    "4k3/1P6/8/8/8/8/6n1/4K3 w - - 0 1",
    "8/8/8/8/8/k1p5/2B5/K7 w - - 95 90",
    "7k/5Q2/8/8/8/8/8/K7 w - - 97 200",
    "8/8/1b6/3k4/8/8/4K1N1/8 w - - 0 1",
    "8/P6k/8/8/8/8/7p/K7 w - - 98 90",
)


def ours(board: Board, depth: int) -> dict[str, int]:
    centipawns = score_moves([board], depth=depth).centipawns
    return dict(zip(board.legal_moves(), centipawns.tolist(), strict=True))


def theirs(board: Board, depth: int) -> dict[str, int]:
    return scores(as_python_chess(board), depth)


def as_python_chess(board: Board) -> chess.Board:
    """With its whole history."""
    start = board.copy()
    while start.moves:
        start.pop()
    copy = chess.Board(start.fen(), chess960=start.chess960)
    for move in board.moves:
        copy.push_uci(move)
    return copy


def assert_equal_scores(board: Board, depth: int) -> None:
    assert ours(board, depth) == theirs(board, depth), (depth, board.fen(), board.moves)


def sampled(seed: int, count: int, every: int) -> list[Board]:
    """Boards from random games that often go back and on past draws, histories included."""
    games = (board for game in walks(seed, count * every) for board in game)
    return [board.copy() for board in islice(games, 0, count * every, every)]


@pytest.mark.parametrize(("depth", "count", "every"), [(1, 400, 7), (2, 200, 23), (3, 24, 61)])
def test_scores_are_those_of_the_python_teacher(depth: int, count: int, every: int) -> None:
    for board in sampled(depth, count, every):
        assert_equal_scores(board, depth)


def one_ply_later(score: int) -> int:
    """A child's best score as its parent sees it."""
    return -score + (np.sign(score) if mate_in(score) is not None else 0)


@pytest.mark.parametrize(("depth", "count"), [(2, 600), (3, 20)])
def test_a_ply_more_is_the_best_of_the_replies(depth: int, count: int) -> None:
    for board in sampled(21, count, 17):
        for move, score in ours(board, depth).items():
            board.push(move, past_draw=True)
            if board.outcome() is None:
                assert score == one_ply_later(max(ours(board, depth - 1).values())), board.fen()
            board.pop()


@pytest.mark.parametrize("fen", CHESS960_FENS)
def test_scores_in_chess960(fen: str) -> None:
    assert_equal_scores(Board(fen), 2)


@pytest.mark.parametrize("fen", ENDGAMES)
@pytest.mark.parametrize("depth", [2, 3])
def test_scores_in_endgames(fen: str, depth: int) -> None:
    assert_equal_scores(Board(fen), depth)


def test_deep_scores_where_repetition_reaches_into_the_search() -> None:
    board = Board("7k/8/8/8/8/8/p7/K6B w - - 0 1")
    for move in ("h1g2", "h8h7", "g2h1", "h7h8"):
        board.push(move)
    assert_equal_scores(board, 5)


@pytest.mark.parametrize("clock", range(95, 101))
def test_scores_near_fifty_moves(clock: int) -> None:
    for placing in ("6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - -", "8/8/8/8/2k5/8/1r6/K7 w - -"):
        assert_equal_scores(Board(f"{placing} {clock} 90"), 3)


def test_scores_near_threefold_repetition() -> None:
    board = Board("3qk3/8/8/8/8/8/8/3QK2R w K - 0 1")
    for move in ("e1f1", "e8f8", "f1e1", "f8e8", "e1f1", "e8f8", "f1e1"):
        board.push(move)
        assert_equal_scores(board, 2)
    assert ours(board, 2)["f8e8"] != 0  # the first time the king stood there it could castle
    board.push("f8e8")
    board.push("e1f1")
    assert ours(board, 1)["e8f8"] == 0


def test_evaluation_is_symmetric_under_colour_flip() -> None:
    for board in islice(random_games(11, 2000), 0, None, 4):
        assert evaluate(board) == evaluate(board.mirror())
        flipped = Board(board.mirror().fen())
        assert sorted(ours(Board(board.fen()), 1).values()) == sorted(ours(flipped, 1).values())


def test_mates_count_their_plies() -> None:
    back_rank = Board("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1")
    for depth in (1, 2, 3):
        assert ours(back_rank, depth)["a1a8"] == 9999
    ladder = Board("7k/8/R7/1R6/8/8/8/K7 w - - 0 1")
    assert max(ours(ladder, 3).values()) == 9997
    assert min(ours(Board("7k/R7/1R6/8/8/8/8/K7 b - - 0 1"), 2).values()) == -9998


def test_the_quicker_mate_is_better() -> None:
    board = Board("7k/R7/8/1R6/8/8/8/K7 w - - 0 1")
    found = ours(board, 3)
    assert max(found, key=lambda move: found[move]) == "b5b8"
    assert sorted(set(found.values()))[-2:] == [9997, 9999]


def test_mate_goes_before_fifty_moves() -> None:
    assert ours(Board("6k1/5ppp/8/8/8/8/8/R5K1 w - - 99 80"), 1)["a1a8"] == 9999


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_stalemate_is_no_win(depth: int) -> None:
    found = ours(Board("7k/8/8/6Q1/8/8/8/K7 w - - 0 1"), depth)
    assert found["g5g6"] == 0
    assert max(found.values()) > 500


def test_taking_may_stalemate() -> None:
    assert ours(Board("k7/2Q5/8/8/8/8/r7/K7 w - - 0 1"), 1)["a1a2"] == 0


@pytest.mark.parametrize("depth", [1, 2])
def test_threads_and_batches_change_nothing(depth: int) -> None:
    boards = [Board(fen) for fen in STARTS] * 3
    together = score_moves(boards, depth=depth)
    threaded = score_moves(boards, depth=depth, threads=3)
    assert (together.centipawns == threaded.centipawns).all()
    alone = [score_moves([board], depth=depth).centipawns for board in boards]
    assert (np.concatenate(alone) == together.centipawns).all()


def test_a_batch_and_its_boards_agree() -> None:
    batch = GameBatch(64, seed=2)
    for _ in range(40):
        batch.step(batch.random_moves())
    boards = [batch.board(slot) for slot in range(64)]
    from_batch, from_boards = score_moves(batch, threads=2), score_moves(boards)
    moves, offsets = batch.legal()
    assert (from_batch.moves == moves).all()
    assert (from_batch.offsets == offsets).all()
    assert (from_batch.centipawns == from_boards.centipawns).all()


def test_a_stoppable_search_says_the_same_and_its_lines_are_legal() -> None:
    for board in sampled(8, 40, 37):
        rows = TeacherSearch().scores(board, 3)
        assert rows is not None
        assert [score for _, score, _ in rows] == list(ours(board, 3).values())
        for move, _, line in rows:
            assert line[0] == uci_text(move)
            follow(board.copy(), line)


def follow(board: Board, line: tuple[str, ...]) -> None:
    for move in line:
        board.push(move, past_draw=True)


def test_a_stopped_search_answers_nothing() -> None:
    search = TeacherSearch()
    assert search.scores(Board(), 4, 100) is None
    assert search.nodes == 100
    search.stop()
    assert search.scores(Board(), 1) is None


@pytest.mark.parametrize("fen", ["8/8/8/3k4/8/8/8/KQ6 w - - 0 1", "8/8/8/3k4/8/8/8/KR6 w - - 0 1"])
def test_won_endings_are_won(fen: str) -> None:
    batch = GameBatch(16, starts=[fen], seed=1)
    seeds, results = np.random.default_rng(1), list[int]()
    while len(results) < 16:
        best = best_moves(score_moves(batch), seeds.integers(0, 2**64, 16, np.uint64))
        moves = np.where(batch.white_to_move, best, batch.random_moves())
        results += batch.step(moves)[1].results.tolist()
    assert set(results) == {1}


def test_values_are_bounded_and_for_the_side_to_move() -> None:
    fens = ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "6k1/5ppp/8/8/8/8/8/R5K1 b - - 0 1")
    values = values_side_to_move(score_moves([Board(fen) for fen in fens]))
    assert values[0] == pytest.approx(1)
    assert -1 <= values[1] < 0
    assert score_moves([Board(fens[0])], depth=1).pawns.max() == pytest.approx(99.99)


@pytest.mark.parametrize(
    ("centipawns", "moves"), [(9999, 1), (9997, 2), (-9998, -1), (-9996, -2), (9000, None)]
)
def test_mate_in(centipawns: int, moves: int | None) -> None:
    assert mate_in(centipawns) == moves


def test_more_queens_than_a_mate_is_worth() -> None:
    board = Board("QQQQQQ2/QQQQQQ2/8/K7/8/8/6pp/7k w - - 0 1")
    found = ours(board, 1)
    assert found == theirs(board, 1)
    assert all(score < 9500 for score in found.values() if mate_in(score) is None)


@pytest.mark.parametrize("depth", [0, 7, -1])
def test_a_wrong_depth_is_refused(depth: int) -> None:
    with pytest.raises(ValueError, match=rf"depth {depth} is not in 1\.\.6"):
        teacher_scores([Board()], depth)
    with pytest.raises(ValueError, match=rf"depth {depth} is not in 1\.\.6"):
        TeacherSearch().scores(Board(), depth)


def test_finished_games_have_no_rows() -> None:
    mated = Board("7k/8/8/8/8/8/8/K7 w - - 0 1")
    checkmate = Board("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1")
    found = score_moves([checkmate, mated])
    assert found.offsets.tolist() == [0, 0, 3]
    rng = random.Random(1)
    assert score_moves([], depth=rng.randint(1, 6)).offsets.tolist() == [0]
