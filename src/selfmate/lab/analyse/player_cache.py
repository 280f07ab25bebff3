"""Players that stay loaded for a while, each lent to one asker at a time."""

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from selfmate.lab.players import RUNS, LabPlayers
from selfmate.players import Player
from selfmate.players.names import parse_run_name
from selfmate.runs.checkpoints import Checkpoints

MOST_LOADED = 8

Key = tuple[str, Hashable]  # a name, and what it stands for now


class PlayerCache:
    """Closes whoever was not asked for the longest time."""

    def __init__(self, players: LabPlayers, most: int = MOST_LOADED) -> None:
        self._players, self._most = players, most
        self._chairs: dict[Key, _Chair] = {}  # the last asked at the end
        self._lock = Lock()

    @contextmanager
    def lent(self, name: str) -> Iterator[Player]:
        """ValueError or NotThereError when the lab has no such player. Blocks while another
        thread has it."""
        key = (name, self._version(name))
        while True:
            chair = self._chair(key)
            with chair.lock:
                if chair.is_removed:
                    continue
                try:
                    if chair.player is None:
                        chair.player = self._players.load(name)
                    yield chair.player
                finally:
                    if chair.is_removed:
                        chair.close()
                return

    def close(self) -> None:
        with self._lock:
            chairs = list(self._chairs.values())
            self._chairs.clear()
        for chair in chairs:
            chair.remove()

    def _chair(self, key: Key) -> "_Chair":
        with self._lock:
            chair = self._chairs.pop(key, None) or _Chair()
            self._chairs[key] = chair
            too_many = list(self._chairs)[: -self._most]
            removed = [self._chairs.pop(old) for old in too_many]
        for old_chair in removed:
            old_chair.remove()
        return chair

    def _version(self, name: str) -> Hashable:
        """A run is another player after every checkpoint."""
        resolved = self._players.resolve(name)
        if not name.startswith(RUNS):
            return None
        return tuple(Checkpoints(Path(parse_run_name(resolved).kind)).steps())


class _Chair:
    """Where a player sits; its lock is held by whoever asks it."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.player: Player | None = None
        self.is_removed = False

    def remove(self) -> None:
        """Closes the player now, or as soon as it has answered: nobody waits for that."""
        self.is_removed = True
        if self.lock.acquire(blocking=False):
            try:
                self.close()
            finally:
                self.lock.release()

    def close(self) -> None:
        if self.player is not None:
            self.player.close()
