"""What a learner declares about itself. Nothing heavy is imported before it trains."""

import os
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from selfmate.learners.metric import Metric

if TYPE_CHECKING:
    from pathlib import Path

    from selfmate.learners.config import Config
    from selfmate.runs.run import Run
    from selfmate.runs.session import DiskRun, Session


@dataclass(frozen=True, kw_only=True)
class Learner:
    """Where a learner lives and how it is presented.

    `module` has `train(config, run)`, with a third argument `device` if the learner supports more
    than one. `config` is `module:class`, a subclass of `selfmate.learners.config.Config` in a
    module that is light to import."""

    name: str
    module: str
    config: str
    summary: str
    unit: str  # what its training is counted in
    plots: tuple[str, ...]  # names of the metrics that show best how it learns
    then: str  # the command to try on a finished {run}
    metrics: tuple[Metric, ...] = ()  # all that it records, in the order in which they are shown
    key_metrics: tuple[str, ...] = ()  # names of those that are shown first; none: all of them
    verb: str = "train"  # the command that starts it; of "pretrain-x" it is "pretrain"
    devices: tuple[str, ...] = ("cpu",)  # where it can compute
    main_settings: tuple[str, ...] = ()  # those that people change first
    iteration: str = ""  # the setting with the units that one press on Train trains; none: all
    is_rehearsed: bool = True  # a few steps are cheap enough to estimate the time of all

    @property
    def command(self) -> str:
        """What starts it: `train x` or `pretrain x`."""
        return f"{self.verb} {self.name.removeprefix('pretrain-')}"

    @property
    def config_class(self) -> "type[Config]":
        module, _, name = self.config.partition(":")
        found: type[Config] = getattr(import_module(module), name)
        return found

    def check_device(self, device: str) -> None:
        if device not in self.devices:
            allowed = " or ".join(self.devices)
            raise ValueError(f"{self.command} cannot compute on {device!r}; --device is {allowed}")
        if device != "cpu":
            from selfmate.nets.devices import check_device

            check_device(device)

    def open_run(self, config: "Config", directory: "Path", session: "Session") -> "DiskRun":
        """A run of this learner on disk, for `with`; see `selfmate.runs.session.open_run`."""
        from selfmate.runs.card import Header
        from selfmate.runs.checkpoint import Policy
        from selfmate.runs.session import open_run

        if session.resume:
            self._refuse_old_run(directory)
        policy = Policy(
            checkpoint_every=config.checkpoint_every,
            keep_last=config.keep_last,
            keep_every=config.keep_every,
        )
        return open_run(directory, Header(self.name, config.plain()), policy, session)

    def _refuse_old_run(self, directory: "Path") -> None:
        """RunRefusedError for a run of version 0.1, whose settings had other names."""
        from selfmate.learners.config import old_run_sentence
        from selfmate.runs.card import read_header
        from selfmate.runs.run import CorruptError, RunRefusedError

        with suppress(CorruptError):  # `open_run` says what is wrong with the directory
            header = read_header(directory)
            sentence = old_run_sentence(self, header.config, directory)
            if header.learner == self.name and sentence:
                raise RunRefusedError(sentence)

    def train(self, config: "Config", run: "Run", device: str = "cpu") -> None:
        """Does what is left of a run, on one BLAS thread: sums must not depend on the number of
        cores, and products of small matrices are slower on several."""
        # Torch's threads would wait by spinning, on cores that the core's own threads need.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        module: Any = import_module(self.module)  # loads NumPy, whose threads are limited next
        from threadpoolctl import threadpool_limits

        with threadpool_limits(limits=1, user_api="blas"):
            module.train(config, run, *([device] if len(self.devices) > 1 else []))
