"""Where workers are: the values of --ray."""

import re
from dataclasses import dataclass

MAX_LOCAL = 256
MAX_PORT = 2**16 - 1
AUTO = "auto"  # the cluster that this machine belongs to
ALLOWED = "local:N (a cluster of its own on this machine), auto or HOST:PORT"


@dataclass(frozen=True)
class ClusterAddress:
    """A cluster of its own with so many CPUs, or the address of one that runs already."""

    local_cpus: int | None = None
    address: str = ""  # AUTO or HOST:PORT

    def __str__(self) -> str:
        return self.address or f"local:{self.local_cpus}"


def parse_address(text: str) -> ClusterAddress:
    """ValueError if it is none."""
    if found := re.fullmatch(r"local:(\d+)", text):
        cpus = int(found[1])
        if not 1 <= cpus <= MAX_LOCAL:
            raise ValueError(f"local:N has 1 to {MAX_LOCAL} workers, not {cpus}")
        return ClusterAddress(local_cpus=cpus)
    found = re.fullmatch(r"[\w.-]+:(\d{1,5})", text)
    if text == AUTO or (found and 1 <= int(found[1]) <= MAX_PORT):
        return ClusterAddress(address=text)
    raise ValueError(f"{text[:60]!r} is no cluster; there are {ALLOWED}")
