"""The rule book against python-chess, move for move, over seeded random games."""

import random

import chess
import numpy as np
import pytest

import selfmate._core as core
from oracle.positions import EDGE_FENS, SHARDS, fen_of, random_games, wanted_positions
from selfmate import Board
from selfmate.rules import uci_text
from selfmate.rules.perft import PERFT_POSITIONS
from selfmate.searches.endings import DRAW, MATE, NO_ENDING, move_endings
from selfmate_benchmarks.peers.rules import is_over, perft

MOVE_ENDINGS_POSITIONS = 2_000
POSITIONS = wanted_positions(in_ci=100_000)
EVERY_SAN_ONE_IN = 40  # positions where every legal move is written and read as SAN


def follow(board: Board, oracle: chess.Board, stack: list[chess.Move]) -> Board:
    """Our board at the oracle's position: one push, or a new start."""
    if not oracle.move_stack:
        return Board(fen_of(oracle))
    assert len(oracle.move_stack) == len(stack) + 1
    board.push(oracle.move_stack[-1].uci())
    return board


def expected_outcome(oracle: chess.Board) -> tuple[str | None, str] | None:
    if oracle.is_checkmate():
        return ("black" if oracle.turn else "white", "checkmate")
    if oracle.is_insufficient_material():
        return (None, "insufficient_material")
    if not any(oracle.legal_moves):
        return (None, "stalemate")
    if oracle.halfmove_clock >= 100:
        return (None, "fifty_moves")
    if oracle.is_repetition(3):
        return (None, "threefold_repetition")
    return None


def check_san(board: Board, oracle: chess.Board, move: chess.Move) -> None:
    san = oracle.san(move)
    assert board.san(move.uci()) == san
    assert board.parse_san(san) == move.uci()
    assert oracle.parse_san(board.san(move.uci())) == move


def check_position(board: Board, oracle: chess.Board, rng: random.Random) -> None:
    legal = list(oracle.legal_moves)
    assert sorted(board.legal_moves()) == sorted(move.uci() for move in legal)
    assert board.fen() == fen_of(oracle)
    assert board.turn == ("white" if oracle.turn else "black")
    assert board.is_check() == oracle.is_check()
    outcome = board.outcome()
    assert (outcome and (outcome.winner, outcome.reason)) == expected_outcome(oracle)
    assert board.hash == Board(board.fen()).hash
    if rng.randrange(EVERY_SAN_ONE_IN) == 0:
        for move in legal:
            check_san(board, oracle, move)
    elif legal:
        check_san(board, oracle, rng.choice(legal))


@pytest.mark.parametrize("shard", range(SHARDS))
def test_random_games_agree_with_python_chess(shard: int) -> None:
    board, stack = Board(), list[chess.Move]()
    rng = random.Random(shard)
    for oracle in random_games(shard, POSITIONS // SHARDS):
        board = follow(board, oracle, stack)
        stack = list(oracle.move_stack)
        check_position(board, oracle, rng)


def test_what_every_move_ends_agrees_with_python_chess() -> None:
    board, stack, boards = Board(), list[chess.Move](), list[Board]()
    expected, reasons = list[int](), set[str]()
    for oracle in random_games(4, MOVE_ENDINGS_POSITIONS):
        board = follow(board, oracle, stack)
        stack = list(oracle.move_stack)
        boards.append(board.copy())
        for move in board.legal_moves():
            oracle.push_uci(move)
            winner, reason = expected_outcome(oracle) or (None, "")
            oracle.pop()
            expected.append(MATE if winner else DRAW if reason else NO_ENDING)
            reasons.add(reason)
    known = move_endings(boards)
    played = [move for board in boards for move in board.legal_moves()]
    assert list(map(uci_text, known.moves.values.tolist())) == played
    assert known.endings.tolist() == expected
    assert len(reasons) == 6, "every kind of ending, and none"
    one, three = (core.move_endings(boards, threads) for threads in (1, 3))
    for ours, with_threads in zip(one, three, strict=True):
        np.testing.assert_array_equal(ours, with_threads)


def test_taking_back_restores_every_position() -> None:
    board, seen = Board(), list[tuple[str, int, list[str]]]()
    rng = random.Random(3)
    while board.outcome() is None:
        seen.append((board.fen(), board.hash, board.legal_moves()))
        board.push(rng.choice(board.legal_moves()))
    for before in reversed(seen):
        board.pop()
        assert (board.fen(), board.hash, board.legal_moves()) == before


@pytest.mark.parametrize("fen", EDGE_FENS)
def test_edge_positions_have_the_oracles_perft(fen: str) -> None:
    depth = 2 if chess.Board(fen).legal_moves.count() > 40 else 3
    assert Board(fen).perft(depth) == perft(chess.Board(fen), depth)


@pytest.mark.parametrize("position", PERFT_POSITIONS, ids=lambda position: position.name)
def test_no_other_text_is_a_legal_move(position: tuple[str, str, tuple[int, ...]]) -> None:
    """Every one of the 20,480 shapes of a UCI move is legal exactly when the list has it."""
    board = Board(position[1])
    accepted = []
    for start in chess.SQUARE_NAMES:
        for end in chess.SQUARE_NAMES:
            for promotion in ("", "n", "b", "r", "q"):
                try:
                    board.san(start + end + promotion)
                except ValueError:
                    continue
                accepted.append(start + end + promotion)
    assert sorted(accepted) == sorted(board.legal_moves())


def test_the_walk_reaches_every_kind_of_ending() -> None:
    endings = set()
    for oracle in random_games(1, 20_000):
        if is_over(oracle):
            ending = expected_outcome(oracle)
            assert ending is not None
            endings.add(ending[1])
    assert endings == {
        "checkmate",
        "stalemate",
        "insufficient_material",
        "fifty_moves",
        "threefold_repetition",
    }
