"""Reproducing the tables of the reference design: trainings, tables, curves, interruption."""

import json
import signal
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from selfmate.minichess.curves import Curve, band_of, moving_average, svg_of, ticks
from selfmate.minichess.reference_tables import (
    REFERENCE_TABLES,
    TABLES,
    Column,
    Results,
    Table,
    as_markdown,
)
from selfmate.minichess.reproduction import (
    Reproduction,
    TrainingFailedError,
    run_trainings,
    with_grid,
    with_settings,
)
from selfmate.runs.directory import RunDirectory
from unit.cli.process import command_of, selfmate


def plan(
    directory: Path, *numbers: str, episodes: int = 200, seeds: tuple[int, ...] = (2022,)
) -> Reproduction:
    tables = tuple(REFERENCE_TABLES[number] for number in numbers)
    return Reproduction(tables=tables, episodes=episodes, directory=directory, seeds=seeds)


def curve(*rewards: float) -> Curve:
    """Steps of 100 games."""
    values = np.array(rewards, np.float64)
    games = np.arange(1, len(values) + 1) * np.float64(100)
    percent = 50 + 50 * values
    return Curve(games=games, reward=values, moves=10 + values, mate_percent=percent, seconds=4.0)


def test_agents_in_several_tables_are_trained_once(tmp_path: Path) -> None:
    trainings = plan(tmp_path, *TABLES).trainings()
    assert len(trainings) == 13
    assert len({training.directory for training in trainings}) == 13
    assert trainings[0].settings["vectorized"] is False  # the longest comes first


def test_every_seed_has_trainings_of_its_own(tmp_path: Path) -> None:
    trainings = plan(tmp_path, "V", seeds=(2022, 7)).trainings()
    names = [(training.directory.name, training.seed) for training in trainings]
    assert sorted(names) == [
        ("sarsa", 2022),
        ("sarsa-optimizer-adam", 2022),
        ("sarsa-optimizer-adam-seed-7", 7),
        ("sarsa-seed-7", 7),
    ]


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


def test_the_random_agent_is_simulated(tmp_path: Path) -> None:
    """The exact answers are those of test_solver.py; three standard errors of 20,000 games."""
    simulated = plan(tmp_path, "I", episodes=20_000, seeds=(1, 2))
    (table,) = simulated.tables
    with_zero, with_minus_one = (simulated.results_of(column) for column in table.columns)
    for zero, minus_one in zip(with_zero, with_minus_one, strict=True):
        assert zero.mate_percent == pytest.approx(20.0796, abs=0.85)
        assert zero.moves == pytest.approx(7.0113, abs=0.15)
        assert zero.mate_percent == minus_one.mate_percent
        assert zero.reward is not None
        assert minus_one.reward == pytest.approx(2 * zero.reward - 1, abs=1e-6)
    assert with_zero[0] != with_zero[1]


def test_means_and_spread_by_hand() -> None:
    """Of 1, 2 and 6: the mean is 3, the standard deviation the root of (4 + 1 + 9) / 2."""
    column = Column(label="it", learner="sarsa", reference=Results(moves=2.5))
    table = Table(number="X", title="Some", columns=(column,))
    text = as_markdown(table, [[Results(moves=moves) for moves in (1.0, 2.0, 6.0)]], 500)
    assert "ours are 500 games with each of 3 random seeds" in text
    assert "| average moves | 2.50 | 3.00 ± 2.65 |" in text
    assert "| | it: reference | it: ours |" in text


def test_agents_without_reference_results_have_one_column() -> None:
    column = Column(label="it", learner="sarsa")
    table = Table(number="X", title="Some", columns=(column,))
    text = as_markdown(table, [[Results(mate_percent=40.0)]], 500)
    assert "| | it |" in text
    assert "| mates | 40.0 % |" in text


def test_results_weigh_every_game_alike() -> None:
    """Steps of 100 and 300 games."""
    steps = np.array([0.0, 1.0])
    found = Curve(
        games=np.array([100.0, 400.0]), reward=steps, moves=steps, mate_percent=steps, seconds=8.0
    ).results()
    assert found.reward == found.moves == found.mate_percent == 0.75
    assert (found.draw_percent, found.games_per_s) == (99.25, 50)


def test_settings_of_all_agents(tmp_path: Path) -> None:
    table = with_settings(REFERENCE_TABLES["III"], {"learning_rate": "0.1"})
    assert [column.settings["learning_rate"] for column in table.columns] == ["0.1"] * 3
    assert [c.reference for c in table.columns] == [
        c.reference for c in REFERENCE_TABLES["III"].columns
    ]
    assert with_settings(REFERENCE_TABLES["I"], {"x": 1}) == REFERENCE_TABLES["I"]


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
    assert sgd["reference"]["mate_percent"] == 75.4
    (ours,) = sgd["ours"]
    directory = tmp_path / "runs" / "reproduce-200"
    columns = RunDirectory(directory / "sarsa").columns()
    assert ours["mate_percent"] == pytest.approx(columns["mate_percent"].mean())
    assert ours["moves"] == pytest.approx(columns["moves"].mean())
    assert "### Table V. SARSA" in (directory / "tables.md").read_text("utf-8")
    assert ElementTree.parse(directory / "table-V.svg").getroot().tag.endswith("svg")
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
        (["--table", "III", "--grid", "beta"], "--grid 'beta' is not of the form key=a,b,..."),
        (["--table", "III", "--set", "beta"], "--set 'beta' is not of the form key=a,b,..."),
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


def test_a_picture_has_a_line_and_a_band_for_each_agent() -> None:
    """Rewards 0 and 1 are drawn at the bottom and at the top of the first panel."""
    picture = ElementTree.fromstring(svg_of("A & B", {"<a>": [curve(0, 1)], "b": [curve(0, 0)]}))
    lines = [shape for shape in picture.iter() if shape.tag.endswith("polyline")]
    bands = [shape for shape in picture.iter() if shape.tag.endswith("polygon")]
    assert len(lines) == len(bands) == 4
    texts = [text.text for text in picture.iter() if text.tag.endswith("text")]
    assert {"A & B", "<a>", "b", "reward per game", "moves per game", "games"} <= set(texts)
    rising, level = (
        [float(pair.split(",")[1]) for pair in line.attrib["points"].split()] for line in lines[:2]
    )
    assert rising[0] == level[0] == level[1]
    assert rising[1] < level[1]  # places count from the top


def test_level_curves_can_be_drawn() -> None:
    assert "nan" not in svg_of("level", {"it": [curve(0.0, 0.0)]})


def test_a_band_is_around_the_mean() -> None:
    band = band_of([curve(0, 0), curve(1, 1), curve(5, 5)], "reward")
    np.testing.assert_allclose(band.lowest, [0, 0])
    np.testing.assert_allclose(band.mean, [2, 2])
    np.testing.assert_allclose(band.highest, [5, 5])


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (-0.63, 0.55, [-1, -0.5, 0, 0.5]),
        (0, 100_000, [0, 20_000, 40_000, 60_000, 80_000, 100_000]),
        (3, 3, [3]),
    ],
)
def test_ticks_are_round_numbers(low: float, high: float, expected: list[float]) -> None:
    assert ticks(low, high) == pytest.approx(expected)
