"""Who plays the games of a plan: threads of this process, or workers on other machines.

There is one protocol. A `GameTask` names nets by the digest of their weights and lists games by
number; running it plays these games from start to end and returns `PlayedGames`. A game depends on
the plan's seed, its number and the nets alone, so the trajectories are the same, bit for bit,
however games are divided.
"""

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, cast

import numpy as np
import torch

from selfmate.cluster.pool import RayPool
from selfmate.cluster.shelf import Shelf, digest_of
from selfmate.rules import Board, push_moves
from selfmate.rules.compression import zstd
from selfmate.runs import Arrays, Tick, unwatched
from selfmate.selfplay.games import (
    Actor,
    GamePlan,
    PlayedGames,
    Trajectories,
    play_games,
    played_by,
    trajectories,
)

GAMES_PER_TASK = 64  # at most, where a plan does not say how many games run in parallel
MIN_GAMES_PER_TASK = 8  # smaller batches cost more per position
TASKS_PER_WORKER = 2  # that the games left are divided into


class NetConfig(Protocol):
    """The configuration of a net, of `selfmate.nets.config`."""

    def make_net(self) -> Any: ...


@dataclass(frozen=True)
class NetSnapshot:
    """A net by its configuration and the digest of its weights. The weights themselves stay behind
    when it travels: workers fetch them by the digest, once."""

    config: NetConfig
    digest: str
    weights: Arrays | None = None

    @classmethod
    def of(cls, config: NetConfig, weights: Arrays) -> "NetSnapshot":
        return cls(config, digest_of(weights), weights)

    def __getstate__(self) -> dict[str, Any]:
        return {"config": self.config, "digest": self.digest, "weights": None}

    def load(self, weights: Arrays) -> Any:
        """The net. Torch's random numbers stay as they were: those of the head must not depend on
        who made a net."""
        with torch.random.fork_rng(devices=[]):
            net = self.config.make_net()
        net.take(weights)
        return net


class ActorFactory(Protocol):
    """Makes actors from nets. Plain data: it travels to workers."""

    @property
    def nets(self) -> Sequence[NetSnapshot]: ...

    def prepare(self, net: Any) -> Any:
        """What actors use of a net, an evaluator for example: made once for the weights."""
        ...

    def make(self, nets: Sequence[Any], plan: GamePlan, threads: int) -> Actor:
        """An actor for some games, from prepared nets. It may use so many threads of the core."""
        ...


class Workers(Protocol):
    """Plays games with actors of a factory."""

    def play(
        self, factory: ActorFactory, plan: GamePlan, tick: Tick = unwatched
    ) -> Trajectories: ...

    def timings(self) -> Mapping[str, float]:
        """Of the last games: what goes into the timings of a step, beside its parts."""
        ...


def prepared_nets(factory: ActorFactory, shelf: Shelf) -> list[Any]:
    """The nets of a factory as its actors use them, from the shelf where they are known."""
    return [shelf.made(net.digest, partial(_prepared, factory, net)) for net in factory.nets]


def _prepared(factory: ActorFactory, net: NetSnapshot, weights: Arrays) -> Any:
    return factory.prepare(net.load(weights))


class ThreadWorkers:
    """Threads of this process, each with an actor of its own."""

    def __init__(self, threads: int, cores: int) -> None:
        """The core's threads, as of a teacher, are divided among them."""
        self._threads, self._core_threads = threads, max(1, cores // threads)
        self._shelf = Shelf()

    def play(self, factory: ActorFactory, plan: GamePlan, tick: Tick = unwatched) -> Trajectories:
        self._shelf.put({net.digest: cast(Arrays, net.weights) for net in factory.nets})
        nets = prepared_nets(factory, self._shelf)
        count = min(self._threads, len(plan.boards))
        actors = [factory.make(nets, plan, self._core_threads) for _ in range(count)]
        return play_games(actors, plan, tick)

    def timings(self) -> Mapping[str, float]:
        return {}


@dataclass(frozen=True, kw_only=True)
class GameTask:
    """Some games of a plan, for one worker. Returns packed `PlayedGames`."""

    factory: ActorFactory
    numbers: Sequence[int]
    starts: Sequence[tuple[str, Sequence[str]]]  # FEN and the moves that followed
    max_plies: int
    seed: int
    parallel_games: int | None

    @property
    def units(self) -> int:
        """Games."""
        return len(self.numbers)

    def run(self, shelf: Shelf) -> bytes:
        plan = GamePlan(
            boards=[_board(*start) for start in self.starts],
            max_plies=self.max_plies,
            seed=self.seed,
            parallel_games=self.parallel_games,
            numbers=self.numbers,
        )
        actor = self.factory.make(prepared_nets(self.factory, shelf), plan, 1)
        return packed(played_by([actor], plan))


def packed(games: PlayedGames) -> bytes:
    return zstd.compress(pickle.dumps(games, protocol=5))


def unpacked(data: bytes) -> PlayedGames:
    """Of a worker of ours: it must be trusted as much as Ray itself, which unpickles, too."""
    games: PlayedGames = pickle.loads(zstd.decompress(data))
    return games


def _board(fen: str, moves: Sequence[str]) -> Board:
    board = Board(fen)
    for move in moves:
        board.push(move)
    return board


class GameTasks:
    """Divides the games of a plan into tasks: large ones first, so that batches are full, then
    smaller ones, so that all workers end at about the same time."""

    def __init__(self, factory: ActorFactory, plan: GamePlan) -> None:
        self._factory, self._plan = factory, plan
        self._next = 0

    def take(self, workers: int) -> GameTask | None:
        plan = self._plan
        left = len(plan.boards) - self._next
        if not left:
            return None
        most = plan.parallel_games or GAMES_PER_TASK
        count = max(MIN_GAMES_PER_TASK, -(-left // (TASKS_PER_WORKER * max(1, workers))))
        numbers = range(self._next, self._next + min(left, count, most))
        self._next = numbers.stop
        return GameTask(
            factory=self._factory,
            numbers=numbers,
            starts=[(plan.boards[n].start_fen, plan.boards[n].moves) for n in numbers],
            max_plies=plan.max_plies,
            seed=plan.seed,
            parallel_games=plan.parallel_games,
        )


class RayWorkers:
    """Actors of Ray, on this machine or many."""

    def __init__(self, pool: RayPool) -> None:
        self._pool = pool

    def play(self, factory: ActorFactory, plan: GamePlan, tick: Tick = unwatched) -> Trajectories:
        weights = {net.digest: cast(Arrays, net.weights) for net in factory.nets}
        parts, games, moves = list[PlayedGames](), 0, 0
        for data in self._pool.run(GameTasks(factory, plan), weights):
            if data is None:
                tick(games, **self._pool.counts(), moves=moves)
                continue
            parts.append(unpacked(data))
            games += len(parts[-1].numbers)
            moves += len(parts[-1].moves.values)
        replay(plan.boards, parts)
        return trajectories(parts, plan, workers=max(1, self._pool.size))

    def timings(self) -> Mapping[str, float]:
        return self._pool.timings()


def replay(boards: Sequence[Board], played: Sequence[PlayedGames]) -> None:
    """Plays the moves of games on their boards: one ply of all of them at a time."""
    rows = [(part, row) for part in played for row in range(len(part.numbers))]
    for ply in range(max((int(part.moves.counts[row]) for part, row in rows), default=0)):
        rows = [(part, row) for part, row in rows if ply < part.moves.counts[row]]
        codes = [part.moves.values[part.moves.offsets[row] + ply] for part, row in rows]
        of_rows = [boards[int(part.numbers[row])] for part, row in rows]
        push_moves(of_rows, np.array(codes, np.uint16))
