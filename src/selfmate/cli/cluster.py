"""The options --ray and --actors: a cluster whose workers play."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from selfmate.cli.console import BadInputError, reading_input
from selfmate.cluster.address import ClusterAddress, parse_address
from selfmate.extras import check_extra

if TYPE_CHECKING:
    from selfmate.cluster.pool import RayPool


@dataclass(frozen=True)
class Cluster:
    """What was asked for."""

    address: ClusterAddress
    actors: int | None  # None: one for each CPU

    @classmethod
    def of(cls, ray: str | None, actors: int | None) -> "Cluster | None":
        """None without --ray."""
        if ray is None:
            if actors is not None:
                raise BadInputError("--actors is for --ray: add --ray local:N, auto or HOST:PORT")
            return None
        try:
            cluster = cls(parse_address(ray), actors)
        except ValueError as error:
            raise BadInputError(f"--ray {error}") from error
        with reading_input():
            check_extra("ray")
        return cluster

    @contextmanager
    def pool(self, say: Callable[[str], None]) -> "Iterator[RayPool]":
        """Its workers."""
        from selfmate.cluster.pool import RayPool

        pool = RayPool(self.address, self.actors, say)
        try:
            pool.connect()
        except ConnectionError as error:
            raise BadInputError(str(error)) from error
        with pool:
            yield pool


def optional_pool(cluster: Cluster | None) -> "AbstractContextManager[RayPool | None]":
    """The workers of a cluster, or None without one."""
    if cluster is None:
        return nullcontext()
    return cluster.pool(lambda text: typer.echo(text, err=True))
