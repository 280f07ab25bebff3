"""Reproducing the tables of the reference design: trainings, tables, curves, interruption."""

import json
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest

from selfmate.minichess.reference_tables import REFERENCE_TABLES, TABLES, as_markdown
from selfmate.minichess.reproduction import (
    Reproduction,
    TrainingFailedError,
    draw_curves,
    moving_average,
    run_trainings,
    with_grid,
)
from selfmate.runs.directory import RunDirectory
from unit.cli.process import command_of, selfmate


def plan(directory: Path, *numbers: str, episodes: int = 200) -> Reproduction:
    tables = tuple(REFERENCE_TABLES[number] for number in numbers)
    return Reproduction(tables=tables, episodes=episodes, directory=directory)


def test_agents_in_several_tables_are_trained_once(tmp_path: Path) -> None:
    trainings = plan(tmp_path, *TABLES).trainings()
    assert len(trainings) == 13
    assert len({training.directory for training in trainings}) == 13
    assert trainings[0].settings["vectorized"] is False  # the longest comes first


def test_every_setting_of_every_table_exists(tmp_path: Path) -> None:
    plan(tmp_path, *TABLES).check()


def test_the_reference_results_are_consistent() -> None:
    """Every game is a mate or a draw, and their shares give the reward."""
    for table in REFERENCE_TABLES.values():
        for column in table.columns:
            results = column.reference
            if results.mate_percent is None or results.draw_percent is None:
                continue
            assert results.mate_percent + results.draw_percent == pytest.approx(100)
            draw = 0.0 if column.settings.get("draw_reward") == 0 else -1.0
            reward = (results.mate_percent + draw * results.draw_percent) / 100
            assert results.reward == pytest.approx(reward, abs=0.002)


def test_the_random_agent_is_exact(tmp_path: Path) -> None:
    (table,) = plan(tmp_path, "I").tables
    with_zero, with_minus_one = (plan(tmp_path, "I").results_of(c) for c in table.columns)
    assert with_zero.mate_percent == pytest.approx(20.0796, abs=1e-4)
    assert with_zero.reward == pytest.approx(0.200796, abs=1e-6)
    assert with_minus_one.reward == pytest.approx(2 * 0.200796 - 1, abs=1e-6)
    assert "ours are exact" in as_markdown(table, [with_zero, with_minus_one], 200)


def test_a_grid_replaces_the_columns() -> None:
    table = with_grid(REFERENCE_TABLES["VIII"], {"beta": ["0.5", "0.25"], "gamma": ["0.1", "0.2"]})
    assert [column.label for column in table.columns] == [
        "beta 0.5, gamma 0.1",
        "beta 0.5, gamma 0.2",
        "beta 0.25, gamma 0.1",
        "beta 0.25, gamma 0.2",
    ]
    assert all(column.reference.reward is None for column in table.columns)


def test_a_moving_average_by_hand() -> None:
    # Of 2 steps: the newest weighs 1, the one before 1/2, then 1/4.
    averages = moving_average(np.array([4.0, 1.0, 2.0]), 2)
    np.testing.assert_allclose(averages, [4, (1 + 4 / 2) / 1.5, (2 + 1 / 2 + 4 / 4) / 1.75])


def test_a_failed_training_says_why(tmp_path: Path) -> None:
    (training, *_) = plan(tmp_path, "III").trainings()
    training.settings["beta"] = "two"
    with pytest.raises(TrainingFailedError, match="beta cannot be 'two'"):
        run_trainings([training], 1, lambda: None)


def test_reproduce_from_the_command_line(tmp_path: Path) -> None:
    arguments = ("endgame", "reproduce", "--table", "V", "--table", "I", "--episodes", "200")
    run = selfmate(*arguments, "--json", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    assert [table["table"] for table in report["tables"]] == ["V", "I"]
    sgd = report["tables"][0]["columns"][0]
    assert sgd["seed"]["mate_percent"] == 75.4
    directory = tmp_path / "runs" / "reproduce-200"
    columns = RunDirectory(directory / "sarsa").columns()
    assert sgd["ours"]["mate_percent"] == pytest.approx(columns["mate_percent"].mean())
    assert sgd["ours"]["moves"] == pytest.approx(columns["moves"].mean())
    assert "### Table V. SARSA" in (directory / "tables.md").read_text("utf-8")
    assert (directory / "table-V.png").read_bytes().startswith(b"\x89PNG")
    again = selfmate(*arguments, cwd=tmp_path)  # all trainings are finished already
    assert again.returncode == 0
    assert "75.4 %" in again.stdout


def test_an_interrupted_reproduction_resumes(tmp_path: Path) -> None:
    command = command_of("endgame", "reproduce", "--table", "VII", "--episodes", "600")
    program = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL)
    (slow, fast) = plan(tmp_path / "runs/reproduce-600", "VII", episodes=600).trainings()
    while slow.done() < 100 and program.poll() is None:
        pass
    program.send_signal(signal.SIGINT)
    assert program.wait(timeout=100) == 130
    status = RunDirectory(slow.directory).status()
    assert status.state == "stopped"
    assert 0 < status.done < 600
    run = selfmate("endgame", "reproduce", "--table", "VII", "--episodes", "600", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert RunDirectory(slow.directory).status().state == "finished"
    assert RunDirectory(fast.directory).status().state == "finished"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "say which tables"),
        (["--table", "X"], "no table 'X'; there are I, II"),
        (["--all", "--episodes", "0"], "'0' is not a whole number from 1"),
        (["--table", "III", "--grid", "beta"], "not of the form key=a,b,..."),
        (["--table", "III", "--grid", "bta=1,2"], "no setting 'bta'"),
        (["--table", "III", "--grid", "beta=0.1,7"], "beta"),
        (["--table", "I", "--grid", "beta=0.1"], "random agent"),
    ],
)
def test_wrong_input(arguments: list[str], message: str, tmp_path: Path) -> None:
    run = selfmate("endgame", "reproduce", *arguments, cwd=tmp_path)
    assert run.returncode == 2
    assert message in run.stderr
    assert not list(tmp_path.iterdir())


def test_curves_are_drawn(tmp_path: Path) -> None:
    agents = plan(tmp_path, "V")
    run_trainings(agents.trainings(), 2, lambda: None)
    path = tmp_path / "curves.png"
    draw_curves("SGD and Adam", agents.runs_of(REFERENCE_TABLES["V"]), path)
    assert path.stat().st_size > 5000
