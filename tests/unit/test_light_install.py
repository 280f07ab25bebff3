"""Without torch every net that ships plays, through UCI and in the lab; what trains says so."""

import json
import subprocess
import sys
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from page.lab import require_page, running_lab
from selfmate.rules import Board
from selfmate.weights import model_names
from unit.blocked import environment_without, selfmate_with
from unit.cli.process import command_of
from unit.lab.door import Door
from unit.players.trained_runs import (
    make_run,
    make_scorer_run,
    make_sparse_run,
    make_transformer_run,
    make_tree_run,
)

MAX_PLIES = 400
POLLS = 100_000  # questions until a player must have moved
REMEDY = "needs PyTorch: pip install 'selfmate[train]'"
FEW_SIMULATIONS = {"alphazero-tiny": "alphazero-tiny:sims=4"}
API = """
import numpy as np
import selfmate
net = selfmate.load_net("alphazero-tiny")
boards = [selfmate.Board(), selfmate.Board()]
assert net.evaluate(boards).probabilities.sum().round(3) == 2
assert selfmate.search(net, boards, simulations=8).visits.sum() >= 14
assert selfmate.load_net("searchless-tiny").evaluate(boards).offsets[-1] == 40
assert selfmate.play_match("searchless-tiny", "random", games=2).score > 0
for ask in (lambda: net.module, lambda: selfmate.train("dqn", preset="try")):
    try:
        ask()
    except ValueError as error:
        print(error)
"""


@pytest.fixture(scope="module")
def without_torch(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    return environment_without(tmp_path_factory.mktemp("environment") / "blocked", "torch")


def test_torch_is_really_missing(without_torch: Mapping[str, str], tmp_path: Path) -> None:
    done = selfmate_with(without_torch, "doctor", "--json", cwd=tmp_path)
    found = {one["name"]: one["found"] for one in json.loads(done.stdout)["findings"]}
    assert (done.returncode, found["torch"], found["extra train"]) == (0, None, None)
    assert found["extra onnx"].startswith("onnx 1")


@pytest.mark.parametrize("model", model_names())
def test_a_net_that_ships_plays_a_game_through_uci(
    model: str, without_torch: Mapping[str, str]
) -> None:
    with subprocess.Popen(
        command_of("uci", FEW_SIMULATIONS.get(model, model)),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=without_torch,
    ) as engine:  # fmt: skip
        board, moves = Board(), list[str]()
        while board.outcome() is None and len(moves) < MAX_PLIES:
            moves.append(best_move(engine, moves))
            board.push(moves[-1])
        assert engine.stdin is not None
        engine.stdin.write("quit\n")
    assert engine.returncode == 0
    assert len(moves) > 10


def best_move(engine: "subprocess.Popen[str]", moves: list[str]) -> str:
    assert engine.stdin is not None
    assert engine.stdout is not None
    position = f"position startpos moves {' '.join(moves)}" if moves else "position startpos"
    engine.stdin.write(f"{position}\ngo nodes 4\n")
    engine.stdin.flush()
    return next(line.split()[1] for line in engine.stdout if line.startswith("bestmove"))


def test_nets_that_ship_play_a_game_in_the_lab_and_train_says_what_is_missing(
    without_torch: Mapping[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_page()
    monkeypatch.setenv("PYTHONPATH", without_torch["PYTHONPATH"])
    with running_lab(tmp_path) as lab:
        door = Door(lab.port, lab.token)
        for model in model_names():
            player = FEW_SIMULATIONS.get(model, model)
            game = watched_to_the_end(door, {"player": player, "side": "watch"})
            assert game["problem"] is None
            assert len(game["moves"]) > 10
        refused = door.post("/api/trainings", {"learner": "dqn", "preset": "try"})
        assert refused.status >= 400
        assert REMEDY in refused.body.decode()
        started = door.post("/api/trainings", {"learner": "sarsa", "preset": "try"})
        assert started.status == 200


def watched_to_the_end(door: Door, new: dict[str, str]) -> Any:
    """A game that is stepped ply by ply, at most MAX_PLIES."""
    game = door.post("/api/games", new).json()
    while game["end"] is None and game["problem"] is None and len(game["moves"]) < MAX_PLIES:
        game = door.post(f"/api/games/{game['id']}/step", {}).json()
        for poll in count():
            if not game["thinking"]:
                break
            assert poll < POLLS
            game = door.ask("GET", f"/api/games/{game['id']}", door.bearer).json()
    return game


def test_runs_of_every_family_play_and_search(
    without_torch: Mapping[str, str], tmp_path: Path
) -> None:
    runs = {
        "dqn": make_run,
        "reinforce": make_scorer_run,
        "searchless": make_transformer_run,
        "alphazero": make_tree_run,
        "swift": make_sparse_run,
    }
    for name, make in runs.items():
        make(tmp_path / "runs" / name)
    for a, b in (
        ("runs/dqn", "runs/reinforce:lookahead=1"),
        ("runs/dqn:sims=4", "runs/reinforce:sims=4"),
        ("runs/searchless", "runs/alphazero:sims=4"),
        ("runs/swift:sims=4", "runs/alphazero:by=value"),
    ):
        match = selfmate_with(
            without_torch, "match", a, b, "--games", "2", "--max-plies", "20", "--json",
            cwd=tmp_path,
        )  # fmt: skip
        assert match.returncode == 0, match.stderr
        assert json.loads(match.stdout)["illegal_moves"] == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["train", "dqn", "--preset", "try"],
        ["train", "alphazero", "--preset", "try", "--device", "cuda"],
        ["pretrain", "dqn", "--preset", "try"],
        ["finetune", "searchless-tiny", "--pgn", "games.pgn"],
        ["export", "alphazero-tiny", "--onnx", "net.onnx"],
        ["demo", "--quick"],
        ["bench", "dqn"],
    ],
)
def test_what_needs_torch_says_so(
    arguments: list[str], without_torch: Mapping[str, str], tmp_path: Path
) -> None:
    done = selfmate_with(without_torch, *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert REMEDY in done.stderr
    assert not list(tmp_path.iterdir())


def test_the_api_works_and_says_what_it_cannot_do(
    without_torch: Mapping[str, str], tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", API],
        env=without_torch, cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.count(REMEDY) == 2
    assert not list(tmp_path.iterdir())
