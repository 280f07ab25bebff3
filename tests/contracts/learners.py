"""What contract tests run on: every learner with its quickest preset, and a toy."""

import json
import tempfile
from functools import cache
from pathlib import Path

from selfmate.learners import LEARNERS, Learner
from selfmate.learners.config import Config, read_config
from selfmate.presets import presets_of
from selfmate.runs.on_disk import RunOnDisk, Session
from unit.data.collected import collect
from unit.data.imported import import_random_games
from unit.learners.toy import TOY

CONTRACTED = (*LEARNERS.values(), TOY)


def needs(learner: Learner) -> list[str]:
    """The settings that a learner cannot do without: something to be taught with."""
    if "data" not in learner.config_class.model_fields:
        return []
    data = _some_games() if learner.name == "pretrain-dqn" else _some_chunks()
    return [f"data={json.dumps([str(data)])}"]


@cache
def _some_games() -> Path:
    path = Path(tempfile.mkdtemp(prefix="selfmate-tests-")) / "games.ndjson"
    collect(path)
    return path


@cache
def _some_chunks() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="selfmate-tests-")) / "chunks"
    import_random_games(folder)
    return folder


def quickest_preset(learner: Learner) -> str:
    """`try`, where `tiny` is a net that really learns."""
    return "try" if "try" in presets_of(learner.name) else "tiny"


def tiny(learner: Learner, *sets: str, seed: int | None = None) -> Config:
    preset = quickest_preset(learner)
    return read_config(learner, preset=preset, sets=[*needs(learner), *sets], seed=seed)


def train(learner: Learner, config: Config, directory: Path, session: Session) -> RunOnDisk:
    """A sitting of a run, as `selfmate train` has them."""
    with learner.open_run(config, directory, session) as run:
        learner.train(config, run)
    return run
