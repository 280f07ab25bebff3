"""The teacher's speed: positions labelled at depth 2, beside the same search in python-chess."""

from functools import partial

import chess
import numpy as np

from selfmate.rules import Board, GameBatch
from selfmate.searches.teacher import MoveScores, best_moves, score_moves
from selfmate_benchmarks import Results, best_rates, ratio
from selfmate_benchmarks.peers.teacher import scores

ROUNDS = 5
DEPTH = 2
POSITIONS = 1024
PYTHON_POSITIONS = 4  # per go of the peer


def middlegames(count: int = POSITIONS) -> list[Board]:
    """Positions after six random plies and eighteen of the teacher's, the same every time."""
    batch = GameBatch(count, seed=1)
    rng = np.random.default_rng(1)
    for _ in range(6):
        batch.step(batch.random_moves())
    for _ in range(18):
        numbers = rng.integers(0, 2**64, count, np.uint64)
        batch.step(best_moves(score_moves(batch, depth=1), numbers))
    return [batch.board(slot) for slot in range(count)]


def label(boards: list[Board], depth: int = DEPTH, threads: int = 1) -> float:
    score_moves(boards, depth=depth, threads=threads)
    return len(boards)


def label_in_python(boards: list[Board], ours: MoveScores) -> float:
    """Labels a few boards, and checks that both teachers agree."""
    for number, board in enumerate(boards):
        theirs = scores(chess.Board(board.fen()), DEPTH)
        rows = slice(ours.offsets[number], ours.offsets[number + 1])
        if theirs != dict(zip(board.legal_moves(), ours.centipawns[rows].tolist(), strict=True)):
            raise RuntimeError(f"the two teachers disagree on {board.fen()}")
    return len(boards)


def run(rounds: int = ROUNDS) -> Results:
    """All contestants in one run."""
    boards = middlegames()
    few = [Board(board.fen()) for board in boards[:PYTHON_POSITIONS]]
    rates = best_rates(
        {
            "label": partial(label, boards),
            "label_python_chess": partial(label_in_python, few, score_moves(few, depth=DEPTH)),
            "label_two_threads": partial(label, boards, threads=2),
            "label_depth_1": partial(label, boards, depth=1),
            "label_depth_3": partial(label, boards[:64], depth=3),
        },
        rounds,
    )
    results: Results = {
        "teacher_x_vs_python_chess": ratio(rates["label"], rates["label_python_chess"]),
        "teacher_two_threads_x_vs_one": ratio(rates["label_two_threads"], rates["label"]),
    }
    for name, rate in rates.items():
        results[f"{name}_positions_per_s"] = rate
    return results
