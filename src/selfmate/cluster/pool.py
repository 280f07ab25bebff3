"""The head's side: a pool of workers that run tasks, on one machine or many.

Each node of the cluster has workers of its own, one per CPU unless the user says how many. At most
two tasks are in flight per worker, and results are taken at once, so that nothing piles up in the
object store. A task whose worker is lost or hangs is given to another; nodes may come and go.
"""

import math
import pickle
import re
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

from selfmate.cluster.address import ClusterAddress
from selfmate.cluster.nodes import Node, connect, disconnect, live_nodes, shares_of_nodes
from selfmate.cluster.shelf import Shelf
from selfmate.cluster.worker import Requirements, fault_of, own_requirements, worker_class
from selfmate.runs import Arrays, RunFailedError

TASKS_IN_FLIGHT = 2  # per worker: one runs, one waits
WAIT_SECONDS = 0.1
SECONDS_BETWEEN_LOOKS = 1.0  # at the nodes of the cluster
LOGS = "/tmp/ray/session_latest/logs"  # unless Ray was started with another folder


class Task(Protocol):
    """Plain data that travels to a worker and is run there."""

    @property
    def units(self) -> int:
        """Games, for example."""
        ...

    def run(self, shelf: Shelf) -> bytes: ...


class Tasks(Protocol):
    def take(self, workers: int) -> Task | None:
        """The next task, with so many workers at work; None if there are no more."""
        ...


@dataclass(frozen=True, kw_only=True)
class Patience:
    """When the pool gives up, in seconds."""

    start: float = 180.0  # without a single worker that is ready
    # A task that takes this many times as long per unit as the slowest so far hangs; at least
    # `task_least`, and `task_first` while none has ended.
    task_factor: float = 10.0
    task_least: float = 60.0
    task_first: float = 3600.0
    losses: int = 5  # workers of one task, or on one node in a row


@dataclass
class _Flight:
    """A task on its way."""

    task: Task
    lost: int = 0  # workers that it was lost with
    ref: Any = None
    since: float = 0.0  # when its worker began with it


@dataclass
class _Member:
    """A worker of the pool."""

    handle: Any
    node: Node
    hello: Any  # a reference to its facts until it has answered
    facts: dict[str, Any] = field(default_factory=dict)
    flights: deque[_Flight] = field(default_factory=deque)

    @property
    def is_ready(self) -> bool:
        return bool(self.facts)

    def __str__(self) -> str:
        pid = f" (process {self.facts['pid']})" if self.is_ready else ""
        return f"the worker on {self.node.name}{pid}"


@dataclass
class Figures:
    """Of one call of `run`."""

    began: float = field(default_factory=time.monotonic)
    units: Counter[str] = field(default_factory=Counter)  # by node
    bytes_moved: int = 0
    busy_seconds: float = 0.0  # that they had a task
    worker_seconds: float = 0.0  # that workers were there
    seen_at: float = field(default_factory=time.monotonic)
    memory_mb: float = 0.0  # the largest of a worker

    def look(self, ready: int, busy: int) -> None:
        """So many workers are there, and so many of them have a task."""
        now = time.monotonic()
        self.worker_seconds += ready * (now - self.seen_at)
        self.busy_seconds += busy * (now - self.seen_at)
        self.seen_at = now

    @property
    def seconds(self) -> float:
        return max(self.seen_at - self.began, 1e-3)

    @property
    def waiting(self) -> float:
        """The fraction of the workers' time in which they had nothing to do."""
        return 1 - self.busy_seconds / self.worker_seconds if self.worker_seconds else 0.0


def _one_line(text: str) -> str:
    return " ".join(text.split())[:200]


def reason_of(error: Exception) -> str:
    """Why a worker is lost: Ray's last "because ..." or "unavailable: ...", or its first line."""
    found = re.search(r".*(?:\bbecause|unavailable:) (.+?)(\.\s|\.?$)", str(error))
    return _one_line(found[1] if found else str(error).partition("\n")[0]).rstrip(".")


class RayPool:
    """For `with`, after `connect`. `say` hears of workers that are lost or refused."""

    def __init__(
        self,
        address: ClusterAddress,
        workers: int | None = None,
        say: Callable[[str], None] = print,
        *,
        patience: Patience | None = None,
        requirements: Requirements | None = None,
    ) -> None:
        """`workers` in all; None: one for each CPU of the cluster, also of nodes that join."""
        self._address, self._wanted, self._say = address, workers, say
        self._patience = patience or Patience()
        self._requirements = requirements or own_requirements()
        self._members: list[_Member] = []
        self._refused: dict[str, str] = {}  # sentences by node
        self._failed_starts: Counter[str] = Counter()
        self._retry: deque[_Flight] = deque()
        self._weights: dict[str, Any] = {}  # references by digest
        self._figures = Figures()
        self._seconds_per_unit = 0.0  # of the slowest task so far
        self._looked_at = -math.inf
        self._is_hopeless = False  # all nodes were refused
        self._ready_at = 0.0  # the last time that a worker was ready

    def connect(self) -> None:
        """ConnectionError, in a sentence, if there is no such cluster."""
        connect(self._address)
        import ray

        self._ray = ray
        self._class: Any = ray.remote(worker_class())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._abandon()
        self._weights.clear()
        disconnect()

    @property
    def size(self) -> int:
        """Workers that are ready."""
        return sum(member.is_ready for member in self._members)

    def wait_until_ready(self, workers: int) -> None:
        """Blocks until there are so many workers. `run` does not need it: workers begin as they
        become ready. RunFailedError if there is nobody."""
        self._ready_at = time.monotonic()
        while self.size < workers:
            self._look_at_nodes()
            for _ in self._arrivals():
                raise RuntimeError("a result arrived without a task")
            self._check_there_is_somebody()

    def run(self, tasks: Tasks, weights: Mapping[str, Arrays]) -> Iterator[bytes | None]:
        """Yields results as they come, in any order, and None several times a second, so that the
        caller can show progress. RunFailedError if there is nobody to do the work, or if it
        fails."""
        self._share(weights)
        self._figures = Figures()
        self._ready_at = time.monotonic()
        done = False
        try:
            while True:
                self._look_at_nodes()
                if done := not self._fill(tasks):
                    return
                yield from self._arrivals()
                self._give_up_hanging()
                self._check_there_is_somebody()
                busy = sum(bool(member.flights) for member in self._members)
                self._figures.look(self.size, busy)
                yield None
        finally:
            if not done:
                self._abandon()

    def text(self) -> str:
        """4 actors, 31 games/min on anna, 28 games/min on ben, 410 kB moved, 3 % waiting"""
        return ", ".join(f"{count:,} {name}" for name, count in self.counts().items())

    def counts(self) -> dict[str, int]:
        """For a progress line, by their units."""
        figures = self._figures
        counts = {"actor" if self.size == 1 else "actors": self.size}
        for node, units in figures.units.items():
            counts[f"games/min on {node}"] = round(60 * units / figures.seconds)
        return counts | {
            "kB moved": figures.bytes_moved // 1000,
            "% waiting": round(100 * figures.waiting),
        }

    def timings(self) -> dict[str, float]:
        """Of the last call of `run`, for the timings of a step."""
        figures = self._figures
        speeds = {
            f"games_per_s {node}": units / figures.seconds for node, units in figures.units.items()
        }
        return {
            "actors": self.size,
            "nodes": len({member.node.node_id for member in self._members if member.is_ready}),
            "bytes_moved": figures.bytes_moved,
            "waiting": figures.waiting,
            "worker_memory_mb": figures.memory_mb,
            **speeds,
        }

    # Workers.

    def _look_at_nodes(self) -> None:
        """Starts workers where some are missing, as on a node that joined, and forgets idle ones of
        a node that is gone."""
        now = time.monotonic()
        if now - self._looked_at < SECONDS_BETWEEN_LOOKS:
            return
        self._looked_at = now
        alive = live_nodes()
        for member in [one for one in self._members if one.is_ready and not one.flights]:
            if member.node not in alive:  # those with a task are lost with it
                self._dismiss(member)
        nodes = [node for node in alive if node.node_id not in self._refused]
        self._is_hopeless = bool(self._refused) and not nodes
        for node, count in shares_of_nodes(nodes, self._wanted).items():
            there = sum(member.node == node for member in self._members)
            for _ in range(count - there):
                self._start(node, min(1.0, node.cpus / count))

    def _start(self, node: Node, cpus: float) -> None:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        handle = self._class.options(
            num_cpus=cpus,
            max_restarts=0,
            scheduling_strategy=NodeAffinitySchedulingStrategy(node.node_id, soft=False),
        ).remote()
        hello = handle.hello.remote(self._requirements.kernels)
        self._members.append(_Member(handle, node, hello))

    def _welcome(self, member: _Member) -> None:
        """A worker has started: it is used, or its node is refused."""
        try:
            facts = self._ray.get(member.hello)
        except self._ray.exceptions.RayError as error:
            self._lose(member, error)
            return
        if fault := fault_of(self._requirements, facts):
            self._refuse(member.node, f"the worker on {member.node.name} {fault}")
            return
        member.facts = facts
        self._failed_starts.pop(member.node.node_id, None)

    def _refuse(self, node: Node, sentence: str) -> None:
        if node.node_id not in self._refused:
            self._say(sentence)
        self._refused[node.node_id] = sentence
        self._looked_at = -math.inf  # others take its place at once
        for member in [one for one in self._members if one.node == node]:
            self._dismiss(member)

    def _lose(self, member: _Member, error: Exception) -> None:
        """A worker is gone; its tasks go to others."""
        reason = reason_of(error)
        if member.is_ready:
            self._say(f"{member} is lost, others do its work: {reason}; log: {member.facts['log']}")
        else:
            self._failed_starts[member.node.node_id] += 1
            if self._failed_starts[member.node.node_id] >= self._patience.losses:
                self._refuse(
                    member.node,
                    f"no worker starts on {member.node.name}: {reason}; logs: {LOGS} there",
                )
        self._dismiss(member)

    def _dismiss(self, member: _Member) -> None:
        if member not in self._members:
            return
        self._members.remove(member)
        for flight in member.flights:
            flight.lost += flight is member.flights[0]  # the others had not begun
            if flight.lost >= self._patience.losses:
                raise RunFailedError(
                    f"a task was lost with {flight.lost} workers, the last of them {member}; "
                    f"log: {member.facts['log']}"
                )
            self._retry.append(flight)
        self._ray.kill(member.handle)

    def _abandon(self) -> None:
        """Ends workers whose results nobody wants any more; others take their place."""
        self._retry.clear()
        for member in [one for one in self._members if one.flights or not one.is_ready]:
            member.flights.clear()
            self._dismiss(member)

    def _check_there_is_somebody(self) -> None:
        now = time.monotonic()
        if self.size:
            self._ready_at = now
            return
        if self._is_hopeless:
            refused = "; ".join(self._refused.values())
            raise RunFailedError(
                f"no worker of {self._address} can be used: {refused}; then continue with --resume"
            )
        if now - self._ready_at > self._patience.start:
            raise RunFailedError(
                f"no worker of {self._address} was ready for {self._patience.start:.0f} s; start "
                "nodes with `ray start`, then continue with --resume"
            )

    # Tasks.

    def _share(self, weights: Mapping[str, Arrays]) -> None:
        """Puts weights into the object store, from which each node fetches them once."""
        self._weights = {d: ref for d, ref in self._weights.items() if d in weights}
        try:
            for digest in weights.keys() - self._weights.keys():
                self._weights[digest] = self._ray.put(dict(weights[digest]))
        except self._ray.exceptions.RayError as error:
            raise RunFailedError(
                "the weights do not fit into Ray's object store "
                f"({_one_line(str(error).splitlines()[0])}): start Ray with more "
                "--object-store-memory, then continue with --resume"
            ) from error

    def _fill(self, tasks: Tasks) -> bool:
        """Gives tasks to workers that have room; False when all work is done."""
        for room in range(TASKS_IN_FLIGHT):
            for member in self._members:
                if member.is_ready and len(member.flights) <= room:
                    flight = self._next(tasks)
                    if flight is None:
                        return any(member.flights for member in self._members)
                    self._send(flight, member)
        return True

    def _next(self, tasks: Tasks) -> _Flight | None:
        if self._retry:
            return self._retry.popleft()
        task = tasks.take(self.size)
        return None if task is None else _Flight(task)

    def _send(self, flight: _Flight, member: _Member) -> None:
        data = pickle.dumps(flight.task)
        flight.ref = member.handle.run.remote(data, self._weights)
        flight.since = time.monotonic()
        member.flights.append(flight)
        self._figures.bytes_moved += len(data)

    def _arrivals(self) -> Iterator[bytes]:
        """The results that are there, after a short wait."""
        waited = {member.hello: member for member in self._members if not member.is_ready}
        waited |= {member.flights[0].ref: member for member in self._members if member.flights}
        if not waited:
            time.sleep(WAIT_SECONDS)
            return
        ready, _ = self._ray.wait([*waited], num_returns=1, timeout=WAIT_SECONDS)
        for ref in ready:
            member = waited[ref]
            if not member.is_ready:
                self._welcome(member)
            elif (result := self._result(member)) is not None:
                yield result

    def _result(self, member: _Member) -> bytes | None:
        """Of the task that a worker was at; None if the worker is lost."""
        flight, exceptions = member.flights[0], self._ray.exceptions
        try:
            result, seconds, memory_mb = self._ray.get(flight.ref)
        except exceptions.RayTaskError as error:
            cause = f"{type(error.cause).__name__}: {error.cause}"
            raise RunFailedError(
                f"{member} failed: {_one_line(cause)}; log: {member.facts['log']}"
            ) from error
        except exceptions.RayError as error:
            self._lose(member, error)
            return None
        member.flights.popleft()
        if member.flights:
            member.flights[0].since = time.monotonic()
        self._count(member, flight, len(result), seconds, memory_mb)
        return bytes(result)

    def _count(
        self, member: _Member, flight: _Flight, size: int, seconds: float, memory_mb: float
    ) -> None:
        figures, units = self._figures, flight.task.units
        figures.units[member.node.name] += units
        figures.bytes_moved += size
        figures.memory_mb = max(figures.memory_mb, memory_mb)
        self._seconds_per_unit = max(self._seconds_per_unit, seconds / units)

    def _give_up_hanging(self) -> None:
        for member in [one for one in self._members if one.flights]:
            flight, spent = member.flights[0], time.monotonic() - member.flights[0].since
            limit = self._limit_seconds(flight)
            if spent > limit:
                self._say(
                    f"{member} has not answered for {spent:.0f} s, others do its work; "
                    f"log: {member.facts['log']}"
                )
                self._dismiss(member)

    def _limit_seconds(self, flight: _Flight) -> float:
        patience = self._patience
        if not self._seconds_per_unit:
            return patience.task_first
        expected = self._seconds_per_unit * flight.task.units
        return max(patience.task_least, patience.task_factor * expected)
