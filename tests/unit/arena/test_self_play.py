"""Recorded games against the games themselves, played again by python-chess."""

import chess
import numpy as np
import pytest

from selfmate.arena.self_play import Plan, Tally, play_games
from selfmate.data.experience import NO_ACTION, Episodes
from selfmate.encodings.packed import TURN, encode_packed
from selfmate.players import Player, load_player
from selfmate.rules import Board
from selfmate.search.teacher import score_moves, values_side_to_move

STARTS = [chess.STARTING_FEN, "7k/5Q2/8/8/8/8/8/K7 w - - 0 1", "k7/8/2Q5/8/8/8/8/7K b - - 0 1"]
GAMMA = 0.9


def plan(games: int, **changes: object) -> Plan:
    settings = {
        "boards": [Board(STARTS[i % 3]) for i in range(games)],
        "seats": np.zeros((games, 2), np.int64),
        "epsilon": 0.0,
        "max_plies": 30,
        "seed": 7,
        "gamma": GAMMA,
        "advice_depth": 1,
    }
    return Plan(**(settings | changes))  # type: ignore[arg-type]


def some(*names: str) -> list[Player]:
    return [load_player(name) for name in names]


@pytest.fixture(scope="module")
def played() -> tuple[Episodes, Tally]:
    return play_games(some("teacher:depth=2"), plan(60, epsilon=0.5))


def games_of(page: Episodes) -> list[range]:
    """Rows of each game: a game ends with an end, or with a row without action."""
    last = np.flatnonzero(page.ends | (page.actions == NO_ACTION))
    starts = [0, *(last[:-1] + 1).tolist()]
    return [range(start, int(end) + 1) for start, end in zip(starts, last, strict=True)]


def test_rows_are_the_positions_of_the_games(played: tuple[Episodes, Tally]) -> None:
    page, tally = played
    ends = dict.fromkeys(("checkmate", "stalemate", "ply_limit"), 0)
    for number, rows in enumerate(games_of(page)):
        board = chess.Board(STARTS[number % 3])
        for row in rows:
            seen = encode_packed([Board(board.fen(en_passant="legal"))])[0]
            np.testing.assert_array_equal(page.packed[row], seen)
            turn = 0 if board.turn else TURN
            legal = page.legal[page.legal_offsets[row] : page.legal_offsets[row + 1]] ^ turn
            expected = {64 * move.from_square + move.to_square for move in board.legal_moves}
            assert set(legal.tolist()) == expected
            if page.actions[row] == NO_ACTION:
                assert row == rows[-1]
                ends["ply_limit"] += 1
                break
            action = int(page.actions[row]) ^ turn
            move = board.find_move(action // 64, action % 64)
            board.push(move)
            assert page.rewards[row] == board.is_checkmate()
            if page.ends[row]:
                ends["checkmate"] += board.is_checkmate()
                ends["stalemate"] += board.is_stalemate()
                assert board.is_game_over(claim_draw=True)
    assert ends["checkmate"]
    assert ends["ply_limit"]
    assert {name: tally.ends[name] for name in ends} == ends
    assert tally.games == sum(tally.ends.values()) == 60
    assert tally.plies == (page.actions != NO_ACTION).sum()


def test_the_teacher_is_asked_about_every_position(played: tuple[Episodes, Tally]) -> None:
    page, _ = played
    boards = [Board(fen) for fen in STARTS]
    scores = score_moves(boards, depth=1)
    firsts = [rows[0] for rows in games_of(page)[:3]]
    np.testing.assert_array_equal(page.potentials[firsts], values_side_to_move(scores))
    assert (page.advice >= 0).all()
    mate = [Board("8/8/8/8/8/1qk5/8/K7 b - - 0 1")]
    mating, _ = play_games(some("random"), plan(1, boards=mate, max_plies=1))
    assert int(mating.advice[0]) ^ TURN == 64 * chess.B3 + chess.B2


def test_nobody_is_asked_at_depth_zero() -> None:
    page, _ = play_games(some("random"), plan(6, advice_depth=0))
    assert (page.advice == NO_ACTION).all()
    assert not page.potentials.any()


def last_board(page: Episodes, number: int, rows: range) -> chess.Board:
    board = chess.Board(STARTS[number % 3])
    for action in page.actions[rows.start : rows.stop].tolist():
        if action != NO_ACTION:
            squares = action if board.turn else action ^ TURN
            board.push(board.find_move(squares // 64, squares % 64))
    return board


def test_qualities_count_back_from_mates_and_stalemates(played: tuple[Episodes, Tally]) -> None:
    page, _ = played
    for number, rows in enumerate(games_of(page)):
        board = last_board(page, number, rows)
        tells = board.is_checkmate() or board.is_stalemate()
        expected = [GAMMA ** (rows[-1] - row) if tells else 0 for row in rows]
        assert page.qualities[rows.start : rows.stop] == pytest.approx(expected, rel=1e-5)


def test_the_same_seed_plays_the_same_games() -> None:
    one, other, third = (
        play_games(some("random"), plan(20, seed=seed))[0].actions for seed in (1, 1, 2)
    )
    assert np.array_equal(one, other)
    assert not np.array_equal(one, third)


def test_others_sit_where_they_are_put() -> None:
    """The teacher beats a random mover, whichever side it has; points are the learner's."""
    seats = np.array([[0, 1], [1, 0]] * 20)
    starts = [Board() for _ in range(40)]
    settings = {"boards": starts, "seats": seats, "max_plies": 200}
    _, tally = play_games(some("random", "teacher:depth=2"), plan(40, **settings))
    assert tally.contests == 40
    assert tally.points < 4
    starts = [Board() for _ in range(40)]
    settings = {"boards": starts, "seats": seats, "max_plies": 200}
    _, tally = play_games(some("teacher:depth=2", "random"), plan(40, **settings))
    assert tally.points > 36


def test_exploring_is_of_player_zero_alone() -> None:
    def distinct(seats: list[int], epsilon: float) -> int:
        boards = [Board("7k/8/8/8/8/8/8/KQ6 w - - 0 1") for _ in range(30)]
        settings = {"boards": boards, "seats": np.array([seats] * 30), "epsilon": epsilon}
        return play_games(some("teacher:depth=2", "teacher:depth=2"), plan(30, **settings))[
            1
        ].distinct

    assert distinct([0, 0], 1.0) > distinct([0, 0], 0.0)
    assert distinct([1, 1], 1.0) == distinct([1, 1], 0.0)
