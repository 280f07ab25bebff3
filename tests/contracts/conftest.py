"""Contract tests take a `learner`, and so run on every one there is."""

from pathlib import Path

import pytest

import selfmate.presets
from contracts.learners import CONTRACTED
from selfmate.learners import Learner
from unit.learners import toy


@pytest.fixture(params=CONTRACTED, ids=lambda learner: learner.name)
def learner(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Learner:
    found: Learner = request.param
    if found is toy.TOY:
        monkeypatch.setattr(selfmate.presets, "FOLDER", Path(toy.__file__).parent / "presets")
    return found
