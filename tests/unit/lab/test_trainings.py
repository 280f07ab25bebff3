"""Trainings are started as on the command line, and only the process that writes a run gets
signals."""

import re
import sys
from pathlib import Path

import pytest

from selfmate.lab.errors import BusyError, NotFoundError
from selfmate.lab.run_feed import RunFeed, RunList
from selfmate.lab.runs_folder import RunsFolder
from selfmate.lab.trainings import NewTraining, Trainings
from selfmate.runs.card import CONFIG, Header
from selfmate.runs.directory import RunDirectory
from selfmate.runs.session import Session, open_run
from selfmate.runs.status import Status
from unit.cli.process import selfmate
from unit.lab.run_writer import writer
from unit.lab.topic_data import data_of
from unit.runs.toy import HEADER, PLAYER, POLICY, ToyState

TINY = {"episodes": "300", "hidden": "[8]", "evaluate_every": "100"}


@pytest.fixture
def runs(tmp_path: Path) -> RunsFolder:
    return RunsFolder(tmp_path / "runs")


@pytest.fixture
def trainings(runs: RunsFolder) -> Trainings:
    return Trainings(runs)


def make_run(path: Path, steps: int = 1) -> RunDirectory:
    """With a step of five games and no more to come."""
    with open_run(path, HEADER, POLICY, Session()) as run:
        for step in run.steps(ToyState(), total=5 * steps, unit="games", size=5, player=PLAYER):
            step.record({"loss": 1 / step.number})
    return RunDirectory(path)


def wait_for(trainings: Trainings, name: str) -> None:
    """Until the process has ended."""
    trainings._started[name].job.wait()


def test_a_training_is_started_paused_and_resumed(runs: RunsFolder, trainings: Trainings) -> None:
    rows = RunList(runs, trainings)
    order = NewTraining(learner="ddqn", preset="try", settings=TINY, pause_after=100)
    name = trainings.start(order)
    assert name == "ddqn-try-1"
    assert RunFeed(runs.path / name, trainings).version()
    rows.version()
    assert [(row["name"], row["state"]) for row in data_of(rows)] == [(name, "starting")]
    with pytest.raises(BusyError, match="there is a run ddqn-try-1 already"):
        trainings.start(order.model_copy(update={"name": name}))
    wait_for(trainings, name)
    status = runs.run(name).status()
    assert (status.state, status.done, status.total) == ("paused", 100, 300)
    assert trainings.start_of(name).state == ""
    trainings.resume(name, None)
    with pytest.raises(BusyError, match="ddqn-try-1 is running already"):
        trainings.resume(name, None)
    wait_for(trainings, name)
    assert runs.run(name).status().state == "finished"
    with pytest.raises(BusyError, match="ddqn-try-1 is finished: nothing is left to do"):
        trainings.resume(name, 100)
    assert sorted(path.name for path in runs.path.iterdir()) == [name]


def test_a_failed_start_has_the_message_of_its_process(
    runs: RunsFolder, trainings: Trainings
) -> None:
    make_run(runs.path / "toy")
    name = trainings.start(NewTraining(learner="ddqn", preset="try", name="x", load="toy"))
    wait_for(trainings, name)
    start = trainings.start_of(name)
    assert start.state == "failed"
    assert start.problem.startswith("the weights to load do not fit")
    feed = RunFeed(runs.path / name, trainings)
    feed.version()
    assert data_of(feed)["problem"] == start.problem
    assert not (runs.path / name).exists()


MASTERS = "masters: there is no {!r} in a folder that this lab may read"


@pytest.mark.parametrize(
    "path",
    [
        "/etc",
        "/no-such",
        "secret",
        "missing",
        "data/../secret",
        "data/circle",
        "~",
        "x\0",
        "x" * 80,
    ],
)
def test_which_files_exist_is_not_told(tmp_path: Path, runs: RunsFolder, path: str) -> None:
    """Nor by a link out of a folder that may be read."""
    (tmp_path / "data").mkdir()
    (tmp_path / "secret").mkdir()
    (tmp_path / "data" / "link").symlink_to(tmp_path / "secret")
    (tmp_path / "data" / "circle").symlink_to(tmp_path / "data" / "circle")
    for data in ((), (tmp_path / "data",)):
        for asked in (path, "data/link"):
            new = NewTraining(learner="alphazero", preset="try", settings={"masters": asked})
            with pytest.raises(ValueError, match=re.escape(MASTERS.format(asked))):
                Trainings(runs, data).start(new)
    assert not runs.path.exists()


def test_files_below_a_folder_that_was_given_are_read(tmp_path: Path, runs: RunsFolder) -> None:
    """The training itself says that there are no games in it."""
    (tmp_path / "data" / "games").mkdir(parents=True)
    trainings = Trainings(runs, [tmp_path / "data"])
    for asked in ("data/games", str(tmp_path / "data" / "games")):
        new = NewTraining(learner="alphazero", preset="try", settings={"masters": asked})
        name = trainings.start(new)
        wait_for(trainings, name)
        assert "games" in trainings.start_of(name).problem


def test_weights_to_load_are_runs_of_this_lab_or_nets_that_ship(
    tmp_path: Path, runs: RunsFolder, trainings: Trainings
) -> None:
    make_run(runs.path / "toy")
    make_run(tmp_path / "elsewhere" / "toy")
    for load in ("elsewhere/toy", "missing", "/etc", "runs/../elsewhere/toy"):
        new = NewTraining(learner="ddqn", preset="try", settings={"load": load})
        with pytest.raises(ValueError, match=f"load: there is no {load!r} in a folder"):
            trainings.start(new)
    for load in ("runs/toy", "searchless-tiny"):
        name = trainings.start(NewTraining(learner="ddqn", preset="try", settings={"load": load}))
        wait_for(trainings, name)
        assert trainings.start_of(name).problem.startswith("the weights to load do not fit")


def test_a_start_can_be_taken_back(runs: RunsFolder, trainings: Trainings) -> None:
    name = trainings.start(NewTraining(learner="ddqn", preset="try"))
    trainings.stop(name)
    with pytest.raises(NotFoundError):
        trainings.check(name)
    assert not runs.path.exists() or not list(runs.path.iterdir())


def test_two_tabs_take_a_start_back(trainings: Trainings, monkeypatch: pytest.MonkeyPatch) -> None:
    name = trainings.start(NewTraining(learner="ddqn", preset="try"))
    job = trainings._started[name].job
    end = job.end

    def end_twice() -> None:
        monkeypatch.setattr(job, "end", end)
        trainings.stop(name)

    monkeypatch.setattr(job, "end", end_twice)
    trainings.pause(name)
    assert not job.runs
    assert trainings.names() == []


def test_two_tabs_resume_a_run_at_the_same_time(
    runs: RunsFolder, trainings: Trainings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first has started it by the time that the second has its turn."""
    header = Header("ddqn", {"seed": 1})
    (runs.path / "mine").mkdir(parents=True)
    (runs.path / "mine" / CONFIG).write_bytes(header.to_toml())

    def status(_: RunDirectory) -> Status:
        return Status(state="running" if trainings._lock.locked() else "paused")

    monkeypatch.setattr(RunDirectory, "status", status)
    with pytest.raises(BusyError, match="mine is running already"):
        trainings.resume("mine", None)


def test_a_process_that_has_just_ended_is_not_signalled(
    runs: RunsFolder, trainings: Trainings, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_run(runs.path / "toy").path

    def nobody(pid: int, number: int) -> None:
        raise ProcessLookupError(3, "No such process")

    with writer(path, path):
        monkeypatch.setattr("selfmate.lab.trainings.os.kill", nobody)
        with pytest.raises(BusyError, match="toy has just ended"):
            trainings.pause("toy")
        monkeypatch.undo()


@pytest.mark.parametrize("settings", [{"episods": "5"}, {"optimizer": "<b>"}])
def test_wrong_settings_get_the_sentence_of_the_command_line(
    trainings: Trainings, settings: dict[str, str], tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=r"ddqn has no setting|cannot be") as refused:
        trainings.start(NewTraining(learner="ddqn", preset="try", settings=settings))
    sets = [f"--set={key}={value}" for key, value in settings.items()]
    said = selfmate("train", "ddqn", "--preset", "try", *sets, cwd=tmp_path)
    assert said.returncode == 2
    assert " ".join(said.stderr.split()) == f"selfmate: {refused.value}"


@pytest.mark.parametrize(
    "name",
    ["../x", "a/b", "..", ".hidden", "-x", "x" * 81, "<b>bold</b>", "a b", "x\n", "\0", "ü", "/x"],
)
def test_names_that_are_no_names_are_refused(
    runs: RunsFolder, trainings: Trainings, name: str
) -> None:
    with pytest.raises(ValueError, match="a run cannot be called"):
        trainings.start(NewTraining(learner="ddqn", preset="try", name=name))
    for ask in (trainings.pause, trainings.stop, trainings.delete, trainings.check):
        with pytest.raises(NotFoundError, match="there is no run"):
            ask(name)
    assert not runs.path.exists()


@pytest.mark.parametrize(
    "order",
    [
        NewTraining(learner="x"),
        NewTraining(learner="pretrain-sarsa"),
        NewTraining(learner="ddqn", preset="x"),
    ],
)
def test_there_must_be_such_a_learner_and_preset(trainings: Trainings, order: NewTraining) -> None:
    with pytest.raises(ValueError, match=r"no (learner|preset)"):
        trainings.start(order)


def test_the_process_that_writes_is_paused_or_stopped(
    runs: RunsFolder, trainings: Trainings
) -> None:
    """Whoever started it: another lab, or somebody on the command line."""
    path = make_run(runs.path / "toy").path
    with writer(path, path) as process:
        trainings.pause("toy")
        assert process.line() == "SIGUSR1"
        trainings.stop("toy")
        assert process.line() == "SIGTERM"
        with pytest.raises(BusyError, match="toy is running: stop it first"):
            trainings.delete("toy")
        assert path.exists()
    with pytest.raises(BusyError, match="toy is not running: it is killed"):
        trainings.pause("toy")


def test_a_run_is_stopping_until_it_ends_and_can_be_ended_at_once(
    runs: RunsFolder, trainings: Trainings
) -> None:
    """The writer hears signals and goes on."""
    path = make_run(runs.path / "toy").path
    feed = RunFeed(path, trainings)
    with writer(path, path) as process:
        for ask, state in ((trainings.pause, "pausing"), (trainings.stop, "stopping")):
            ask("toy")
            feed.version()
            assert data_of(feed)["state"] == state
        trainings.end("toy")
        process.wait()
        assert trainings.start_of("toy").state == ""
        assert runs.run("toy").status().state == "killed"
        with pytest.raises(BusyError, match="toy is not running: it is killed"):
            trainings.end("toy")


@pytest.mark.skipif(sys.platform != "linux", reason="others do not tell who holds a file")
def test_no_other_process_is(runs: RunsFolder, trainings: Trainings, tmp_path: Path) -> None:
    """The status names a bystander, and the lock is held by somebody else."""
    path = make_run(runs.path / "toy").path
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with writer(path), writer(elsewhere, path) as bystander:
        for written in ("", f"{bystander.pid}\n"):
            if written:
                (path / "lock").write_text(written)
            with pytest.raises(BusyError, match="toy is not running"):
                trainings.stop("toy")
        assert bystander.rest() == ""


def test_what_is_finished_can_be_deleted(runs: RunsFolder, trainings: Trainings) -> None:
    path = make_run(runs.path / "toy").path
    trainings.delete("toy")
    assert not path.exists()
    with pytest.raises(NotFoundError):
        trainings.delete("toy")
