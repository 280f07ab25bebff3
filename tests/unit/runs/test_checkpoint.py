"""Which checkpoints are kept: disk use stays bounded."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfmate.runs.checkpoint import Checkpoints, Policy
from selfmate.runs.session import Session, open_run
from unit.runs.toy import HEADER, PLAYER, ToyState

POLICIES = st.builds(
    Policy,
    checkpoint_every=st.integers(1, 5),
    keep_last=st.integers(1, 5),
    keep_every=st.integers(0, 3),
)


@given(st.sets(st.integers(0, 60), min_size=1).map(sorted), POLICIES, st.data())
def test_retention_follows_the_policy(
    steps: list[int], policy: Policy, data: st.DataObject
) -> None:
    best = data.draw(st.none() | st.sampled_from(steps))
    kept = policy.keeps(steps, best)
    assert kept <= set(steps)
    assert set(steps[-policy.keep_last :]) <= kept
    assert best is None or best in kept
    regular = [step for step in steps if step == best or step % policy.checkpoint_every == 0]
    assert set(regular[-1:]) <= kept  # what the next step would roll back to
    spacing = policy.keep_every * policy.checkpoint_every
    assert (0 in kept) == (0 in steps)  # to compare with
    for step in set(steps[: -policy.keep_last]) - {0, best, *regular[-1:]}:
        assert (step in kept) == (spacing > 0 and step % spacing == 0)


def test_long_runs_do_not_fill_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    policy = Policy(checkpoint_every=2, keep_last=3, keep_every=0)
    most = 0
    with open_run(tmp_path, HEADER, policy, Session()) as run:
        for step in run.steps(ToyState(), total=300, unit="cycles", player=PLAYER):
            step.record({}, score=step.number % 50)
            most = max(most, len(list((tmp_path / "checkpoints").glob("*"))))
    assert most == 5
    assert Checkpoints(tmp_path).steps() == [0, 49, 296, 298, 300]
