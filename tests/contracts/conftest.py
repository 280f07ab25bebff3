"""Contract tests take a `learner`, and so run on every one there is."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import selfmate.presets
from contracts import learners
from contracts.learners import CONTRACTED, command_of, name_of
from contracts.reference import Reference, reference_run, shared_folder
from selfmate.learners.learner import Learner
from unit.learners import toy


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder that all workers of a test run share, for data and reference runs."""
    folder = shared_folder(tmp_path_factory)
    with pytest.MonkeyPatch.context() as patch:
        # The data's path is a setting: runs of several workers must agree on it.
        patch.setattr(learners, "data_folder", lambda: folder)
        yield folder


@pytest.fixture(params=CONTRACTED, ids=name_of)
def learner(
    request: pytest.FixtureRequest, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> Learner:
    found: Learner = request.param
    if found is toy.TOY:
        monkeypatch.setattr(selfmate.presets, "FOLDER", Path(toy.__file__).parent / "presets")
    return found


@pytest.fixture
def reference(learner: Learner, shared: Path) -> Reference:
    """A finished run of the learner, trained once per test run."""
    return reference_run(command_of(learner), shared / name_of(learner))
