"""What contract tests run on: every learner, also those of other packages, and a toy."""

import json
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path

from contracts.reference import make_once
from selfmate.learners.config import Config, read_config
from selfmate.learners.learner import Learner
from selfmate.learners.registry import LEARNERS
from selfmate.runs.session import DiskRun, Session
from unit.data.imported import import_random_games
from unit.learners.toy import TOY

TRY = "try"  # the preset of every learner that takes seconds
SMALL_SPARSE_NET = ("net=sparse", "accumulator=32", "policy_width=32")
# Learners with another kind of net than by default, and the settings that make it so.
VARIANTS = {
    "alphazero-sparse": (
        replace(LEARNERS["alphazero"], summary="a sparse net plays itself"),
        (*SMALL_SPARSE_NET, "random_plies=4", "search_value_fraction=0.5"),
    ),
    "pretrain-alphazero-sparse": (
        replace(LEARNERS["pretrain-alphazero"], summary="a sparse net learns from the teacher"),
        (
            *SMALL_SPARSE_NET,
            "optimizer=adam",
            "gradient_accumulation=1",
            "batch_size=4",
            "positions=1024",
            "teacher_depth=1",
            "own_fraction=0.5",
        ),
    ),
    "searchless-zero": (
        replace(LEARNERS["searchless"], summary="a transformer learns the rules, then to win"),
        (
            "games=16",
            "games_per_start=2",
            "max_plies=24",
            "rules_cycles=1",
            "average_cycles=2",
            "endgame_fraction=0.5",
            "mate_fraction=0.5",
            "vs_random=0.5",
            "plays_mate_in_one=true",
            "unplayed_target=reinforce",
        ),
    ),
}
CONTRACTED = (*LEARNERS.values(), *(learner for learner, _ in VARIANTS.values()), TOY)


def name_of(learner: Learner) -> str:
    """Of a learner or a variant."""
    return next((name for name, (one, _) in VARIANTS.items() if one is learner), learner.name)


def required_settings(learner: Learner) -> list[str]:
    """The settings without which a learner cannot start: data to train on. And a variant's."""
    if name_of(learner) in VARIANTS:
        return list(VARIANTS[name_of(learner)][1])
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
