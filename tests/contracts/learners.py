"""What contract tests run on: every learner with its preset `tiny`, and a toy that is quick."""

import json
import tempfile
from functools import cache
from pathlib import Path

from selfmate.learners import LEARNERS, Learner
from selfmate.learners.config import Config, read_config
from selfmate.runs.on_disk import RunOnDisk, Session
from unit.data.collected import collect
from unit.learners.toy import TOY

CONTRACTED = (*LEARNERS.values(), TOY)


def needs(learner: Learner) -> list[str]:
    """The settings that a learner cannot do without: something to be taught with."""
    if "data" not in learner.config_class.model_fields:
        return []
    return [f"data={json.dumps([str(_some_games())])}"]


@cache
def _some_games() -> Path:
    path = Path(tempfile.mkdtemp(prefix="selfmate-tests-")) / "games.ndjson"
    collect(path)
    return path


def tiny(learner: Learner, *sets: str, seed: int | None = None) -> Config:
    return read_config(learner, preset="tiny", sets=[*needs(learner), *sets], seed=seed)


def train(learner: Learner, config: Config, directory: Path, session: Session) -> RunOnDisk:
    """A sitting of a run, as `selfmate train` has them."""
    with learner.open_run(config, directory, session) as run:
        learner.train(config, run)
    return run
