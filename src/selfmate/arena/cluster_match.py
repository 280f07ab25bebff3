"""Matches whose games are played by workers of a cluster.

A worker loads the players by name. A run must therefore be at the same path on every machine, with
the same weights; what ships with Selfmate is there anyway.
"""

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from selfmate.arena.match import Match, PlayedGame, RunningGame
from selfmate.arena.openings import Opening
from selfmate.cluster.pool import RayPool
from selfmate.cluster.shelf import Shelf
from selfmate.players import Player, load_player, parse_run_name

GAMES_PER_TASK = 32  # at most
TASKS_PER_WORKER = 2  # that the games left are divided into


@dataclass(frozen=True, kw_only=True)
class MatchTask:
    """Some games of a match. Returns a pickled list of `PlayedGame`."""

    players: tuple[str, str]
    weights: tuple[str | None, str | None]  # short digests; None of players without weights
    numbers: Sequence[int]
    openings: Sequence[Opening]
    seed: int
    max_plies: int
    adjudicate_pawns: int | None

    @property
    def units(self) -> int:
        """Games."""
        return len(self.numbers)

    def run(self, shelf: Shelf) -> bytes:
        a, b = (shelf.kept(name, partial(_load, *of)) for name, of in self._names())
        match = Match((a, b), self.openings, self.seed, self.max_plies, self.adjudicate_pawns)
        return pickle.dumps(list(match.play(self.numbers)))

    def _names(self) -> list[tuple[str, tuple[str, str | None]]]:
        pairs = zip(self.players, self.weights, strict=True)
        return [(name, (name, digest)) for name, digest in pairs]


def _load(name: str, digest: str | None) -> Player:
    """ValueError if it is not the player that the head means."""
    player = load_player(name)
    if (found := weights_of(player)) != digest:
        raise ValueError(f"{name} has the weights {found} here, not {digest} as on the head")
    return player


def weights_of(player: Player) -> str | None:
    """A short digest of the weights that a player has; None if there are none."""
    from selfmate.arena.ladder import weights_digest

    return weights_digest(player.name)


def name_for_workers(player: Player) -> str:
    """Its full name, with the whole path if it is a run: workers start in other directories."""
    name = parse_run_name(player.name)
    path = Path(name.kind)
    return str(name._replace(kind=str(path.resolve()))) if path.is_dir() else player.name


class MatchTasks:
    """Divides games into tasks of whole pairs, smaller and smaller ones."""

    def __init__(self, task: MatchTask) -> None:
        """`task` has all games."""
        self._task, self._next = task, 0

    def take(self, workers: int) -> MatchTask | None:
        left = self._task.numbers[self._next :]
        if not left:
            return None
        count = max(2, -(-len(left) // (TASKS_PER_WORKER * max(1, workers))))
        count = min(GAMES_PER_TASK, count + count % 2)
        self._next += count
        return replace(self._task, numbers=left[:count])


@dataclass
class ClusterMatch:
    """Plays as `Match` does; the games are the same, unless a player plays by the clock."""

    pool: RayPool
    match: Match
    watch: Callable[[RunningGame | None], None] | None = None

    def play(self, numbers: Sequence[int]) -> Iterator[PlayedGame]:
        """Games end in any order. RunFailedError if workers cannot play them."""
        if not numbers:
            return
        match = self.match
        a, b = match.players
        task = MatchTask(
            players=(name_for_workers(a), name_for_workers(b)),
            weights=(weights_of(a), weights_of(b)),
            numbers=list(numbers),
            openings=match.openings,
            seed=match.seed,
            max_plies=match.max_plies,
            adjudicate_pawns=match.adjudicate_pawns,
        )
        for data in self.pool.run(MatchTasks(task), {}):
            if data is not None:
                yield from pickle.loads(data)
            elif self.watch is not None:
                self.watch(None)
