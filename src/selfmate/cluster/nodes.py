"""Connecting to a cluster of Ray, and the nodes it has."""

import logging
import os
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from selfmate.cluster.address import AUTO, ClusterAddress

CONNECT_SECONDS = 10.0
LOCAL_STORE_BYTES = 512 * 2**20  # weights and results in flight; they are small
# What Ray is told, unless the user told it something else. It must be set before Ray is imported.
RAY_ENVIRONMENT = MappingProxyType(
    {
        # A cluster sends nothing to anybody: no statistics of use, and no dashboard.
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # else Ray warns of a change
        # By default workers have the lowest priority but one, and starve beside any other program.
        "RAY_worker_niceness": "0",
        # Ray prints many lines for each lost worker or node, to standard output, where --json
        # belongs. The pool has a sentence for each instead.
        "RAY_DEDUP_LOGS_SKIP_REGEX": "^",
    }
)
START = "start one with `ray start --head`"
HTTP2_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
HTTP2_SETTINGS = 4  # the fourth byte of the first frame that a server sends


@dataclass(frozen=True)
class Node:
    node_id: str
    # Its host, with a part of its id where hosts have the same name.
    name: str = field(compare=False)
    cpus: int = field(compare=False)


def connect(address: ClusterAddress) -> None:
    """ConnectionError, in a sentence, if that is not possible. Ray must be installed."""
    for name, value in RAY_ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    import ray

    _check_cluster_listens(address)
    is_own = address.local_cpus is not None
    try:
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
        raise ConnectionError(_why_not_joined(address, error)) from error


def _check_cluster_listens(address: ClusterAddress) -> None:
    """Refuses at once where Ray would try for minutes."""
    host, _, port = address.address.rpartition(":")
    if not host:
        return
    try:
        with socket.create_connection((host, int(port)), timeout=CONNECT_SECONDS) as connection:
            if os.environ.get("RAY_USE_TLS", "0") == "0":
                _check_speaks_http2(connection)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ConnectionError(
            f"there is no cluster of Ray at {address}: {reason}; {START}"
        ) from error


def _check_speaks_http2(connection: socket.socket) -> None:
    """As every port of Ray that a cluster could be joined at does, by way of gRPC."""
    connection.sendall(HTTP2_PREFACE)
    answer = b""
    while len(answer) < 4 and (more := connection.recv(4 - len(answer))):
        answer += more
    if len(answer) < 4 or answer[3] != HTTP2_SETTINGS:
        raise ConnectionError("another program listens there")


def _why_not_joined(address: ClusterAddress, error: Exception) -> str:
    reason = " ".join(str(error).split()).partition(". ")[0][:200].rstrip(".")
    if address.local_cpus is not None:
        return f"Ray does not start on this machine: {reason}"
    if "Could not find any running Ray instance" in reason:
        return f"this machine belongs to no cluster of Ray: {reason}; {START}"
    where = "of this machine" if address.address == AUTO else f"at {address}"
    return (
        f"Ray cannot join the cluster {where}: {reason}; check the port, the token, and that Ray "
        "and Python have the same versions here and there"
    )


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
