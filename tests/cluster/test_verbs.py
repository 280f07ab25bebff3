"""Matches and collections on a cluster have the same games as in one process."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from cluster.clusters import cluster_of, pool_of
from selfmate.arena import cluster_match
from selfmate.arena.cluster_match import ClusterMatch
from selfmate.arena.match import Match
from selfmate.arena.openings import shipped_openings
from selfmate.cli.collect import scoring_of
from selfmate.data.cluster_games import ClusterTeacherGames
from selfmate.data.teacher_games import Plan, TeacherGame, TeacherGames
from selfmate.players import load_player
from selfmate.runs import RunFailedError

TEACHER = "teacher:depth=1"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with cluster_of(2) as started:
        yield started


def games_of(found: Iterator[tuple[int, list[TeacherGame]]]) -> dict[int, tuple[Any, ...]]:
    """By number: moves, result, reason, and the labelled positions without their time stamps."""
    games = [game for _, ended in found for game in ended]
    return {
        game.number: (game.board.moves, game.result, game.reason, [p[0] for p in game.positions])
        for game in games
    }


def test_matches_and_collections_are_the_same(cluster: Any) -> None:
    players = (load_player("random"), load_player("greedy"))
    openings = shipped_openings()[:8]
    alone = sorted(Match(players, openings, 3, 60).play(range(12)), key=lambda game: game.number)
    plan = Plan(games=12, max_plies=20, random_share=0.3)
    load = partial(scoring_of, TEACHER, plan.top_k)
    taught = games_of(TeacherGames(plan, *load()).play())
    with pool_of(cluster, 2) as (pool, said):
        found = ClusterMatch(pool, Match(players, openings, 3, 60)).play(range(12))
        assert sorted(found, key=lambda game: game.number) == alone
        assert games_of(ClusterTeacherGames(plan, TEACHER, load, pool).play()) == taught
        assert said == []


def test_a_worker_that_finds_other_weights_fails_the_match(
    cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_match, "weights_of", lambda player: "abc")
    players = (load_player("random"), load_player("greedy"))
    failed = pytest.raises(
        RunFailedError,
        match=r"the worker on .* \(process \d+\) failed: ValueError: random has the weights None "
        r"here, not abc as on the head; log: /",
    )
    with pool_of(cluster, 1) as (pool, _), failed:
        list(ClusterMatch(pool, Match(players, shipped_openings()[:2], 1)).play(range(2)))
