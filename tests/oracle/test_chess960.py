"""Chess960 against python-chess: start positions, node counts, and random games."""

import random

import chess
import numpy as np
import pytest

from oracle.positions import CHESS960_FENS, SHARDS, random_games, wanted_positions
from oracle.test_rules import check_position, follow
from selfmate.encodings import ACTION_ENCODINGS, encode, legal_actions
from selfmate.encodings.records import encode_records, legal_of, planes_of, tokens_of
from selfmate.rules import CHESS960_STARTS, Board, chess960_fen
from selfmate_benchmarks.peers.rules import perft

POSITIONS = wanted_positions(in_ci=20_000)
PERFT_STARTS = range(0, CHESS960_STARTS, 1 if POSITIONS >= 100_000 else 32)  # 960 or 30
PERFT_DEPTH = 4


def test_the_starts_are_those_of_python_chess() -> None:
    oracle = [chess.Board.from_chess960_pos(number).shredder_fen() for number in range(960)]
    assert [chess960_fen(number) for number in range(CHESS960_STARTS)] == oracle


@pytest.mark.parametrize("shard", range(SHARDS))
def test_starts_have_the_oracles_perft(shard: int) -> None:
    for number in PERFT_STARTS[shard::SHARDS]:
        oracle = perft(chess.Board.from_chess960_pos(number), PERFT_DEPTH)
        assert Board(chess960_fen(number)).perft(PERFT_DEPTH) == oracle, f"start {number}"


@pytest.mark.parametrize("fen", CHESS960_FENS)
def test_edge_positions_have_the_oracles_perft(fen: str) -> None:
    assert Board(fen).perft(3) == perft(chess.Board(fen, chess960=True), 3)


@pytest.mark.parametrize("shard", range(SHARDS))
def test_random_games_agree_with_python_chess(shard: int) -> None:
    board, stack = Board(), list[chess.Move]()
    rng = random.Random(shard)
    for oracle in random_games(shard, POSITIONS // SHARDS, chess960=True):
        board = follow(board, oracle, stack)
        stack = list(oracle.move_stack)
        check_position(board, oracle, rng)
        check_way_back(board)
        if rng.randrange(10) == 0:
            check_position_record(board)


def test_the_walk_castles_on_both_sides() -> None:
    sides = [0, 0]
    for oracle in random_games(1, 5_000, chess960=True):
        for move in oracle.generate_castling_moves():
            sides[oracle.is_kingside_castling(move)] += 1
    assert min(sides) > 50


def check_way_back(board: Board) -> None:
    if not board.moves:
        return
    expected = (board.fen(), board.hash, board.legal_moves())
    move = board.pop()
    board.push(move)
    assert (board.fen(), board.hash, board.legal_moves()) == expected


def check_position_record(board: Board) -> None:
    records = encode_records([board])
    np.testing.assert_array_equal(planes_of(records), encode("planes96", [board]))
    np.testing.assert_array_equal(tokens_of(records), encode("tokens78", [board]))
    for name in ACTION_ENCODINGS:
        np.testing.assert_array_equal(
            legal_of(name, records).values, legal_actions(name, [board])[0]
        )
