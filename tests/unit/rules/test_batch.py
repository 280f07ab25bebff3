"""Batches of games: stepped together, restarted in place, and the same as single boards."""

import random
import re
import subprocess
import sys

import numpy as np
import pytest

from selfmate import REASONS, Board, GameBatch, GameRecords, random_games
from selfmate.rules import chess960_fen

STALEMATE_NEXT = "7k/8/5KQ1/8/8/8/8/8 w - - 0 1"


def code(uci: str) -> int:
    square = {
        f + r: "12345678".index(r) * 8 + "abcdefgh".index(f) for f in "abcdefgh" for r in "12345678"
    }
    promotion = " nbrq".index(uci[4]) if len(uci) == 5 else 0
    return square[uci[:2]] | square[uci[2:4]] << 6 | promotion << 12


def codes(*ucis: str) -> "np.ndarray[tuple[int], np.dtype[np.uint16]]":
    return np.array([code(uci) for uci in ucis], np.uint16)


def replay(games: GameRecords, index: int) -> Board:
    board = Board(games.start_fen(index))
    for san in games.san(index):
        board.push(board.parse_san(san))
    return board


def assert_same(a: GameRecords, b: GameRecords) -> None:
    for name in ("moves", "offsets", "results", "reasons"):
        assert np.array_equal(getattr(a, name), getattr(b, name)), name


def test_legal_lists_are_those_of_single_boards() -> None:
    batch = GameBatch(40, seed=3)
    for _ in range(60):
        moves, offsets = batch.legal()
        assert moves.dtype == np.uint16
        assert offsets.dtype == np.int64
        for slot, fen in enumerate(batch.fens()):
            expected = {code(uci) for uci in Board(fen).legal_moves()}
            assert set(moves[offsets[slot] : offsets[slot + 1]].tolist()) == expected
        batch.step(batch.random_moves())


def test_finished_games_are_handed_out_and_restarted() -> None:
    batch = GameBatch(64, seed=5)
    finished = 0
    while finished < 100:
        before = [batch.board(slot).moves for slot in range(len(batch))]
        moves = batch.random_moves()
        slots, games = batch.step(moves)
        assert len(slots) == len(games)
        for i, slot in enumerate(slots):
            board = replay(games, i)
            outcome = board.outcome()
            assert outcome is not None
            assert REASONS[games.reasons[i]] == outcome.reason
            assert games.results[i] == {"white": 1, None: 0, "black": -1}[outcome.winner]
            assert board.moves[:-1] == before[slot]
            assert code(board.moves[-1]) == moves[slot]
            assert batch.fens()[slot] == Board().fen()
            assert batch.plies[slot] == 0
        finished += len(slots)


def test_state_arrays_tell_side_and_plies() -> None:
    batch = GameBatch(3, starts=["4k3/8/8/8/8/8/4P3/4K3 b - - 0 1", Board().fen()])
    assert batch.white_to_move.tolist() == [False, True, False]
    batch.step(codes("e8e7", "e2e4", "e8d8"))
    assert batch.white_to_move.tolist() == [True, False, True]
    assert batch.plies.tolist() == [1, 1, 1]


def test_games_take_their_starts_in_turn() -> None:
    starts = [STALEMATE_NEXT, Board().fen()]
    batch = GameBatch(1, starts=starts)
    slots, games = batch.step(codes("g6f7"))
    assert slots.tolist() == [0]
    assert REASONS[games.reasons[0]] == "stalemate"
    assert games.start_fen(0) == STALEMATE_NEXT
    assert batch.fens() == [Board().fen()]


def test_the_ply_limit_is_its_own_reason() -> None:
    batch = GameBatch(2, max_plies=2)
    batch.step(codes("e2e4", "f2f3"))
    slots, games = batch.step(codes("e7e5", "e7e5"))
    assert slots.tolist() == [0, 1]
    assert [REASONS[r] for r in games.reasons] == ["ply_limit", "ply_limit"]
    assert games.results.tolist() == [0, 0]


def test_mate_on_the_last_allowed_ply_is_mate() -> None:
    batch = GameBatch(1, max_plies=4)
    for uci in ("f2f3", "e7e5", "g2g4"):
        batch.step(codes(uci))
    _, games = batch.step(codes("d8h4"))
    assert (REASONS[games.reasons[0]], games.results[0]) == ("checkmate", -1)


def test_an_illegal_move_changes_no_game() -> None:
    batch = GameBatch(300, seed=1, threads=2)
    for _ in range(20):
        batch.step(batch.random_moves())
    before = (batch.fens(), [a.tolist() for a in batch.legal()])
    moves = batch.random_moves()
    moves[217] = code("a1a1")
    with pytest.raises(ValueError, match=r"^game 217: move 'a1a1' is illegal in "):
        batch.step(moves)
    moves[217] = 0xFFFF
    with pytest.raises(ValueError, match=r"^game 217: move 65535 is illegal in "):
        batch.step(moves)
    assert (batch.fens(), [a.tolist() for a in batch.legal()]) == before


def test_results_do_not_depend_on_threads() -> None:
    assert_same(random_games(300, seed=9, threads=1), random_games(300, seed=9, threads=3))
    one, three = GameBatch(400, seed=4, threads=1), GameBatch(400, seed=4, threads=3)
    for _ in range(250):
        slots_one, games_one = one.step(one.random_moves())
        slots_three, games_three = three.step(three.random_moves())
        assert np.array_equal(slots_one, slots_three)
        assert_same(games_one, games_three)
    assert one.fens() == three.fens()


def test_seeds_decide_the_games() -> None:
    assert_same(random_games(20, seed=1), random_games(20, seed=1))
    assert random_games(20, seed=1).moves.tolist() != random_games(20, seed=2).moves.tolist()
    first, more = random_games(10, seed=1), random_games(20, seed=1)
    assert more.moves[: len(first.moves)].tolist() == first.moves.tolist()


def test_random_moves_are_uniform() -> None:
    batch = GameBatch(20_000, seed=8)
    _, counts = np.unique(batch.random_moves(), return_counts=True)
    chi_square = float(((counts - 1000.0) ** 2 / 1000.0).sum())
    assert len(counts) == 20
    assert chi_square < 43.8  # 99.9 % quantile for 19 degrees of freedom


def test_records_outlive_what_made_them() -> None:
    moves = random_games(5, seed=1).moves
    assert moves.tolist() == random_games(5, seed=1).moves.tolist()
    with pytest.raises(ValueError, match="read-only"):
        moves[0] = 1


@pytest.mark.parametrize(
    "moves",
    [
        np.zeros(3, np.uint16),
        np.zeros(5, np.uint16),
        np.zeros((4, 1), np.uint16),
        np.zeros(4, np.int64),
        np.zeros(4, np.float32),
        np.zeros(8, np.uint16)[::2],
        [0, 0, 0, 0],
        "abcd",
        None,
    ],
    ids=["short", "long", "2-d", "int64", "float32", "strided", "list", "text", "None"],
)
def test_wrong_arrays_are_refused(moves: object) -> None:
    batch = GameBatch(4)
    expected = re.escape("moves must be a C-contiguous uint16 array of shape (4,)")
    with pytest.raises(ValueError, match=expected):
        batch.step(moves)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "cause"),
    [
        ({"size": 0}, "size of a batch must be at least 1, not 0"),
        ({"size": -3}, "size of a batch must be at least 1, not -3"),
        ({"size": 1, "max_plies": -1}, "max_plies must be 0"),
        ({"size": 1, "threads": 0}, "threads must be in 1..1024, not 0"),
        ({"size": 1, "starts": ["nonsense"]}, "bad FEN 'nonsense'"),
        ({"size": 1, "starts": ["7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"]}, "it is over (stalemate)"),
        ({"size": 1, "starts": ["7k/8/5K2/R7/8/8/8/8 w - - 100 80"]}, "it is over (fifty_moves)"),
    ],
)
def test_wrong_settings_are_refused(arguments: dict[str, object], cause: str) -> None:
    with pytest.raises(ValueError, match=re.escape(cause)):
        GameBatch(**arguments)  # type: ignore[arg-type]


def test_slots_and_games_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match=re.escape("slot 4 is not in 0..3")):
        GameBatch(4).board(4)
    with pytest.raises(ValueError, match="game 2 is not among 2 games"):
        random_games(2).san(2)


def test_random_garbage_never_crashes_a_batch() -> None:
    rng = random.Random(1)
    batch = GameBatch(16, seed=1)
    for _ in range(5_000):
        moves = batch.random_moves()
        spoiled = rng.random() < 0.7
        if spoiled:
            moves[rng.randrange(16)] = rng.randrange(0x10000)
        try:
            batch.step(moves)
        except ValueError:
            assert spoiled


@pytest.mark.memory
def test_4096_games_with_history_fit_in_200_mb() -> None:
    """Peak memory of a process of its own, less what Python and NumPy take."""
    program = """
import resource
from selfmate import GameBatch
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
batch = GameBatch(4096, seed=1)
for _ in range(600):
    batch.legal()
    batch.step(batch.random_moves())
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert int(run.stdout) * 1024 < 200e6


def test_games_of_chess960_are_those_of_single_boards() -> None:
    starts = [chess960_fen(number) for number in (0, 518, 959)]
    batch = GameBatch(3, starts=[*starts, "4k3/8/8/8/8/8/8/6KR w K - 0 1"], seed=3, max_plies=300)
    found = 0
    while found < 12:
        _, games = batch.step(batch.random_moves())
        for game in range(len(games)):
            board = replay(games, game)
            assert board.chess960
            assert board.moves == games.uci(game)
            assert board.start_fen == games.start_fen(game)
        found += len(games)
