"""Metrics of single gradient updates: lines of many updates, which follow the steps of the run."""

import json
from contextlib import suppress
from pathlib import Path

import pytest

from selfmate.runs.directory import RunDirectory
from selfmate.runs.run import Step
from selfmate.runs.session import Session, open_run
from unit.runs.toy import HEADER, PLAYER, POLICY, SIZE, TOTAL, ToyState, run_toy


def test_updates_have_numbers_and_share_lines(tmp_path: Path) -> None:
    losses = [1 / number for number in range(1, 2502)]
    with open_run(tmp_path, HEADER, POLICY, Session()) as run:
        for step in run.steps(ToyState(), total=2, unit="episodes", player=PLAYER):
            first = 1 if step.number == 1 else 2502
            step.log_updates(first, {"loss": losses if step.number == 1 else [0.5, 0.25]})
            with pytest.raises(RuntimeError, match=f"step {step.number} has logged its updates"):
                step.log_updates(first, {"loss": [1.0]})
            step.record({})
    lines = (tmp_path / "updates.jsonl").read_text().splitlines()
    assert [json.loads(line)["first"] for line in lines] == [1, 1001, 2001, 2502]
    found = RunDirectory(tmp_path).updates()
    assert found["update"].tolist() == list(range(1, 2504))
    assert found["loss"] == pytest.approx([*losses, 0.5, 0.25], rel=1e-5)


def test_updates_after_the_checkpoint_are_dropped_on_resume(tmp_path: Path) -> None:
    run_toy(tmp_path / "whole")
    whole = RunDirectory(tmp_path / "whole")
    assert whole.updates()["update"].tolist() == list(range(1, TOTAL + 1))
    levels = whole.updates()["level"][SIZE - 1 :: SIZE]
    assert levels == pytest.approx(whole.columns()["level"][: len(levels)], rel=1e-5)
    with suppress(KeyboardInterrupt):
        run_toy(tmp_path / "broken", before=interrupt_after_the_checkpoint)
    lines = (tmp_path / "broken" / "updates.jsonl").read_text().splitlines()
    (tmp_path / "broken" / "updates.jsonl").write_text("\n".join(lines) + '\n{"step": 9, "fir')
    run_toy(tmp_path / "broken", Session(resume=True))
    expected = (tmp_path / "whole" / "updates.jsonl").read_bytes()
    assert (tmp_path / "broken" / "updates.jsonl").read_bytes() == expected


def interrupt_after_the_checkpoint(step: Step) -> None:
    if step.number == 8:
        raise KeyboardInterrupt
