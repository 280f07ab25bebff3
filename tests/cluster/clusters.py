"""Clusters on this machine with several raylets, pools that are sabotaged, and runs on them."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from contracts.learners import quick
from selfmate.cluster.address import ClusterAddress
from selfmate.cluster.nodes import RAY_ENVIRONMENT
from selfmate.cluster.pool import Patience, RayPool
from selfmate.learners.learner import Learner
from selfmate.runs import Session
from selfmate.selfplay.workers import RayWorkers
from unit.cli.toy_process import outcome

STORE_BYTES = 80 * 2**20


@contextmanager
def cluster_of(*cpus: int, **head: Any) -> Iterator[Any]:
    """A cluster with so many raylets, each with so many CPUs."""
    os.environ.update(RAY_ENVIRONMENT)
    import ray
    from ray.cluster_utils import Cluster

    nodes = {"object_store_memory": STORE_BYTES, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=nodes | {"num_cpus": cpus[0]} | head)
    try:
        for count in cpus[1:]:
            cluster.add_node(num_cpus=count, object_store_memory=STORE_BYTES)
        yield cluster
    finally:
        ray.shutdown()
        cluster.shutdown()  # type: ignore[no-untyped-call]


class WatchedPool(RayPool):
    """Calls `sabotage` with a worker's process when it was just given the first task of a cycle."""

    sabotage: Callable[["WatchedPool", int], None] = staticmethod(lambda pool, pid: None)
    cycles = 0
    is_fresh = False

    def run(self, *arguments: Any) -> Iterator[bytes | None]:
        self.cycles += 1
        self.is_fresh = True
        return super().run(*arguments)

    def _send(self, flight: Any, member: Any) -> None:
        super()._send(flight, member)
        if self.is_fresh:
            self.is_fresh = False
            self.sabotage(self, member.facts["pid"])

    def host_of(self, pid: int) -> str:
        """The id of a worker's node."""
        members = (member for member in self._members if member.is_ready)
        return next(one.node.node_id for one in members if one.facts["pid"] == pid)

    def hosts(self) -> list[str]:
        return [member.node.node_id for member in self._members if member.is_ready]


@contextmanager
def pool_of(
    cluster: Any, workers: int | None, patience: Patience | None = None, **options: Any
) -> Iterator[tuple[WatchedPool, list[str]]]:
    """A pool on the cluster, and what it says."""
    said: list[str] = []
    address = ClusterAddress(address=cluster.address)
    pool = WatchedPool(address, workers, said.append, patience=patience, **options)
    pool.connect()
    with pool:
        yield pool, said


def trained(
    learner: Learner, run: Path, pool: RayPool | None = None, *settings: str
) -> dict[str, bytes]:
    """What a short run leaves behind."""
    config = quick(learner, *settings)
    with learner.open_run(config, run, Session(say=lambda text: None)) as opened:
        learner.train(config, opened, workers=RayWorkers(pool) if pool else None)
    return outcome(run)


def kill(pool: WatchedPool, pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


def stop(pool: WatchedPool, pid: int) -> None:
    os.kill(pid, signal.SIGSTOP)
