"""Self-play with a tree search: records, results, resignation, and independence of threads."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from selfmate.data.examples import ACTION_ENCODING, TreeGames
from selfmate.encodings.records import encode_records, is_white_to_move, legal_of
from selfmate.learners.alphazero.config import Config
from selfmate.rules import Board
from selfmate.searches.config import SearchConfig
from selfmate.selfplay.alphazero import (
    ResignationCheck,
    SearchActor,
    SearchPlay,
    check_resignations,
    tree_games,
)
from selfmate.selfplay.games import GamePlan, GameStats, play_games
from unit.searches.evaluations import opinionated

Floats = NDArray[np.float32]


def knows_nothing(planes: Floats) -> tuple[Floats, Floats]:
    even = np.full((len(planes), 3), 1 / 3, np.float32)
    return even, np.zeros((len(planes), 4672), np.float32)


def white_loses(planes: Floats) -> tuple[Floats, Floats]:
    """The net is sure that White is lost; plane 48 is the side to move."""
    white = planes[:, 48, 0, 0] == 1
    wdl = np.where(white[:, None], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]).astype(np.float32)
    return wdl, np.zeros((len(planes), 4672), np.float32)


def play(
    boards: Sequence[Board],
    *,
    threads: int = 1,
    evaluate: Any = knows_nothing,
    parallel_games: int = 3,
    max_plies: int = 12,
    seed: int = 5,
    **changes: Any,
) -> tuple[TreeGames, GameStats, ResignationCheck]:
    usual: dict[str, Any] = {
        "search": SearchConfig(), "simulations": 8,
        "temperature": 1.0, "temperature_end": 0.1, "temperature_plies": 6,
        "resign_threshold": 1.0, "resign_playthrough": 0.0,
    }  # fmt: skip
    plan = GamePlan(boards=boards, max_plies=max_plies, seed=seed, parallel_games=parallel_games)
    actors = [SearchActor(evaluate, SearchPlay(**usual | changes), plan) for _ in range(threads)]
    games = play_games(actors, plan)
    return tree_games(games), games.stats, check_resignations(games)


def test_every_position_has_its_legal_moves_and_probabilities() -> None:
    games, stats, _ = play([Board() for _ in range(7)])
    assert (stats.games, stats.plies, stats.truncated) == (7, 84, 7)
    legal = legal_of(ACTION_ENCODING, games.stored)
    assert legal.counts.tolist() == games.legal_counts.tolist()
    for row in range(len(games)):
        own = slice(games.offsets[row], games.offsets[row + 1])
        assert sorted(games.actions[own].tolist()) == sorted(legal.values[own].tolist())
        assert games.shares[own].sum() == pytest.approx(1, abs=0.01)
    assert not games.results_side_to_move.any()
    assert stats.distinct == 7


def test_threads_slots_and_a_cache_do_not_change_a_game() -> None:
    played = []
    cached = SearchConfig.of(Config.model_validate({}))
    for threads, parallel_games in ((1, 7), (1, 2), (2, 3), (3, 1)):
        for search in (SearchConfig(), cached):
            boards = [Board() for _ in range(7)]
            play(
                boards,
                threads=threads,
                parallel_games=parallel_games,
                evaluate=opinionated,
                search=search,
            )
            played.append([board.moves for board in boards])
    assert cached.cache_size
    assert played[1:] == played[:1] * 7


def test_only_full_searches_are_recorded() -> None:
    """Visits are whole fractions of the simulations of a full search, and a quarter of moves has
    one, beside the first of each game."""
    boards = [Board() for _ in range(30)]
    full: dict[str, Any] = {"simulations": 16, "full_search_fraction": 0.25, "fast_simulations": 3}
    search = SearchConfig(dirichlet_fraction=0.0)
    games, stats, _ = play(boards, parallel_games=30, search=search, **full)
    assert stats.plies == 30 * 12
    assert len(games) == pytest.approx(30 + 0.25 * 30 * 11, abs=25)
    starts = np.flatnonzero((games.stored == encode_records([Board()])).all(axis=1))
    shares = [games.shares[games.offsets[row] : games.offsets[row + 1]] for row in starts]
    first = np.array(shares, np.float64) * 16
    assert np.abs(first - np.rint(first)).max() < 0.01
    assert first.reshape(30, 20).sum(1) == pytest.approx(np.full(30, 16), abs=0.05)


def test_fast_searches_do_not_depend_on_neighbours() -> None:
    played = []
    for threads, parallel_games in ((1, 5), (2, 1)):
        boards = [Board() for _ in range(5)]
        play(
            boards,
            threads=threads,
            parallel_games=parallel_games,
            evaluate=opinionated,
            full_search_fraction=0.3,
            fast_simulations=2,
        )
        played.append([board.moves for board in boards])
    assert played[0] == played[1]


def test_another_seed_plays_other_games() -> None:
    boards = [[Board()], [Board()]]
    play(boards[0], seed=1)
    play(boards[1], seed=2)
    assert boards[0][0].moves != boards[1][0].moves


def test_mates_are_played_and_results_are_in_the_view_of_the_side_to_move() -> None:
    """White mates at once in one game, Black in the other."""
    boards = [
        Board("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"),
        Board("r3k3/8/8/8/8/8/5PPP/6K1 b - - 0 1"),
        Board("4r1k1/8/8/8/8/8/5PPP/6K1 w - - 0 1"),
    ]
    games, stats, _ = play(boards, parallel_games=3, simulations=30, max_plies=2)
    assert stats.decided == stats.endings["checkmate"] >= 2
    white = is_white_to_move(games.stored)
    assert games.results_side_to_move[:2].tolist() == [1, 1]
    assert white[:2].tolist() == [True, False]
    assert stats.white_points == 1 + 0 + (0.5 if stats.decided == 2 else 0)


def test_a_lost_side_resigns_unless_the_game_is_played_through() -> None:
    boards = [Board() for _ in range(20)]
    games, stats, _ = play(
        boards, evaluate=white_loses, resign_threshold=0.9, resign_playthrough=0.0
    )
    assert stats.endings == {"resigned": 20}
    assert stats.plies == 20 * 3  # two turns of White, with one of Black between
    white = is_white_to_move(games.stored)
    assert (games.results_side_to_move == np.where(white, -1, 1)).all()
    boards = [Board() for _ in range(20)]
    _, stats, checked = play(
        boards, evaluate=white_loses, resign_threshold=0.9, resign_playthrough=0.5
    )
    assert 0 < stats.truncated < 20
    assert checked == (0, 0)  # truncated games show nothing


def test_resigning_a_drawn_game_would_have_been_wrong() -> None:
    """Bare kings but for a pawn that can be taken, and a net that is sure of White's loss."""
    boards = [Board("8/8/8/8/4k3/8/6p1/6K1 w - - 90 80") for _ in range(8)]
    _, stats, checked = play(
        boards, evaluate=white_loses, resign_threshold=0.9, resign_playthrough=1.0, simulations=2,
        max_plies=40,
    )  # fmt: skip
    assert stats.games == 8
    assert 8 >= checked.games == checked.wrong > 0
