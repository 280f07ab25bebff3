"""A killed run resumes bit for bit, for every learner: killed wherever it writes files, sometimes
in the middle of a checkpoint, sometimes again while it resumes."""

import os
import random
from pathlib import Path

from contracts.kill import run_killed, was_killed
from contracts.learners import command_of
from contracts.reference import Reference
from selfmate.learners.learner import Learner
from unit.cli.toy_process import outcome

KILLS = int(os.environ.get("SELFMATE_KILLS", "3"))


def test_a_killed_run_resumes_bit_for_bit(
    learner: Learner, reference: Reference, tmp_path: Path
) -> None:
    command = command_of(learner)
    rng = random.Random(learner.name)
    for event in [rng.randint(1, reference.events) for _ in range(KILLS)]:
        killed = run_killed(event, *command, "killed", cwd=tmp_path)
        assert was_killed(killed) or killed.returncode == 0, killed.stderr
    resumed = run_killed(0, *command, "killed", cwd=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    assert outcome(tmp_path / "killed") == outcome(reference.run)
