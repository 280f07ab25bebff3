"""A killed run goes on bit for bit, for every learner: killed wherever it writes, some inside a
save, some again while going on."""

import os
import random
from pathlib import Path

from contracts.kill import events_of, run_killed, was_killed
from contracts.learners import needs, quickest_preset
from selfmate.learners import Learner
from unit.cli.toy_process import outcome
from unit.learners.toy import TOY

KILLS = int(os.environ.get("SELFMATE_KILLS", "3"))


def test_a_killed_run_goes_on_bit_for_bit(learner: Learner, tmp_path: Path) -> None:
    program = "unit.learners.toy" if learner is TOY else "selfmate.__main__"
    settings = [f"--set={setting}" for setting in needs(learner)]
    preset = quickest_preset(learner)
    start = (program, *learner.command.split(), "--preset", preset, *settings)
    command = (*start, "--resume", "--run")
    unbroken = run_killed(0, *command, "unbroken", cwd=tmp_path)
    assert unbroken.returncode == 0, unbroken.stderr
    dice = random.Random(learner.name)
    for event in [dice.randint(1, events_of(unbroken)) for _ in range(KILLS)]:
        killed = run_killed(event, *command, "killed", cwd=tmp_path)
        assert was_killed(killed) or killed.returncode == 0, killed.stderr
    resumed = run_killed(0, *command, "killed", cwd=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    assert outcome(tmp_path / "killed") == outcome(tmp_path / "unbroken")
