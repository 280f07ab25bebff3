"""`selfmate endgame`: the exact solution, evaluation of a run, games that are typed or watched."""

import json
import re
import shutil
import subprocess
import sys
from dataclasses import asdict
from io import StringIO
from pathlib import Path
from typing import Protocol

import numpy as np
import pytest
from safetensors import safe_open

from selfmate.cli import endgame_play
from selfmate.cli.console import BadInputError, JobFailedError
from selfmate.cli.endgame_play import Advice, advice_of, load_trained_run
from selfmate.minichess.evaluation import evaluate_policy
from selfmate.minichess.game import ONGOING
from selfmate.minichess.player import learned_values
from selfmate.minichess.solver import greedy_actions
from selfmate.runs.directory import RunDirectory
from unit.cli.process import command_of, selfmate
from unit.cli.toy_process import files_below
from unit.runs.toy import run_toy

COLOURS = {"FORCE_COLOR": "1", "TERM": "xterm-256color", "COLORTERM": "truecolor"}
BEST_IN_COLOUR = "48;2;63;155;84"


class Player(Protocol):
    def __call__(
        self, seed: int, typed: str = "", *, size: int | None = None, run: Path | None = None,
        watch: bool = False,
    ) -> str: ...  # fmt: skip


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Player:
    """Plays a game in this process, which is quicker; returns the output."""

    def play(
        seed: int, typed: str = "", *, size: int | None = None, run: Path | None = None,
        watch: bool = False,
    ) -> str:  # fmt: skip
        monkeypatch.setattr(sys, "stdin", StringIO(typed))
        endgame_play.play_one_game(size, run, watch, seed)
        return capsys.readouterr().out

    return play


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short run with the checkpoints 4, 8 and 10 or some of them."""
    run = tmp_path_factory.mktemp("lab") / "run"
    settings = ("--set", "episodes=1000", "--set", "gamma=0.7", "--set", "draw_reward=-0.5")
    done = selfmate("train", "ddqn", "--preset", "try", *settings, "--run", str(run))
    assert done.returncode == 0, done.stderr
    return run


@pytest.fixture
def run(trained: Path, tmp_path: Path) -> Path:
    """A copy to be corrupted."""
    return Path(shutil.copytree(trained, tmp_path / "run"))


def corrupt(checkpoint: Path) -> None:
    (checkpoint / "weights.safetensors").write_bytes(b"nothing")


def test_solve_prints_json_and_saves_the_values(tmp_path: Path) -> None:
    report = json.loads(selfmate("endgame", "solve", "--json", cwd=tmp_path).stdout)
    assert (report["size"], report["gamma"], report["draw_reward"]) == (4, 0.85, -1)
    assert (report["states"], report["worst_case_moves"]) == (808, 4)
    assert report["random_mate_probability"] == pytest.approx(0.200796, abs=1e-6)
    assert report["random_mean_moves"] == pytest.approx(7.0113, abs=1e-4)
    assert report["best_mate_probability"] == 1
    assert report["optimal_mean_moves"] == pytest.approx(1.940669, abs=1e-6)
    assert report["file"] == "runs/endgame/solution-4-0.85--1.safetensors"
    with safe_open(tmp_path / report["file"], "numpy") as file:
        assert file.get_tensor("q_values").shape == (808, 32)


def test_solve_prints_a_summary(tmp_path: Path) -> None:
    done = selfmate(
        "endgame", "solve", "--size", "5", "--gamma", "0.5", "--draw-reward", "0", "--out", "new/f",
        cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for text in ("5 x 5", "4,972", "16.9924%", "30.7197", "2.6441", "a draw 0, 0.5", "new/f"):
        assert text in done.stdout
    assert re.search(r"The best move is [KQ][a-e][1-5], worth 0\.\d{4}", done.stdout)
    assert "  5 . " in done.stdout
    assert files_below(tmp_path) == {"new", "new/f"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--size", "3"], "'3' is not a whole number from 4 to 8"),
        (["--gamma", "1"], "'1' is not a number from 0 to 0.999"),
        (["--gamma", "much"], "'much' is not a number from 0 to 0.999"),
        (["--draw-reward", "nan"], "'nan' is not a number from -1 to 1"),
        (["--out", "."], ". is a directory, not a file to write to"),
    ],
)
def test_invalid_options_of_solve(arguments: list[str], message: str, tmp_path: Path) -> None:
    refused = selfmate("endgame", "solve", *arguments, cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert message in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert files_below(tmp_path) == set()


def test_evaluate_is_exact(trained: Path) -> None:
    report = json.loads(selfmate("endgame", "evaluate", str(trained), "--json").stdout)
    found = RunDirectory(trained).checkpoint()
    game, values = learned_values(found.card.player, found.weights)
    exact = evaluate_policy(game, greedy_actions(game, values), gamma=0.7, draw_reward=-0.5)
    for name, value in asdict(exact).items():
        assert report[name] == (value if value is None else pytest.approx(value))
    assert (report["run"], report["step"], report["size"]) == (str(trained), 10, 4)
    assert report["optimal_mean_moves"] == pytest.approx(1.940669, abs=1e-6)


def test_evaluate_prints_a_table_beside_perfect_play(trained: Path) -> None:
    best = RunDirectory(trained).best()
    assert best is not None
    done = selfmate("endgame", "evaluate", "run", "--version", "best", cwd=trained.parent)
    assert done.returncode == 0
    for text in (f"run, checkpoint {best.step}", "233 starts", "won by mate", "1.9407", "regret"):
        assert text in done.stdout


def test_a_corrupt_checkpoint_is_skipped_and_reported(run: Path) -> None:
    newest = max((run / "checkpoints").iterdir())
    corrupt(newest)
    done = selfmate("endgame", "evaluate", str(run), "--json")
    assert f"{newest} cannot be used: weights.safetensors has 7 bytes" in done.stderr
    assert json.loads(done.stdout)["step"] < 10


def test_a_run_without_a_good_checkpoint_fails(run: Path) -> None:
    for checkpoint in (run / "checkpoints").iterdir():
        corrupt(checkpoint)
    failed = selfmate("endgame", "evaluate", str(run))
    assert (failed.returncode, failed.stdout, failed.stderr.count("\n")) == (1, "", 1)
    assert "cannot be used: weights.safetensors has 7 bytes" in failed.stderr
    with pytest.raises(JobFailedError, match="cannot be used"):
        load_trained_run(run, "10")


def test_other_runs_are_refused(run: Path, tmp_path: Path) -> None:
    run_toy(tmp_path / "toy")
    refused = selfmate("endgame", "evaluate", "toy", cwd=tmp_path)
    assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)
    assert "this is no player of the mini-chess: its net is of kind " in refused.stderr
    assert "Input should be" not in refused.stderr
    with pytest.raises(BadInputError, match="none is not a run"):
        load_trained_run(tmp_path / "none")
    for version in ("7", "x"):
        with pytest.raises(BadInputError, match=f"no checkpoint '{version}': last, best or one of"):
            load_trained_run(run, version)
    shutil.rmtree(run / "checkpoints")
    with pytest.raises(BadInputError, match="run has no checkpoint yet"):
        load_trained_run(run)


def test_a_watched_game_can_be_played_again_by_typing(play: Player) -> None:
    """The same seed and the same moves give the same game."""
    watched = play(5, size=5, watch=True)
    assert "The perfect player has king and queen (K, Q) on 5 x 5, seed 5" in watched
    assert re.search(r"\nMate after \d moves\.\n$", watched)
    moves = re.findall(r"^\d+\. ([KQ]..)", watched, re.MULTILINE)
    typed = play(5, "\n".join(moves).lower(), size=5)
    assert re.findall(r"\d\. (.*)", typed) == re.findall(r"\d\. (.*)", watched)
    assert "Mate after" in typed


def test_moves_can_be_piped_in() -> None:
    done = subprocess.run(
        command_of("endgame", "play", "--seed", "3"), input="Qc2\n",
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert done.stdout.endswith("Mate after 1 move.\n")
    assert done.stderr == ""


def test_hints_and_wrong_input(play: Player) -> None:
    shown = play(3, "hint\nQz9\n[bold]\n\n1\n")
    assert re.search(r"move +worth", shown)
    assert "Qc2    1.0000  mate" in shown
    assert "Qb4   -1.0000  stalemate" in shown
    for wrong in ("'Qz9'", "'[bold]'", "''"):
        assert f"{wrong} cannot be played here: type a move from the list" in shown
    assert "1. Qc3" in shown  # the first of the list, and no good move
    assert "Stalemate, a draw, after 1 move." in shown


@pytest.mark.parametrize("typed", ["", "quit\n", "hint\n"])
def test_a_game_can_be_left(typed: str, play: Player) -> None:
    assert play(3, typed).endswith("The game was left after 0 moves.\n")


def test_a_run_can_be_consulted_and_watched(trained: Path, play: Player) -> None:
    assert re.search(r"move +worth +learned", play(1, "hint\n", run=trained))
    watched = play(1, run=trained, watch=True)
    assert f"{trained} has king and queen" in " ".join(watched.split())
    assert re.search(r"after \d+ moves?\.\n$", watched)
    with pytest.raises(BadInputError, match="plays on 4 x 4, not on 5 x 5"):
        play(1, run=trained, size=5)


def test_a_player_in_circles_is_stopped(play: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    exact = advice_of(4, None)
    endless = (exact.game.endings[exact.game.afterstates] == ONGOING).astype(np.float32)
    advice = Advice(game=exact.game, exact=exact.exact, learned=endless)
    monkeypatch.setattr(endgame_play, "advice_of", lambda size, run: advice)
    assert play(1, watch=True).endswith(
        "This player may go in circles for ever.\nThe game was left after 50 moves.\n"
    )


def test_colours_show_the_values_of_moves(play: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b" not in play(3, "hint\n")
    for name, value in COLOURS.items():
        monkeypatch.setenv(name, value)
    before, _, hinted = play(3, "hint\n").partition("> ")
    assert "♕" in before
    assert BEST_IN_COLOUR not in before
    assert BEST_IN_COLOUR in hinted
    monkeypatch.setenv("NO_COLOR", "1")
    assert "4 . . Q ." in play(3)


def test_without_a_command_the_help_is_printed() -> None:
    done = selfmate("endgame")
    assert done.returncode == 0
    assert all(command in done.stdout for command in ("solve", "evaluate", "play"))
