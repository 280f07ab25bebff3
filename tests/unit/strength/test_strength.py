"""`selfmate strength`: plan, snapshots, resuming after a kill and Ctrl-C, table, page, picture."""

import json
import os
import select
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from contracts.kill import events_of, run_killed, was_killed
from selfmate.cli import make_app
from selfmate.cli.console import BadInputError
from selfmate.learners.config import read_config
from selfmate.learners.registry import find_learner
from selfmate.runs import RunDirectory
from selfmate.strength.families import DATA, FAMILIES, Stage, find_families
from selfmate.strength.measurement import Measurement
from selfmate.strength.plan import Plan, Request, make_plan
from selfmate.strength.report import PAGE, PICTURES, page_of, table_rows, write_pictures
from selfmate.strength.results import (
    RESULTS,
    Point,
    StrengthData,
    add_point,
    new_results,
    read_results,
    to_bytes,
)
from unit.cli.process import selfmate
from unit.strength.toy_verbs import CALLS, FAILS, INTERRUPT, ToyVerb

TOY = "unit.strength.toy_verbs"
TESTS = Path(__file__).parents[2]


def toy_plan(*names: str, minutes: tuple[float, ...] = (1, 3), seeds: int = 1) -> Plan:
    request = Request(
        families=find_families(names),
        starts=("nothing", "teacher"),
        minutes=minutes,
        seeds=seeds,
        games=200,
    )
    return make_plan(request)


def measure(plan: Plan, folder: Path) -> Measurement:
    data = read_results(folder) or new_results(quick=False)
    measurement = Measurement(plan, folder, data, say=lambda text: None)
    with patch("selfmate.strength.measurement.VerbProcess", ToyVerb):
        measurement.run(lambda: False, lambda: None)
    return measurement


def calls(folder: Path) -> list[str]:
    return (folder / CALLS).read_text().splitlines()


def point(**fields: Any) -> Point:
    values: dict[str, Any] = {
        "training": "dqn-nothing-1",
        "family": "dqn",
        "start": "nothing",
        "seed": 1,
        "minutes": 5.0,
        "trained_minutes": 4.5,
        "finished": False,
        "step": 3,
        "player": "snapshots/x:version=3,sims=400",
        "settings": "sims=400",
        "weights": "0" * 64,
        "elo": 500.0,
        "low": 400.0,
        "high": 600.0,
        "games": 200,
        "misfit": 1.0,
        "ruler_margin": 50.0,
        "commands": ["selfmate train dqn"],
        "versions": {"selfmate": "1"},
    }
    found: Point = values | fields  # type: ignore[assignment]
    return found


def some_results(*points: Point) -> StrengthData:
    data = new_results(quick=False)
    for one in points:
        add_point(data, one)
    return data


# ---- the table of families


def all_stages() -> list[Stage]:
    stages = [stage for family in FAMILIES for start in family.starts for stage in start.stages]
    return [*stages, *(stage.in_quick_mode() for stage in stages)]


@pytest.mark.parametrize(
    "stage", all_stages(), ids=lambda stage: f"{stage.verb}-{stage.learner}-{stage.preset}"
)
def test_every_stage_has_settings_that_its_learner_takes(stage: Stage) -> None:
    learner = find_learner(stage.learner, stage.verb)
    sets = [setting.replace(DATA, "games") for setting in stage.sets]
    sets += ['data=["games"]'] if stage.takes_data else []
    config = read_config(learner, preset=stage.preset, file=None, sets=sets, seed=1)
    assert config.seed == 1


def test_alphazero_means_both_of_its_nets() -> None:
    names = [family.name for family in find_families(["alphazero", "dqn"])]
    assert names == ["dqn", "alphazero-residual", "alphazero-sparse"]


# ---- measuring


def test_snapshots_of_one_run_at_their_times(tmp_path: Path) -> None:
    data = measure(toy_plan("reinforce"), tmp_path).data
    rows = [(one["minutes"], one["step"], one["trained_minutes"]) for one in data["points"]]
    # Steps last 40 s: the one that would end at 80 s is not part of the net after a minute.
    assert rows == [(1, 1, 0.6667), (3, 4, 2.6667)]
    assert [one["elo"] for one in data["points"]] == [100, 400]
    first, second = ("snapshots/reinforce-nothing-1-1min", "snapshots/reinforce-nothing-1-3min")
    assert RunDirectory(tmp_path / first).checkpoint("last").card.step == 1
    assert RunDirectory(tmp_path / second).checkpoint("last").card.step == 4
    assert calls(tmp_path)[1].startswith(f"rate {first}:lookahead=1 --games 200")
    assert data["points"][0]["player"] == f"{first}:version=1,lookahead=1"


def test_a_start_trains_first_and_its_time_counts(tmp_path: Path) -> None:
    plan = toy_plan("alphazero-sparse", minutes=(1, 4))
    teacher = [training for training in plan.trainings if training.start.name == "teacher"]
    data = measure(Plan(trainings=tuple(teacher), minutes=(1, 4), games=200), tmp_path).data
    run = "runs/alphazero-sparse-teacher-1"
    verbs = [call.partition(" --")[0] for call in calls(tmp_path) if not call.startswith("rate")]
    assert verbs == ["pretrain alphazero", "pretrain alphazero", "train alphazero"]
    assert f"--load {run}-pretrain --seed 1 --run {run}-train" in calls(tmp_path)[-2]
    # Two minutes of pretraining, then 120 s of training.
    assert [(one["minutes"], one["step"]) for one in data["points"]] == [(1, 1), (4, 2)]
    assert len(data["points"][1]["commands"]) == 3


def test_a_time_can_be_added_later_and_what_was_finished_stays(tmp_path: Path) -> None:
    measure(toy_plan("dqn", "reinforce", minutes=(1, 2)), tmp_path)
    before = (tmp_path / RESULTS).read_text().splitlines()
    done = len(calls(tmp_path))
    data = measure(toy_plan("dqn", minutes=(1, 2, 5), seeds=2), tmp_path).data
    kept = {line.rstrip(",") for line in before if '"training"' in line}
    assert kept <= {line.rstrip(",") for line in (tmp_path / RESULTS).read_text().splitlines()}
    assert len(data["points"]) == 2 * 6 + 2
    assert not any("-1-1min" in call for call in calls(tmp_path)[done:])


def test_a_time_that_is_past_is_refused(tmp_path: Path) -> None:
    measure(toy_plan("reinforce", minutes=(4,)), tmp_path)
    with pytest.raises(ValueError, match=r"is past 2 minutes already: its times are 4"):
        Measurement(toy_plan("reinforce", minutes=(2, 4)), tmp_path, new_results(quick=False))


def test_a_training_that_fails_does_not_stop_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FAILS, "reinforce")
    plan = toy_plan("reinforce", "searchless")
    failed = measure(plan, tmp_path)
    assert list(failed.failed) == ["reinforce-nothing-1"]
    assert "out of luck" in failed.failed["reinforce-nothing-1"]
    assert [one["family"] for one in failed.data["points"]] == ["searchless"] * 2
    monkeypatch.delenv(FAILS)
    assert len(measure(plan, tmp_path).data["points"]) == 4


def test_a_training_that_ends_by_itself_is_measured_once(tmp_path: Path) -> None:
    with patch("unit.strength.toy_verbs.ENDLESS", 2):
        data = measure(toy_plan("reinforce", minutes=(1, 5, 9)), tmp_path).data
    rows = [(one["minutes"], one["step"], one["finished"]) for one in data["points"]]
    assert rows == [(1, 1, False), (5, 2, True)]


def test_the_time_left_is_of_what_is_missing(tmp_path: Path) -> None:
    plan = toy_plan("reinforce", minutes=(10, 30))
    rating = plan.rating_minutes(next(iter(plan.parts())))
    measurement = Measurement(plan, tmp_path, new_results(quick=False))
    assert measurement.minutes_left() == pytest.approx(30 + 2 * rating)


# ---- killed and stopped

COMMAND = ("dqn", "--minutes", "1,3", "--seeds", "1", "--out", "out", "--quick", "--json")


def comparable(folder: Path) -> bytes:
    return (folder / "out" / RESULTS).read_bytes()


def test_killed_anywhere_it_continues_and_finished_figures_stay(tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    whole = run_killed(0, TOY, *COMMAND, cwd=tmp_path / "whole")
    assert whole.returncode == 0, whole.stderr
    assert "there is no picture: a picture needs matplotlib" in whole.stderr
    events = events_of(whole)
    (tmp_path / "killed").mkdir()
    for number in range(1, 6):
        killed = run_killed(events * number // 9, TOY, *COMMAND, cwd=tmp_path / "killed")
        if not was_killed(killed):
            assert number > 3
            break
        path = tmp_path / "killed" / "out" / RESULTS
        kept = json.loads(path.read_bytes())["points"] if path.exists() else []
        assert kept == json.loads(comparable(tmp_path / "whole"))["points"][: len(kept)]
    assert run_killed(0, TOY, *COMMAND, cwd=tmp_path / "killed").returncode == 0
    assert comparable(tmp_path / "killed") == comparable(tmp_path / "whole")
    assert (tmp_path / "killed/out" / PAGE).exists()


def test_ctrl_c_keeps_what_is_finished_and_names_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(INTERRUPT, "2")  # after a training and its rating
    stopped = run_killed(0, TOY, *COMMAND, cwd=tmp_path)
    assert stopped.returncode == 130
    assert "stopped; what is finished is kept, and the rest is measured by:" in stopped.stderr
    assert "strength dqn --minutes 1,3" in stopped.stderr
    before = comparable(tmp_path)
    assert len(json.loads(before)["points"]) == 1
    monkeypatch.delenv(INTERRUPT)
    done = run_killed(0, TOY, *COMMAND, cwd=tmp_path)
    assert done.returncode == 0
    assert len(json.loads(done.stdout)["points"]) == 2
    assert "1 rating of before stays" in done.stderr
    assert before.splitlines()[-3] in comparable(tmp_path)


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="only Linux can wait for strangers")
def test_a_verb_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, str(Path(__file__).with_name("orphan.py")), str(tmp_path)]
    parent = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    try:
        verb = os.pidfd_open(int(parent.stdout))
    except ProcessLookupError:
        return  # it has ended already
    assert select.select([verb], [], [], 60)[0]
    os.close(verb)


# ---- results


def test_results_are_read_back_and_a_point_is_a_line(tmp_path: Path) -> None:
    one, other = point(minutes=15.0), point(minutes=5.0)
    data = some_results(one, other)
    (tmp_path / RESULTS).write_bytes(to_bytes(data))
    assert read_results(tmp_path) == data
    assert [p["minutes"] for p in data["points"]] == [5, 15]
    lines = to_bytes(data).decode().splitlines()
    assert sum('"training"' in line for line in lines) == 2
    assert read_results(tmp_path / "nowhere") is None


@pytest.mark.parametrize("text", ["{", "[]", '{"format": 1}', "{}"])
def test_damaged_results_are_refused_with_a_sentence(text: str, tmp_path: Path) -> None:
    (tmp_path / RESULTS).write_text(text)
    with pytest.raises(ValueError, match="is damaged"):
        read_results(tmp_path)


def test_the_table_has_intervals_means_and_bounds() -> None:
    data = some_results(
        point(),
        point(seed=2, training="dqn-nothing-2", elo=600.0, low=450.0, high=700.0),
        point(minutes=15.0, high=None),
        point(family="searchless", training="searchless-nothing-1", settings="", low=None),
    )
    head, rows = table_rows(data)
    assert head == ["learns by", "starts from", "plays with", "5 min", "15 min"]
    assert rows == [
        ["DQN", "nothing", "`sims=400`", "550 (400 to 700)", "above 400"],
        ["Searchless", "nothing", "policy alone", "below 600", ""],
    ]


def test_the_page_names_command_versions_and_processor() -> None:
    data = some_results(point())
    data["commands"].append("selfmate strength dqn")
    page = page_of(data, has_picture=True)
    assert "| DQN | nothing | `sims=400` | 500 (400 to 600) |" in page
    assert "Command: `selfmate strength dqn`" in page
    assert "Versions: selfmate 1." in page
    assert f"Processor: {data['machine']['processor']}" in page
    assert f"({PICTURES[1]})" in page
    assert f"({PICTURES[1]})" not in page_of(data, has_picture=False)


def test_the_pictures_are_written_and_equal_figures_make_equal_files(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    data = some_results(point(), point(minutes=15.0, high=None), point(minutes=60.0, low=None))
    pictures = []
    for _ in range(2):
        write_pictures(tmp_path, data)
        pictures.append([(tmp_path / name).read_bytes() for name in PICTURES])
    assert pictures[0] == pictures[1]
    assert pictures[0][0].startswith(b"\x89PNG")
    assert b"minutes of training" in pictures[0][1]


# ---- the command line


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nobody"], "there are: dqn, reinforce, searchless, alphazero-residual, alphazero-sparse"),
        (["--minutes", "5,x"], "is no list of minutes above 0"),
        (["--minutes", "0"], "is no list of minutes above 0"),
        (["--minutes", "1e9"], "up to 100,000"),
        (["--from", "maybe"], "there are: nothing, teacher, games"),
        (["--from", "games"], "needs --data DIR"),
        (["reinforce", "--from", "teacher"], "there are: reinforce from nothing"),
        (["--data", "nowhere"], "nowhere"),
    ],
)
def test_wrong_input_is_a_sentence_and_writes_nothing(
    arguments: list[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInputError, match=sentence):
        make_app("strength")(["strength", *arguments], standalone_mode=False)
    assert not list(tmp_path.iterdir())


def test_results_of_another_machine_or_mode_are_not_added_to(tmp_path: Path) -> None:
    data = some_results(point())
    (tmp_path / RESULTS).write_bytes(to_bytes(data))
    app, out = make_app("strength"), ["--out", str(tmp_path)]
    with pytest.raises(BadInputError, match="holds a measurement without --quick"):
        app(["strength", "--quick", *out], standalone_mode=False)
    data["machine"]["cores"] += 1
    (tmp_path / RESULTS).write_bytes(to_bytes(data))
    with pytest.raises(BadInputError, match="which this machine does not have"):
        app(["strength", *out], standalone_mode=False)


def test_a_real_measurement_and_the_same_command_again(tmp_path: Path) -> None:
    command = ("strength", "reinforce", "--quick", "--minutes", "0.002,0.01", "--games", "2")
    run = selfmate(*command, "--out", "out", "--json", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "1 training, 2 ratings of 2 games, about" in run.stderr
    points = json.loads(run.stdout)["points"]
    assert [one["minutes"] for one in points] == [0.002, 0.01]
    assert all(one["player"].endswith("lookahead=1") for one in points)
    before = (tmp_path / "out" / RESULTS).read_bytes()
    again = selfmate(*command, "--out", "out", "--json", cwd=tmp_path)
    assert again.returncode == 0
    assert (tmp_path / "out" / RESULTS).read_bytes() == before
    page = (tmp_path / "out" / PAGE).read_text()
    assert "REINFORCE" in page
