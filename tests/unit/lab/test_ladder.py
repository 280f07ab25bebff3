"""The ladder as the lab shows it, and rating as a process of its own."""

import json
import threading
from pathlib import Path

import pytest

from selfmate.arena.elo import Pentanomial
from selfmate.arena.ladder import Ladder, Pool
from selfmate.arena.rating import SCALE, Pairing
from selfmate.lab.errors import BusyError
from selfmate.lab.ladder import LadderTopic, LearningTopic
from selfmate.lab.players import CommandLineNames, LabPlayers
from selfmate.lab.runs_folder import RunsFolder
from selfmate.runs.card import Header
from selfmate.weights import model_names
from selfmate.weights.card import read_card
from unit.lab.topic_data import data_of


def ladder_of(folder: Path) -> LadderTopic:
    runs = folder / "runs"
    return LadderTopic(runs / "pool.jsonl", CommandLineNames(runs, LabPlayers(RunsFolder(runs))))


def pool_of(folder: Path) -> Pool:
    return Ladder(folder / "runs" / "pool.jsonl", seed=1).pool


def test_a_new_ladder_has_its_rungs_and_the_nets_that_ship(tmp_path: Path) -> None:
    data = data_of(ladder_of(tmp_path))
    assert {row["kind"] for row in data["players"]} == {"rung", "shipped"}
    shipped = {row["name"]: row["elo"] for row in data["players"] if row["kind"] == "shipped"}
    cards = [read_card(name) for name in model_names()]
    ratings = [rating for card in cards for rating in card.ratings]
    assert sorted(shipped.values()) == sorted(rating.elo for rating in ratings)
    assert {"searchless-tiny", "alphazero-tiny:sims=0"} < shipped.keys()  # as the lab shows them
    elos = [row["elo"] for row in data["players"]]
    assert elos == sorted(elos, reverse=True)
    assert data["players"][-1]["name"] == "random"
    assert data["scale"] == SCALE
    assert (data["left_out"], data["rating"], data["problem"]) == (None, None, None)


def test_players_stand_by_strength_and_runs_by_their_name(tmp_path: Path) -> None:
    pool = pool_of(tmp_path)
    worse, better = Pentanomial((15, 20, 10, 4, 1)), Pentanomial((1, 4, 10, 20, 15))
    pool.add(Pairing("greedy", "teacher:depth=1", worse))
    pool.add(Pairing("runs/mine:version=7", "teacher:depth=1", better))
    pool.add(Pairing("alphazero-tiny:sims=0,terminal=exact", "teacher:depth=3", better))
    rows = {row["name"]: row for row in data_of(ladder_of(tmp_path))["players"]}
    names = [name for name in rows if rows[name]["kind"] != "shipped"]
    names = [name for name in names if not name.startswith(("teacher:depth=1,", "teacher:depth=2"))]
    names = [name for name in names if not name.startswith(("stockfish", "teacher:depth=4"))]
    names = [name for name in names if not name.startswith(("teacher:depth=5", "teacher:depth=3,"))]
    assert names == [
        "alphazero-tiny:sims=0",
        "teacher:depth=3",
        "runs/mine:version=7",
        "teacher:depth=1",
        "greedy",
        "random",
    ]
    kinds = [rows[name]["kind"] for name in names]
    assert kinds == ["other", "rung", "run", "rung", "other", "rung"]


def test_a_pool_that_is_being_written_is_only_read(tmp_path: Path) -> None:
    rungs = len(data_of(ladder_of(tmp_path))["players"])
    pool_of(tmp_path).add(Pairing("greedy", "random", Pentanomial((1, 4, 10, 20, 15))))
    path = tmp_path / "runs" / "pool.jsonl"
    before = path.read_bytes() + b'{"player": "a", "opp'
    path.write_bytes(before)
    assert len(data_of(ladder_of(tmp_path))["players"]) == rungs + 1
    assert path.read_bytes() == before


def test_results_that_are_not_used_are_said(tmp_path: Path) -> None:
    pool_of(tmp_path).add(Pairing("greedy", "another", Pentanomial((1, 4, 10, 20, 15))))
    assert "1 against players that are no rung" in data_of(ladder_of(tmp_path))["left_out"]


def test_rating_is_started_once_seen_by_others_and_stopped(tmp_path: Path) -> None:
    ladder = ladder_of(tmp_path)
    ladder.rate("greedy", 10_000)
    with pytest.raises(BusyError, match="another player is being rated"):
        ladder.rate("random", 2)
    restarted, pause = ladder_of(tmp_path), threading.Event()
    for _ in range(6000):
        if (data_of(restarted)["rating"] or {}).get("games"):
            break
        pause.wait(0.01)
    rating = data_of(restarted)["rating"]
    assert rating["games"] == 10_000
    assert {"player", "opponent", "done", "known"} <= rating.keys()
    restarted.stop()
    for _ in range(6000):
        if data_of(ladder)["rating"] is None:
            break
        pause.wait(0.01)
    assert data_of(ladder)["rating"] is None
    assert data_of(ladder)["problem"] == "stopped from outside; the pool keeps whole pairings"


def test_learning_is_over_seconds_of_the_runs_own_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "runs" / "mine"
    run.mkdir(parents=True)
    (run / "config.toml").write_bytes(Header("toy", {"seed": 1}).to_toml())
    metrics = [
        {"step": 1, "score_random": 0.5, "mean_plies_random": 90, "score_best": 0.9},
        {"step": 2, "loss": 1.0},
        {"step": 3, "score_random": 0.75, "mean_plies_random": 80},
    ]
    (run / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in metrics))
    clock = [
        {"step": step, "seconds": seconds} for step, seconds in ((1, 2), (2, 3), (2, 4), (3, 1))
    ]
    (run / "timings.jsonl").write_text("".join(json.dumps(line) + "\n" for line in clock))
    learning = LearningTopic(RunsFolder(tmp_path / "runs"))
    first = learning.version()
    (row,) = data_of(learning)
    assert row == {"name": "mine", "learner": "toy", "scores": {"random": [[2, 10], [0.5, 0.75]]}}
    monkeypatch.setattr("selfmate.lab.ladder.SECONDS_BETWEEN_LOOKS", 0)
    assert learning.version() == first
    with (run / "metrics.jsonl").open("a") as file:
        file.write(json.dumps({"step": 4, "score_random": 1, "mean_plies_random": 70}) + "\n")
    assert learning.version() != first
    assert data_of(learning)[0]["scores"] == {"random": [[2, 10, 10], [0.5, 0.75, 1]]}


@pytest.mark.parametrize(
    ("metrics", "clock"),
    [
        ({"step": [1]}, {"step": 1, "seconds": 1}),
        ({"step": 1, "score_x": "high", "mean_plies_x": 1}, {"step": 1, "seconds": 1}),
        ({"step": 1, "score_x": True, "mean_plies_x": 1}, {"step": 1, "seconds": 1}),
        ({"step": 1, "score_x": 10**400, "mean_plies_x": 1}, {"step": {}, "seconds": None}),
        ({"step": 10**400, "score_x": 1, "mean_plies_x": 1}, {"step": 10**400, "seconds": 1}),
        ({"step": 10**30, "score_x": None, "mean_plies_x": 1}, {"seconds": "long"}),
    ],
)
def test_a_stranger_may_have_written_anything(
    tmp_path: Path, metrics: dict[str, object], clock: dict[str, object]
) -> None:
    run = tmp_path / "runs" / "mine"
    run.mkdir(parents=True)
    (run / "config.toml").write_bytes(Header("toy", {"seed": 1}).to_toml())
    (run / "metrics.jsonl").write_text(json.dumps(metrics) + "\n")
    (run / "timings.jsonl").write_text(json.dumps(clock) + "\n")
    learning = LearningTopic(RunsFolder(tmp_path / "runs"))
    learning.version()
    assert data_of(learning) == []
