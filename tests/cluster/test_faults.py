"""A run on a cluster is bit for bit the same as in one process, whatever happens to its workers."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cluster.clusters import STORE_BYTES, WatchedPool, cluster_of, kill, pool_of, stop, trained
from contracts.kill import run_killed, was_killed
from contracts.learners import TRY, VARIANTS
from selfmate.cluster.pool import Patience, Task
from selfmate.cluster.worker import own_requirements
from selfmate.learners.registry import LEARNERS
from selfmate.runs import RunFailedError
from unit.cli.toy_process import outcome

ALPHAZERO = LEARNERS["alphazero"]
OTHERS = {
    "alphazero-sparse": VARIANTS["alphazero-sparse"][0],
    "dqn": LEARNERS["dqn"],
    "searchless": LEARNERS["searchless"],
    "reinforce": LEARNERS["reinforce"],
}
# Python runs it at the start of every process of a node.
OLD_VERSION = """
from importlib import metadata

found = metadata.version
metadata.version = lambda name: "0.1.0" if name == "selfmate" else found(name)
"""
# The same, where Selfmate crashes.
CRASHING = """
import os
import sys


class Crash:
    def find_spec(self, name, path=None, target=None):
        if name == "selfmate":
            os.abort()


sys.meta_path.insert(0, Crash())
"""


class NoTasks:
    def take(self, workers: int) -> Task | None:
        return None


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two raylets with two CPUs each."""
    with cluster_of(2, 2) as started:
        yield started


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A run of AlphaZero in one process."""
    return trained(ALPHAZERO, tmp_path_factory.mktemp("alone") / "run")


def test_workers_play_the_same_run_however_many_there_are(
    cluster: Any, expected: dict[str, bytes], tmp_path: Path
) -> None:
    for workers in (1, 2):
        with pool_of(cluster, workers) as (pool, said):
            pool.wait_until_ready(workers)
            assert trained(ALPHAZERO, tmp_path / str(workers), pool) == expected
            assert (pool.size, said) == (workers, [])
    with pool_of(cluster, None) as (pool, said):
        pool.wait_until_ready(4)  # one for each CPU
        assert trained(ALPHAZERO, tmp_path / "four", pool) == expected
        for name, learner in OTHERS.items():
            alone = trained(learner, tmp_path / f"alone-{name}")
            assert trained(learner, tmp_path / name, pool) == alone, name
        assert (pool.size, len(set(pool.hosts())), said) == (4, 2, [])
        assert pool.timings()["nodes"] == 2


def test_a_worker_killed_in_every_cycle_changes_nothing(
    cluster: Any, expected: dict[str, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pool_of(cluster, 2) as (pool, said):
        pool.sabotage = kill
        assert trained(ALPHAZERO, tmp_path / "killed", pool) == expected
    assert len(said) == pool.cycles == 3
    why = "is lost, others do its work: its worker process has died; log: /"
    assert all(why in sentence for sentence in said), said
    assert capsys.readouterr().out == ""  # where --json belongs; Ray would print there, too


def test_the_work_of_a_worker_that_hangs_is_given_to_another(
    cluster: Any, expected: dict[str, bytes], tmp_path: Path
) -> None:
    # A busy machine may take seconds for a task: then it is done again, which changes nothing.
    patience = Patience(task_factor=3, task_least=5, task_first=5, losses=100)
    with pool_of(cluster, 2, patience) as (pool, said):
        pool.sabotage = lambda pool, pid: stop(pool, pid) if pool.cycles == 2 else None
        assert trained(ALPHAZERO, tmp_path / "hung", pool) == expected
    assert any("has not answered for" in sentence for sentence in said), said


def test_a_full_object_store_is_no_obstacle(
    cluster: Any, expected: dict[str, bytes], tmp_path: Path
) -> None:
    """What others put there is moved to disk."""
    with pool_of(cluster, 1) as (pool, said):
        import ray

        others = [ray.put(np.zeros(20 * 2**20, np.uint8)) for _ in range(6)]  # of 80 MB
        assert trained(ALPHAZERO, tmp_path / "full", pool) == expected
        assert len(others) == 6
    assert said == []


def test_weights_that_fit_nowhere_fail_the_run(tmp_path: Path) -> None:
    """They are larger than the object store, and the disk counts as full."""
    weights = {"large": {"weight": np.zeros(2 * STORE_BYTES, np.uint8)}}
    full = {"local_fs_capacity_threshold": 0.0}
    failed = pytest.raises(RunFailedError, match=r"do not fit into Ray's object store .* --resume")
    with cluster_of(1, _system_config=full) as started, pool_of(started, 1) as (pool, _), failed:
        list(pool.run(NoTasks(), weights))


def test_a_task_that_every_worker_is_lost_with_fails_the_run(cluster: Any, tmp_path: Path) -> None:
    def kill_always(pool: WatchedPool, pid: int) -> None:
        kill(pool, pid)
        pool.is_fresh = True

    failed = pytest.raises(
        RunFailedError,
        match=r"a task was lost with 2 workers, the last of them the worker .*log: /",
    )
    with pool_of(cluster, 1, Patience(losses=2)) as (pool, _), failed:
        pool.sabotage = kill_always
        trained(ALPHAZERO, tmp_path / "run", pool)


def test_a_node_where_workers_crash_is_refused(tmp_path: Path) -> None:
    """Before it joins there is nobody."""
    (tmp_path / "sitecustomize.py").write_text(CRASHING)
    nobody = pytest.raises(RunFailedError, match=r"no worker of .* was ready for 1 s; .*--resume")
    with cluster_of(0) as started:
        with pool_of(started, 1, Patience(start=1)) as (pool, _), nobody:
            pool.wait_until_ready(1)
        started.add_node(num_cpus=1, env_vars={"PYTHONPATH": str(tmp_path)})
        failed = pytest.raises(
            RunFailedError, match=r"can be used: no worker starts on .*; logs: /"
        )
        with pool_of(started, 1) as (pool, said), failed:
            pool.wait_until_ready(1)
        assert "no worker starts on" in said[0]


def test_a_processor_without_the_heads_kernels_is_refused(cluster: Any, tmp_path: Path) -> None:
    wanted = replace(own_requirements(), kernels="avx4096")
    refused = pytest.raises(RunFailedError, match=r"no worker of .* can be used: .*cannot compute")
    with pool_of(cluster, 1, requirements=wanted) as (pool, said), refused:
        trained(ALPHAZERO, tmp_path / "run", pool)
    assert "there are no kernels avx4096 for this processor" in said[0]


def test_a_node_is_lost_another_joins_and_one_with_another_version_is_refused(
    cluster: Any, expected: dict[str, bytes], tmp_path: Path
) -> None:
    """The last test of this cluster. The old version is one whose metadata says so."""
    (tmp_path / "sitecustomize.py").write_text(OLD_VERSION)
    old = cluster.add_node(num_cpus=1, env_vars={"PYTHONPATH": str(tmp_path)})
    nodes = sorted(cluster.worker_nodes, key=lambda node: node is old)

    def lose_and_join(pool: WatchedPool, pid: int) -> None:
        if pool.cycles == 2:
            cluster.add_node(num_cpus=2)
            cluster.remove_node(nodes[0], allow_graceful=False)

    with pool_of(cluster, None) as (pool, said):
        pool.wait_until_ready(4)
        pool.sabotage = lose_and_join
        assert trained(ALPHAZERO, tmp_path / "run", pool) == expected
        assert old.node_id not in pool.hosts()
    assert any("has Selfmate 0.1.0, and this is" in sentence for sentence in said), said


def test_when_the_head_is_killed_the_run_resumes_without_a_cluster(tmp_path: Path) -> None:
    train = ("selfmate.__main__", "train", "alphazero", "--preset", TRY, "--resume", "--run")
    whole = run_killed(0, *train, "whole", cwd=tmp_path)
    assert whole.returncode == 0, whole.stderr
    killed = run_killed(60, *train, "killed", "--ray", "local:1", cwd=tmp_path)
    assert was_killed(killed), killed.stderr
    resumed = run_killed(0, *train, "killed", cwd=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    assert outcome(tmp_path / "killed") == outcome(tmp_path / "whole")


def test_nothing_of_ray_is_imported_without_it(tmp_path: Path) -> None:
    program = (
        "import sys; from selfmate.__main__ import main\n"
        "try: main()\n"
        "finally: print(sorted(name for name in sys.modules if name.partition('.')[0] == 'ray'))"
    )
    arguments = ["train", "alphazero", "--preset", TRY, "--run", "run"]
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=tmp_path, env=os.environ | {"COLUMNS": "200"}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == "[]", done.stderr
