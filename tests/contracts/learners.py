"""What contract tests run on: every learner, also those of other packages, and a toy."""

import json
import tempfile
from functools import cache
from pathlib import Path

from contracts.reference import make_once
from selfmate.learners.config import Config, read_config
from selfmate.learners.learner import Learner
from selfmate.learners.registry import LEARNERS
from selfmate.runs.session import DiskRun, Session
from unit.data.imported import import_random_games
from unit.learners.toy import TOY

CONTRACTED = (*LEARNERS.values(), TOY)
TRY = "try"  # the preset of every learner that takes seconds


def required_settings(learner: Learner) -> list[str]:
    """The settings without which a learner cannot start: data to train on."""
    if "data" not in learner.config_class.model_fields or learner.name == "pretrain-dqn":
        return []
    data = make_once(data_folder() / "chunks", import_random_games)
    return [f"data={json.dumps([str(data)])}"]


@cache
def data_folder() -> Path:
    """Contract tests replace it by a folder that all processes of a test run share."""
    return Path(tempfile.mkdtemp(prefix="selfmate-tests-"))


def quick(learner: Learner, *sets: str, seed: int | None = None) -> Config:
    """The preset that takes seconds."""
    return read_config(learner, preset=TRY, sets=[*required_settings(learner), *sets], seed=seed)


def command_of(learner: Learner) -> tuple[str, ...]:
    """The command line of a run with the settings of `quick`, new or resumed, for `run_killed`; the
    run's directory is to follow."""
    program = "unit.learners.toy" if learner is TOY else "selfmate.__main__"
    settings = [f"--set={setting}" for setting in required_settings(learner)]
    preset = ("--preset", TRY)
    return (program, *learner.command.split(), *preset, *settings, "--resume", "--run")


def train(learner: Learner, config: Config, directory: Path, session: Session) -> DiskRun:
    """One session of a run, in this process."""
    with learner.open_run(config, directory, session) as run:
        learner.train(config, run)
    return run
