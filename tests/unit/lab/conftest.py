"""Games with the lab's players, and whoever a test brings along."""

from collections.abc import Iterator

import pytest

from selfmate.lab.play import Games
from unit.lab.opponents import Players, Watch


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
