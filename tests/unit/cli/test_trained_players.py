"""Runs as players on the command line."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from selfmate.arena.ladder import Ladder, PairingPlan
from selfmate.cli.console import JobFailedError
from selfmate.cli.rate import rate
from selfmate.players import PlayerName
from selfmate.players.trained import find_weights
from selfmate.runs.directory import RunDirectory
from unit.cli.process import command_of, selfmate
from unit.players.trained_runs import make_run

CONVERSATION = """\
uci
isready
setoption name Temperature value 50
setoption name MultiPV value 3
go
quit
"""


def test_a_run_plays_a_match(tmp_path: Path) -> None:
    make_run(tmp_path / "runs" / "x")
    arguments = ("match", "runs/x:version=best", "random", "--games", "4", "--json")
    played = selfmate(*arguments, "--pgn", "m.pgn", cwd=tmp_path)
    assert (played.returncode, played.stderr) == (0, "")
    assert json.loads(played.stdout)["illegal_moves"] == 0
    assert '[White "runs/x:version=2,terminal=exact"]' in (tmp_path / "m.pgn").read_text()


def test_training_starts_from_a_net_that_ships(tmp_path: Path) -> None:
    small = [f"--set={it}" for it in ("cycles=1", "games=2", "simulations=2", "max_plies=4")]
    begun = ("train", "alphazero", "--load", "alphazero-tiny", "--run", "r", *small)
    trained = selfmate(*begun, "--set=promotion=always", "--set=evaluate_every=9", cwd=tmp_path)
    assert trained.returncode == 0, trained.stderr
    first = RunDirectory(tmp_path / "r").checkpoint(0).weights
    shipped = find_weights(PlayerName("alphazero-tiny")).arrays
    assert first.keys() == shipped.keys()
    assert all((first[name] == shipped[name]).all() for name in shipped)


def test_a_run_is_a_uci_engine(tmp_path: Path) -> None:
    make_run(tmp_path / "x")
    engine = subprocess.run(
        command_of("uci", str(tmp_path / "x")),
        input=CONVERSATION, capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    said = engine.stdout.splitlines()
    assert "option name Temperature type spin default 0 min 0 max 1000" in said
    assert "option name Terminal type combo default exact var exact var off" in said
    assert [line.split()[:3] for line in said[-4:-1]] == [
        ["info", "multipv", str(rank)] for rank in (1, 2, 3)
    ]
    assert said[-1].split()[1] == said[-4].split()[-1]
    assert engine.stderr == ""


def test_a_run_that_is_not_there_is_bad_input(tmp_path: Path) -> None:
    played = selfmate("match", "random", "runs/y:version=best", cwd=tmp_path)
    assert (played.returncode, played.stdout, played.stderr.count("\n")) == (2, "", 1)
    assert "there is no directory 'runs/y'" in played.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_checkpoint_deleted_while_it_is_rated_is_a_failed_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def next_plan(ladder: Ladder, player: str, games: int) -> PairingPlan:
        if ladder.games_of(player):
            shutil.rmtree(tmp_path / "runs" / "x" / "checkpoints" / "00000003")
        return PairingPlan(player, "random", 2)

    make_run(tmp_path / "runs" / "x")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Ladder, "next_plan", next_plan)
    with pytest.raises(JobFailedError, match=r"has no checkpoint '3'.* deletes old checkpoints"):
        rate(["runs/x"], games=2, pool=Path("pool.jsonl"))
    assert "runs/x:version=3" in (tmp_path / "pool.jsonl").read_text()
