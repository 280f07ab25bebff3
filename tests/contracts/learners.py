"""What contract tests run on: every learner with its preset `tiny`, and a toy that is quick."""

from pathlib import Path

from selfmate.learners import LEARNERS, Learner
from selfmate.learners.config import Config, read_config
from selfmate.runs.on_disk import RunOnDisk, Session
from unit.learners.toy import TOY

CONTRACTED = (*LEARNERS.values(), TOY)


def tiny(learner: Learner, *sets: str, seed: int | None = None) -> Config:
    return read_config(learner, preset="tiny", sets=sets, seed=seed)


def train(learner: Learner, config: Config, directory: Path, session: Session) -> RunOnDisk:
    """A sitting of a run, as `selfmate train` has them."""
    with learner.open_run(config, directory, session) as run:
        learner.train(config, run)
    return run
