"""Connecting to a cluster of Ray, and the nodes it has."""

import logging
import os
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from selfmate.cluster.address import AUTO, ClusterAddress
from selfmate.extras import has_extra, missing_sentence

CONNECT_SECONDS = 10.0
LOCAL_STORE_BYTES = 512 * 2**20  # weights and results in flight; they are small


@dataclass(frozen=True)
class Node:
    node_id: str
    # Its host, with a part of its id where hosts have the same name.
    name: str = field(compare=False)
    cpus: int = field(compare=False)


def connect(address: ClusterAddress) -> None:
    """ConnectionError, in a sentence, if that is not possible."""
    # A cluster sends nothing to anybody: no statistics of use, and no dashboard.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # else Ray warns of a change
    # By default workers have the lowest priority but one, and starve beside any other program.
    os.environ.setdefault("RAY_worker_niceness", "0")
    if not has_extra("ray"):
        raise ConnectionError(missing_sentence("ray"))
    import ray

    is_own = address.local_cpus is not None
    try:
        _check_somebody_listens(address)
        ray.init(
            address="local" if is_own else address.address,
            num_cpus=address.local_cpus,
            include_dashboard=False if is_own else None,
            object_store_memory=LOCAL_STORE_BYTES if is_own else None,
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
    except Exception as error:  # of a node that does not start Ray raises the bare class
        ray.shutdown()  # what did start
        reason = " ".join(str(error).split()).partition(". ")[0][:200].rstrip(".")
        if is_own:
            raise ConnectionError(f"Ray does not start on this machine: {reason}") from error
        where = "this machine belongs to no cluster of Ray"
        if address.address != AUTO:
            where = f"there is no cluster of Ray at {address}"
        raise ConnectionError(f"{where}: {reason}; start one with `ray start --head`") from error


def _check_somebody_listens(address: ClusterAddress) -> None:
    """OSError at once where Ray would try for minutes."""
    host, _, port = address.address.rpartition(":")
    if host:
        socket.create_connection((host, int(port)), timeout=CONNECT_SECONDS).close()


def disconnect() -> None:
    """Also stops a cluster of our own."""
    import ray

    ray.shutdown()


def live_nodes() -> list[Node]:
    """Those that have CPUs, in a fixed order."""
    import ray

    alive = [
        node
        for node in ray.nodes()  # type: ignore[no-untyped-call]
        if node["Alive"] and node["Resources"].get("CPU")
    ]
    hosts = [node["NodeManagerHostname"] for node in alive]
    names = [
        host if hosts.count(host) == 1 else f"{host}/{node['NodeID'][:6]}"
        for host, node in zip(hosts, alive, strict=True)
    ]
    found = [
        Node(node["NodeID"], name, int(node["Resources"]["CPU"]))
        for name, node in zip(names, alive, strict=True)
    ]
    return sorted(found, key=lambda node: node.node_id)


def shares_of_nodes(nodes: Sequence[Node], wanted: int | None) -> Mapping[Node, int]:
    """Workers on each node: one per CPU, or `wanted` in all, more of them where there are more CPUs
    left."""
    if wanted is None:
        return {node: node.cpus for node in nodes}
    shares = dict.fromkeys(nodes, 0)
    for _ in range(wanted if nodes else 0):
        freest = max(nodes, key=lambda node: (node.cpus - shares[node]) / node.cpus)
        shares[freest] += 1
    return {node: share for node, share in shares.items() if share}
