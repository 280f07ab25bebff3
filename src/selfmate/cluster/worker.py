"""A worker: the class that Ray makes an actor of.

The class travels by value, so that a machine with another version of Selfmate, or with none, can
still say what it has.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from selfmate.extras import has_extra

KERNELS = "SELFMATE_KERNELS"  # names the fastest kernels that the core may use


@dataclass(frozen=True, kw_only=True)
class Requirements:
    """What a worker must have, so that its games are the same, bit for bit, as the head's."""

    version: str  # of Selfmate
    sources: str  # digest of its Python files
    torch: str  # version and kind of processor that it computes for
    kernels: str  # of the core


def own_requirements() -> Requirements:
    """Those of this process: workers must compute as the head does."""
    from selfmate import __version__
    from selfmate.rules.cpu import kernel_names

    return Requirements(
        version=__version__,
        sources=sources_digest(),
        torch=_torch(),
        kernels=kernel_names()[0],
    )


def _torch() -> str:
    if not has_extra("train"):
        return "none"
    import torch

    return f"{torch.__version__} for {torch.backends.cpu.get_cpu_capability()}"


def sources_digest() -> str:
    """Of the Python files of this package: two checkouts may have the same version."""
    folder, digest = Path(__file__).parents[1], sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def fault_of(wanted: Requirements, found: Mapping[str, Any]) -> str | None:
    """Why a worker cannot be used, as the end of a sentence about it; None if it can."""
    if found["version"] != wanted.version:
        has = f"Selfmate {found['version']}" if found["version"] else "no Selfmate"
        return f"has {has}, and this is {wanted.version}: install the same version there"
    if found["kernels_error"]:
        return (
            f"cannot compute as this machine does: {found['kernels_error']}; set {KERNELS} to one "
            "of them where you start the run"
        )
    if found["error"]:
        return f"cannot start: {found['error']}"
    if found["sources"] != wanted.sources:
        return (
            f"has another Selfmate {wanted.version} (sources {found['sources']}, these are "
            f"{wanted.sources}): install the same one there"
        )
    if found["torch"] != wanted.torch:
        return f"has torch {found['torch']}, and this is torch {wanted.torch}"
    return None


def worker_class() -> type:
    """The class of workers. It is local to this function so that it is pickled by value."""

    class Worker:
        def __init__(self) -> None:
            self._shelf: Any = None

        def hello(self, kernels: str) -> dict[str, Any]:
            """What this worker is and has. From here on it computes with these kernels."""
            import socket

            os.environ[KERNELS] = kernels  # the core reads it when it is first asked to compute
            facts: dict[str, Any] = {
                "host": socket.gethostname(), "pid": os.getpid(), "log": self._log(),
                "version": "", "sources": "", "torch": "", "kernels_error": "", "error": "",
            }  # fmt: skip
            try:
                import selfmate

                facts["version"] = selfmate.__version__
                facts |= self._start()
            except Exception as error:
                facts["error"] = f"{type(error).__name__}: {error}"
            return facts

        def _start(self) -> dict[str, Any]:
            from selfmate.cluster.shelf import Shelf
            from selfmate.cluster.worker import own_requirements
            from selfmate.extras import has_extra
            from selfmate.rules.cpu import kernel_names

            try:
                kernel_names()
            except ValueError as error:
                return {"kernels_error": str(error)}
            if has_extra("train"):
                import torch

                torch.set_num_threads(1)
            self._shelf = Shelf()
            own = own_requirements()
            return {"sources": own.sources, "torch": own.torch}

        def _log(self) -> str:
            """The file that this process writes its errors to, where the system can tell."""
            try:
                return str(Path("/proc/self/fd/2").readlink())
            except OSError:
                return "the logs of Ray"

        def run(self, task: bytes, weights: dict[str, Any]) -> tuple[bytes, float, float]:
            """The result of a task, the seconds that it took, and the memory of this process in
            MB. `weights` are references by digest, wrapped so that nobody fetches them before they
            are needed."""
            import pickle
            import time

            import ray
            from threadpoolctl import threadpool_limits

            from selfmate.runs.metrics import resident_memory_mb

            began = time.perf_counter()
            self._shelf.offer(
                {digest: (lambda ref=ref: ray.get(ref)) for digest, ref in weights.items()}
            )
            with threadpool_limits(limits=1, user_api="blas"):
                result = pickle.loads(task).run(self._shelf)
            return result, time.perf_counter() - began, resident_memory_mb() or 0.0

    return Worker
