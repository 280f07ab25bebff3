"""`selfmate train`: what it writes, how it ends, how it resumes."""

import json
from pathlib import Path
from shutil import copytree, rmtree

import pytest

from selfmate.learners.config import settings_of
from selfmate.runs.directory import RunDirectory
from unit.cli.process import selfmate
from unit.cli.toy_process import files_below, outcome, toy
from unit.learners import toy as toy_learner
from unit.learners.wrong_settings import wrong_settings

MOMENT = ("--minutes", "1e-9")  # ends after one step
SOME_WRONG = [f"{key}={value}" for key, value in list(wrong_settings(toy_learner.Config))[::13]]


def steps_of(run: Path) -> list[int]:
    return [json.loads(line)["step"] for line in (run / "metrics.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unbroken")
    done = toy("train", "toy", "--preset", "try", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "runs" / "toy-try-1"


def test_a_run_prints_its_plan_and_a_report(tmp_path: Path) -> None:
    done = toy("train", "toy", "--preset", "try", "--set", "rate=0.2", cwd=tmp_path)
    assert done.returncode == 0
    for text in ("toy: a random walk", "runs/toy-try-1", "rate = 0.2", "300 episodes"):
        assert text in done.stderr
    assert "keep_last" not in done.stderr
    for text in ("finished: runs/toy-try-1", "300 of 300", "reward", "best", "selfmate inspect"):
        assert text in done.stdout
    assert "\x1b" not in done.stdout + done.stderr


def test_json_is_one_object(unbroken: Path, tmp_path: Path) -> None:
    report = json.loads(toy("train", "toy", "--preset", "try", "--json", cwd=tmp_path).stdout)
    last = json.loads((unbroken / "metrics.jsonl").read_text().splitlines()[-1])
    assert report["last"] == {key: last[key] for key in ("reward", "moves", "loss")}
    assert (report["run"], report["learner"]) == ("runs/toy-try-1", "toy")
    assert (report["state"], report["done"], report["total"]) == ("finished", 300, 300)
    assert report["best"].keys() == {"step", "score"}
    assert report["seconds"] > 0


def test_runs_are_numbered(tmp_path: Path) -> None:
    for arguments in ([], [], ["--preset", "try"]):
        assert toy("train", "toy", *MOMENT, *arguments, cwd=tmp_path).returncode == 0
    names = {path.name for path in (tmp_path / "runs").iterdir()}
    assert names == {"toy-default-1", "toy-default-2", "toy-try-1"}


def test_a_paused_run_resumes_bit_for_bit(unbroken: Path, tmp_path: Path) -> None:
    paused = toy("train", "toy", "--preset", "try", *MOMENT, cwd=tmp_path)
    assert paused.returncode == 0
    assert "paused: runs/toy-try-1, 20 of 300" in paused.stdout
    assert "selfmate train toy --run runs/toy-try-1 --resume" in paused.stdout
    again = toy("train", "toy", "--run", "runs/toy-try-1", "--resume", cwd=tmp_path)
    assert "20 of them done" in again.stderr
    assert again.returncode == 0
    assert outcome(tmp_path / "runs" / "toy-try-1") == outcome(unbroken)


def test_a_run_pauses_after_so_many_more_episodes(unbroken: Path, tmp_path: Path) -> None:
    """Steps are of 20; the estimate is for this session."""
    first = toy("train", "toy", "--preset", "try", "--pause-after", "50", cwd=tmp_path)
    assert first.returncode == 0
    assert "300 episodes, 60 until the pause, " in first.stderr
    assert "paused: runs/toy-try-1, 60 of 300" in first.stdout
    resume = ("train", "toy", "--run", "runs/toy-try-1", "--resume")
    second = toy(*resume, "--pause-after", "1", cwd=tmp_path)
    assert "300 episodes, 60 of them done, 20 until the pause, " in second.stderr
    assert "paused: runs/toy-try-1, 80 of 300" in second.stdout
    last = toy(*resume, "--pause-after", "220", cwd=tmp_path)
    assert "until the pause" not in last.stderr
    assert "finished: runs/toy-try-1, 300 of 300" in last.stdout
    assert outcome(tmp_path / "runs" / "toy-try-1") == outcome(unbroken)


@pytest.mark.parametrize(
    ("name", "state", "code"),
    [("SIGINT", "stopped", 130), ("SIGTERM", "stopped", 143), ("SIGUSR1", "paused", 0)],
)
def test_a_signal_saves_and_the_report_says_how_to_resume(
    name: str, state: str, code: int, tmp_path: Path
) -> None:
    sets = ("--preset", "try", "--set", "signal_at=5", "--set", f"signal={name}")
    stopped = toy("train", "toy", *sets, cwd=tmp_path)
    assert stopped.returncode == code
    assert f"{state}: runs/toy-try-1, 100 of 300" in stopped.stdout
    assert "--run runs/toy-try-1 --resume" in stopped.stdout
    resumed = toy("train", "toy", *sets, "--resume", cwd=tmp_path)
    assert resumed.returncode == 0
    assert steps_of(tmp_path / "runs" / "toy-try-1") == list(range(1, 16))


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_second_signal_ends_it_without_a_traceback(
    name: str, code: int, unbroken: Path, tmp_path: Path
) -> None:
    sets = ("--set", "signal_at=5", "--set", f"signal={name}", "--set", "signal_times=2")
    ended = toy("train", "toy", "--preset", "try", *sets, "--run", "r", cwd=tmp_path)
    assert ended.returncode == code
    assert "Traceback" not in ended.stderr
    assert steps_of(tmp_path / "r") == [1, 2, 3, 4]


def test_resume_without_a_directory_finds_the_run_with_the_same_settings(tmp_path: Path) -> None:
    for seed in ("1", "2"):
        toy("train", "toy", "--preset", "try", "--seed", seed, *MOMENT, cwd=tmp_path)
    resume = ("train", "toy", "--preset", "try", "--resume", "--json")
    assert json.loads(toy(*resume, cwd=tmp_path).stdout)["run"] == "runs/toy-try-1"
    assert json.loads(toy(*resume, "--seed", "2", cwd=tmp_path).stdout)["run"] == "runs/toy-try-2"
    new = json.loads(toy(*resume, "--seed", "3", cwd=tmp_path).stdout)
    assert (new["run"], new["state"]) == ("runs/toy-try-3", "finished")


def test_resuming_a_finished_run_changes_nothing(unbroken: Path, tmp_path: Path) -> None:
    before = outcome(unbroken)
    same = ("--run", str(unbroken), "--resume", "--device", "cpu")
    done = toy("train", "toy", *same, cwd=tmp_path)
    assert done.returncode == 0
    assert "is finished already" in done.stderr
    assert outcome(unbroken) == before


def test_the_old_name_of_a_preset_works_with_a_notice(tmp_path: Path) -> None:
    wrong = ("--set", "nonesuch=1")  # so that nothing is trained
    refused = selfmate("train", "alphazero", "--preset", "seed", *wrong, cwd=tmp_path)
    notice, sentence = refused.stderr.splitlines()
    assert notice == "the preset 'seed' is called 'reference' now"
    assert "alphazero has no setting 'nonesuch'" in sentence


def test_a_run_with_settings_of_version_0_1_is_refused(tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "config.toml").write_text(
        'learner = "alphazero"\n\n[config]\nseed = 1\nnoise_share = 0.25\n'
    )
    refused = selfmate("train", "alphazero", "--run", "r", "--resume", cwd=tmp_path)
    assert refused.returncode == 2
    assert "r was written by version 0.1" in refused.stderr
    assert "with --load r" in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert files_below(tmp_path) == {"r", "r/config.toml"}


@pytest.mark.parametrize("other", [["--seed", "4"], ["--set", "rate=0.5"], ["--preset", "try"]])
def test_another_configuration_is_not_resumed(other: list[str], tmp_path: Path) -> None:
    toy("train", "toy", "--run", "r", *MOMENT, cwd=tmp_path)
    before = outcome(tmp_path / "r")
    refused = toy("train", "toy", "--run", "r", "--resume", *other, cwd=tmp_path)
    assert refused.returncode == 2
    assert "r was started with" in refused.stderr
    assert outcome(tmp_path / "r") == before


def test_the_settings_of_a_run_can_be_used_again(unbroken: Path, tmp_path: Path) -> None:
    file = str(unbroken / "config.toml")
    toy("train", "toy", "--config", file, "--run", "again", cwd=tmp_path)
    assert outcome(tmp_path / "again") == outcome(unbroken)


def test_a_metric_that_is_not_finite_ends_the_run_with_code_1(tmp_path: Path) -> None:
    failed = toy("train", "toy", "--set", "break_at=7", "--run", "r", cwd=tmp_path)
    assert failed.returncode == 1
    assert "selfmate: reward became nan in step 7" in failed.stderr
    assert failed.stdout == ""
    assert steps_of(tmp_path / "r") == [1, 2, 3, 4, 5, 6]


def test_corrupt_checkpoints_are_skipped_and_named(tmp_path: Path) -> None:
    toy("train", "toy", "--preset", "try", "--set", "signal_at=9", "--run", "r", cwd=tmp_path)
    checkpoints = sorted((tmp_path / "r" / "checkpoints").iterdir())
    for path in checkpoints[1:]:
        (path / "card.json").write_text("{}")
    again = toy("train", "toy", "--run", "r", "--resume", *MOMENT, cwd=tmp_path)
    assert again.returncode == 0
    assert f"r/checkpoints/{checkpoints[-1].name} cannot be used: " in again.stderr
    for path in (tmp_path / "r" / "checkpoints").iterdir():
        (path / "card.json").write_text("{}")
    lost = toy("train", "toy", "--run", "r", "--resume", cwd=tmp_path)
    assert lost.returncode == 1
    assert "none of the checkpoints in r/checkpoints can be used" in lost.stderr


def test_weights_of_another_run_can_be_loaded(unbroken: Path, tmp_path: Path) -> None:
    options = ("--preset", "try", "--seed", "9")
    for more in (("--run", "plain"), ("--run", "loaded", "--load", str(unbroken))):
        assert toy("train", "toy", *options, *more, cwd=tmp_path).returncode == 0
    assert outcome(tmp_path / "plain") != outcome(tmp_path / "loaded")
    misfit = ("--set", "hidden=[5]", "--run", "misfit", "--load", str(unbroken))
    refused = toy("train", "toy", *misfit, cwd=tmp_path)
    assert refused.returncode == 2
    assert "do not fit" in refused.stderr
    assert not (tmp_path / "misfit").exists()


def test_the_weights_to_load_are_a_setting_of_the_run(unbroken: Path, tmp_path: Path) -> None:
    """The run remembers where it started from, and does not need it to resume."""
    other = tmp_path / "other"
    copytree(unbroken, other)
    for name, how in (("option", ("--load", "other")), ("file", ("--config", "mine.toml"))):
        (tmp_path / "mine.toml").write_text('load = "other"\n')
        started = ("train", "toy", "--seed", "9", "--run", name, *how)
        assert toy(*started, *MOMENT, cwd=tmp_path).returncode == 0
        assert RunDirectory(tmp_path / name).config["load"] == "other"
    rmtree(other)
    again = toy("train", "toy", "--run", "option", "--resume", *MOMENT, cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    step = RunDirectory(tmp_path / "option").status().step
    another = ("--run", "option", "--resume", "--load", "elsewhere")
    refused = toy("train", "toy", *another, cwd=tmp_path)
    assert 'was started with load = "other", not "elsewhere"' in refused.stderr
    assert RunDirectory(tmp_path / "option").status().step == step
    gone = toy("train", "toy", "--config", "mine.toml", cwd=tmp_path)
    assert gone.returncode == 2
    assert "there are no weights to load: other is not a run" in gone.stderr
    assert not (tmp_path / "runs").exists()


def test_every_setting_is_listed(tmp_path: Path) -> None:
    listed = toy("train", "toy", "--settings", cwd=tmp_path)
    assert listed.returncode == 0
    for name, setting in settings_of(toy_learner.Config).items():
        assert name in listed.stdout
        assert setting.description.split()[0] in listed.stdout
    assert files_below(tmp_path) == set()


def test_metrics_are_mirrored_to_tensorboard(tmp_path: Path) -> None:
    done = toy("train", "toy", "--preset", "try", "--run", "r", "--tensorboard", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert list((tmp_path / "r" / "tensorboard").glob("events.*"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nonesuch"], "no learner 'nonesuch' to train; there are: sarsa, ddqn"),
        (["toy", "--preset", "large"], "toy has no preset 'large'; there are: default, try"),
        (["toy", "--config", "none.toml"], "there is no file none.toml"),
        (["toy", "--set", "rate"], "--set takes key=value, not 'rate'"),
        (["toy", "--set", "rat=1"], "did you mean rate?"),
        (["toy", "--seed", "-1"], "'-1' is not a whole number from 0 to"),
        (["toy", "--minutes", "0"], "'0' is not a number above 0"),
        (["toy", "--minutes", "nan"], "'nan' is not a number above 0"),
        (["toy", "--pause-after", "0"], "'0' is not a whole number from 1 to"),
        (["toy", "--pause-after", "1.5"], "'1.5' is not a whole number from 1 to"),
        (["toy", "--load", "none"], "none is not a run"),
        (["toy", "--device", "cuda"], "train toy cannot compute on 'cuda'; --device is cpu"),
        (["toy", "--run", "/dev/null/x"], "Not a directory"),
        *[(["toy", "--set", text], f"{text.partition('=')[0]} cannot be") for text in SOME_WRONG],
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(
    arguments: list[str], message: str, tmp_path: Path
) -> None:
    refused = toy("train", *arguments, cwd=tmp_path)
    assert refused.returncode == 2
    assert message in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert refused.stdout == ""
    assert files_below(tmp_path) == set()


def test_a_directory_in_use_is_refused(unbroken: Path, tmp_path: Path) -> None:
    before = outcome(unbroken)
    refused = toy("train", "toy", "--run", str(unbroken), cwd=tmp_path)
    assert refused.returncode == 2
    assert "holds a run already: continue it with --resume" in refused.stderr
    assert outcome(unbroken) == before
