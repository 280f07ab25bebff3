"""Long runs on a cluster, for `make soak`: memory stays flat, and every learner makes the same run
on any number of workers, and when workers, nodes or the head are lost."""

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cluster.clusters import WatchedPool, cluster_of, kill, pool_of, trained
from contracts.kill import events_of, run_killed, was_killed
from contracts.learners import VARIANTS, command_of
from selfmate.learners.registry import LEARNERS
from unit.cli.toy_process import outcome

pytestmark = pytest.mark.skipif("SELFMATE_RAY_SOAK" not in os.environ, reason="for make soak")

CYCLES = 50
WARM_CYCLES = 10  # after which memory must not grow
MAX_GROWTH_MB = 40.0
LEARNING = {
    "alphazero": LEARNERS["alphazero"],
    "alphazero-sparse": VARIANTS["alphazero-sparse"][0],
    "dqn": LEARNERS["dqn"],
    "searchless": LEARNERS["searchless"],
    "reinforce": LEARNERS["reinforce"],
}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with cluster_of(1, 1) as started:
        yield started


@pytest.mark.parametrize("name", LEARNING)
def test_workers_play_the_same_run_however_many_there_are(
    name: str, cluster: Any, tmp_path: Path
) -> None:
    alone = trained(LEARNING[name], tmp_path / "alone")
    for workers in (1, 2, 4):
        with pool_of(cluster, workers) as (pool, said):
            pool.wait_until_ready(workers)
            assert trained(LEARNING[name], tmp_path / str(workers), pool) == alone, workers
            assert (pool.size, said) == (workers, [])


@pytest.mark.parametrize("name", LEARNING)
def test_a_worker_killed_in_every_cycle_changes_nothing(
    name: str, cluster: Any, tmp_path: Path
) -> None:
    with pool_of(cluster, 2) as (pool, said):
        pool.sabotage = kill
        found = trained(LEARNING[name], tmp_path / "killed", pool)
    assert found == trained(LEARNING[name], tmp_path / "alone")
    assert len(said) == pool.cycles > 0


@pytest.mark.parametrize("name", LEARNING)
def test_a_node_is_lost_and_another_joins(name: str, tmp_path: Path) -> None:
    """In every cycle, the node that was just given work."""
    joined = list[str]()
    with cluster_of(0, 1, 1) as cluster, pool_of(cluster, None) as (pool, said):

        def lose_and_join(pool: WatchedPool, pid: int) -> None:
            lost = pool.host_of(pid)
            joined.append(cluster.add_node(num_cpus=1).node_id)
            cluster.remove_node(
                next(node for node in cluster.worker_nodes if node.node_id == lost),
                allow_graceful=False,
            )

        pool.wait_until_ready(2)
        pool.sabotage = lose_and_join
        found = trained(LEARNING[name], tmp_path / "lost", pool)
        pool.wait_until_ready(2)  # those of the nodes that are left
        assert joined[-1] in pool.hosts()
    assert found == trained(LEARNING[name], tmp_path / "alone")
    assert len(said) >= pool.cycles > 0
    assert all("is lost, others do its work" in sentence for sentence in said), said


@pytest.mark.parametrize("name", LEARNING)
def test_when_the_head_is_killed_the_run_resumes_with_or_without_a_cluster(
    name: str, tmp_path: Path
) -> None:
    command, ray = command_of(LEARNING[name]), ("--ray", "local:1")
    whole = run_killed(0, *command, "whole", cwd=tmp_path)
    assert whole.returncode == 0, whole.stderr
    rng = random.Random(name)
    first, second = sorted(rng.sample(range(1, events_of(whole)), 2))
    for event, options in ((first, ray), (second - first, ()), (0, ray)):
        ended = run_killed(event, *command, "killed", *options, cwd=tmp_path)
        assert was_killed(ended) or ended.returncode == 0, ended.stderr
    assert outcome(tmp_path / "killed") == outcome(tmp_path / "whole")


def test_memory_of_head_and_workers_is_flat(cluster: Any, tmp_path: Path) -> None:
    with pool_of(cluster, 2) as (pool, _):
        trained(LEARNERS["alphazero"], tmp_path / "run", pool, f"cycles={CYCLES}", "games=16")
    lines = [json.loads(line) for line in (tmp_path / "run/timings.jsonl").read_text().splitlines()]
    head = [line["memory_mb"] for line in lines]
    workers = [line["cluster"]["worker_memory_mb"] for line in lines]
    print(
        f"MB in cycles 1, {WARM_CYCLES}, {CYCLES}: head {head[0]}, {head[WARM_CYCLES]}, {head[-1]}"
    )
    print(f"largest worker {workers[0]}, {workers[WARM_CYCLES]}, {workers[-1]}")
    assert len(lines) == CYCLES
    for name, memory in (("head", head), ("workers", workers)):
        assert memory[-1] - memory[WARM_CYCLES] < MAX_GROWTH_MB, (name, memory)
