"""Evaluation against fixed opponents: metrics, reproducibility and refused settings."""

from dataclasses import replace

import pytest

from selfmate.arena.gating import Evaluation, evaluation_metrics, play_paired_match
from selfmate.arena.openings import shipped_openings
from selfmate.players import load_player
from selfmate.rules import Board
from selfmate.runs.run import RunFailedError
from unit.arena.scripted import Scripted, by_seed, first_move

EVALUATION = Evaluation(opponents=("random", "teacher:depth=1"), games=20, seed=3, max_plies=60)


def test_metrics_are_named_after_opponents() -> None:
    metrics = evaluation_metrics(EVALUATION.reports(load_player("greedy")))
    kinds = ("score", "won", "drawn", "lost", "mean_plies", "ply_limit_games")
    named = {f"{kind}_{name}" for kind in kinds for name in ("random", "teacher_depth_1")}
    assert set(metrics) == {*named, "illegal_moves"}
    assert metrics["illegal_moves"] == 0


def test_scores_are_those_of_the_evaluated_player() -> None:
    reports = replace(EVALUATION, max_plies=400).reports(load_player("teacher:depth=2"))
    assert [report.score for report in reports.values()] == [1.0, 1.0]
    other_side = replace(EVALUATION, opponents=("teacher:depth=2",)).reports(load_player("random"))
    assert evaluation_metrics(other_side)["score_teacher_depth_2"] < 0.1


def test_metrics_are_those_of_the_games() -> None:
    report = EVALUATION.reports(load_player("greedy"))["random"]
    metrics = evaluation_metrics({"random": report})
    assert report.games == 20 == report.wins + report.draws + report.losses
    assert metrics["score_random"] == (report.wins + report.draws / 2) / 20
    assert metrics["ply_limit_games_random"] == report.ends["ply_limit"] > 0
    counts = [metrics[f"{kind}_random"] for kind in ("won", "drawn", "lost")]
    assert counts == [report.wins, report.draws, report.losses]


def test_games_depend_on_the_seed_alone() -> None:
    player = Scripted("seeded", by_seed, parallel_games=8)
    alone = Scripted("seeded", by_seed, parallel_games=1)
    assert EVALUATION.reports(player) == EVALUATION.reports(player) == EVALUATION.reports(alone)
    assert EVALUATION.reports(player) != replace(EVALUATION, seed=4).reports(player)


def test_games_are_pairs_on_shipped_openings() -> None:
    seen: list[tuple[str, ...]] = []

    def note(board: Board, seeds: int) -> str:
        seen.append(tuple(board.moves))
        return first_move(board, seeds)

    play_paired_match(Scripted("a", note), Scripted("b", note), games=6, seed=1, max_plies=1)
    assert len(seen) == 6
    assert all(seen.count(moves) == 2 for moves in seen)
    assert set(seen) <= {opening.moves for opening in shipped_openings()}


@pytest.mark.parametrize("side", [0, 1])
def test_forfeited_games_end_the_run(side: int) -> None:
    players = [Scripted("a", by_seed), Scripted("b", by_seed)]
    players[side].answer = lambda *_: "!illegal_move: e2e5"
    with pytest.raises(RunFailedError, match=r"6 of 6 games of a against b.*illegal_move: e2e5"):
        play_paired_match(players[0], players[1], games=6, seed=1)


def test_illegal_moves_are_raised() -> None:
    with pytest.raises(ValueError, match="move 'a1h8' cannot be played in"):
        EVALUATION.reports(Scripted("a", lambda *_: "a1h8"))


@pytest.mark.parametrize(
    ("opponents", "games", "cause"),
    [
        (("random",), 7, "7 games are no pairs"),
        (("random",), 0, "the number must be even and at least 2"),
        (("rando",), 2, "no player 'rando'"),
        (("teacher:depth=99",), 2, "depth=99"),
        (("random", "random"), 2, "2 opponents would share the metric score_random"),
    ],
)
def test_bad_settings_are_refused_before_a_game(
    opponents: tuple[str, ...], games: int, cause: str
) -> None:
    with pytest.raises(ValueError, match=cause):
        Evaluation(opponents=opponents, games=games)
