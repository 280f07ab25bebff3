"""Episodes of self-play, checked by replaying the games with python-chess."""

from collections.abc import Sequence

import chess
import numpy as np
import pytest
from numpy.typing import NDArray

from selfmate.data.transitions import NO_ACTION, UNRANKED, Episodes
from selfmate.encodings.features import FLIP, encode_packed
from selfmate.players import Player, load_player
from selfmate.rules import Board, uci_text
from selfmate.searches.teacher import score_moves, values_side_to_move
from selfmate.selfplay.dqn import EpsilonGreedyActor, episodes_of, points_against_others
from selfmate.selfplay.games import GamePlan, Trajectories, play_games

STARTS = [chess.STARTING_FEN, "7k/5Q2/8/8/8/8/8/K7 w - - 0 1", "k7/8/2Q5/8/8/8/8/7K b - - 0 1"]
GAMMA = 0.9


Played = tuple[Episodes, Trajectories]


def play(
    players: Sequence[Player],
    count: int,
    *,
    boards: Sequence[Board] | None = None,
    seats: NDArray[np.int64] | None = None,
    epsilon: float = 0.0,
    max_plies: int = 30,
    seed: int = 7,
    teacher_depth: int = 1,
) -> Played:
    actor = EpsilonGreedyActor(
        players=players,
        seats=np.zeros((count, 2), np.int64) if seats is None else seats,
        epsilon=epsilon,
        teacher_depth=teacher_depth,
    )
    starts = boards or [Board(STARTS[i % 3]) for i in range(count)]
    games = play_games([actor], GamePlan(boards=starts, max_plies=max_plies, seed=seed))
    return episodes_of(games, actor, GAMMA), games


def some(*names: str) -> list[Player]:
    return [load_player(name) for name in names]


@pytest.fixture(scope="module")
def played() -> Played:
    return play(some("teacher:depth=2"), 60, epsilon=0.5)


def games_of(page: Episodes) -> list[range]:
    """Rows of each game: its last row ends it or has no action."""
    last = np.flatnonzero(page.ends | (page.actions == NO_ACTION))
    starts = [0, *(last[:-1] + 1).tolist()]
    return [range(start, int(end) + 1) for start, end in zip(starts, last, strict=True)]


def test_rows_are_the_positions_of_the_games(played: Played) -> None:
    page, games = played
    stats = games.stats
    ends = dict.fromkeys(("checkmate", "stalemate", "ply_limit"), 0)
    for number, rows in enumerate(games_of(page)):
        board = chess.Board(STARTS[number % 3])
        for row in rows:
            seen = encode_packed([Board(board.fen(en_passant="legal"))])[0]
            np.testing.assert_array_equal(page.packed[row], seen)
            turn = 0 if board.turn else FLIP
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
    assert {name: stats.endings[name] for name in ends} == ends
    assert stats.games == sum(stats.endings.values()) == 60
    assert stats.plies == (page.actions != NO_ACTION).sum()


def test_the_teacher_is_asked_about_every_position(played: Played) -> None:
    page, _ = played
    boards = [Board(fen) for fen in STARTS]
    scores = score_moves(boards, depth=1)
    firsts = [rows[0] for rows in games_of(page)[:3]]
    np.testing.assert_array_equal(page.potentials[firsts], values_side_to_move(scores))
    assert (page.advice >= 0).all()
    mate = [Board("8/8/8/8/8/1qk5/8/K7 b - - 0 1")]
    mating, _ = play(some("random"), 1, boards=mate, max_plies=1)
    assert int(mating.advice[0]) ^ FLIP == 64 * chess.B3 + chess.B2


def test_ranks_count_the_moves_that_the_teacher_scores_higher(played: Played) -> None:
    page, _ = played
    for number, rows in enumerate(games_of(page)[:6]):
        board = Board(STARTS[number % 3])
        for row in rows:
            if page.actions[row] == NO_ACTION:
                assert page.ranks[row] == UNRANKED
                break
            scores = score_moves([board], depth=1)
            by_move = dict(zip(map(uci_text, scores.moves.tolist()), scores.pawns, strict=True))
            squares = int(page.actions[row]) ^ (0 if board.turn == "white" else FLIP)
            squares_text = chess.SQUARE_NAMES[squares // 64] + chess.SQUARE_NAMES[squares % 64]
            move = next(uci for uci in sorted(by_move, reverse=True) if uci[:4] == squares_text)
            assert page.ranks[row] == sum(score > by_move[move] for score in by_move.values())
            board.push(move)


def test_the_teacher_is_not_asked_at_depth_zero() -> None:
    page, _ = play(some("random"), 6, teacher_depth=0)
    assert (page.advice == NO_ACTION).all()
    assert (page.ranks == UNRANKED).all()
    assert not page.potentials.any()


def last_board(page: Episodes, number: int, rows: range) -> chess.Board:
    board = chess.Board(STARTS[number % 3])
    for action in page.actions[rows.start : rows.stop].tolist():
        if action != NO_ACTION:
            squares = action if board.turn else action ^ FLIP
            board.push(board.find_move(squares // 64, squares % 64))
    return board


def test_qualities_count_back_from_mates_and_stalemates(played: Played) -> None:
    page, _ = played
    for number, rows in enumerate(games_of(page)):
        board = last_board(page, number, rows)
        tells = board.is_checkmate() or board.is_stalemate()
        expected = [GAMMA ** (rows[-1] - row) if tells else 0 for row in rows]
        assert page.qualities[rows.start : rows.stop] == pytest.approx(expected, rel=1e-5)


def test_the_same_seed_plays_the_same_games() -> None:
    one, other, third = (play(some("random"), 20, seed=seed)[0].actions for seed in (1, 1, 2))
    assert np.array_equal(one, other)
    assert not np.array_equal(one, third)


def test_players_have_the_seats_they_are_given() -> None:
    """The teacher beats a random player with either side; points are the learner's."""
    seats = np.array([[0, 1], [1, 0]] * 20)

    def points(*names: str) -> tuple[float, int]:
        boards = [Board() for _ in range(40)]
        _, games = play(some(*names), 40, boards=boards, seats=seats, max_plies=200)
        return points_against_others(games, seats)

    assert points("random", "teacher:depth=2")[1] == 40
    assert points("random", "teacher:depth=2")[0] < 4
    assert points("teacher:depth=2", "random")[0] > 36


def test_only_player_zero_explores() -> None:
    def distinct(seats: list[int], epsilon: float) -> int:
        boards = [Board("7k/8/8/8/8/8/8/KQ6 w - - 0 1") for _ in range(30)]
        players, of_all = some("teacher:depth=2", "teacher:depth=2"), np.array([seats] * 30)
        _, games = play(players, 30, boards=boards, seats=of_all, epsilon=epsilon)
        return games.stats.distinct

    assert distinct([0, 0], 1.0) > distinct([0, 0], 0.0)
    assert distinct([1, 1], 1.0) == distinct([1, 1], 0.0)
