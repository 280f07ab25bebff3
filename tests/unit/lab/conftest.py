"""A lab as a process, with a run whose name is a trap; games with whoever a test brings along."""

import os
from collections.abc import Iterator

import pytest

from page.lab import RunningLab, require_page, running_lab
from selfmate.lab.play import Games
from unit.lab.door import Door
from unit.lab.opponents import Players, Watch
from unit.runs.toy import run_toy

MARKUP = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningLab]:
    require_page()
    folder = tmp_path_factory.mktemp("lab")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)  # nobody pulls the plug here
        run_toy(folder / "runs" / MARKUP)
        with running_lab(folder) as lab:
            yield lab


@pytest.fixture(scope="session")
def door(lab: RunningLab) -> Door:
    return Door(lab.port, lab.token)


@pytest.fixture
def players() -> Players:
    return Players()


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def games(players: Players, watch: Watch) -> Iterator[Games]:
    games = Games(players, watch)
    yield games
    games.close()
