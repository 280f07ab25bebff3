"""Long runs on a cluster, for `make soak`: memory stays flat, and every learner survives that it
loses a worker in every cycle."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cluster.clusters import cluster_of, kill, pool_of, trained
from contracts.learners import VARIANTS
from selfmate.learners.registry import LEARNERS

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
def test_a_worker_killed_in_every_cycle_changes_nothing(
    name: str, cluster: Any, tmp_path: Path
) -> None:
    with pool_of(cluster, 2) as (pool, said):
        pool.sabotage = kill
        found = trained(LEARNING[name], tmp_path / "killed", pool)
    assert found == trained(LEARNING[name], tmp_path / "alone")
    assert len(said) == pool.cycles > 0


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
