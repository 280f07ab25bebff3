"""What a learner declares about itself and its metrics.

Nothing heavy is imported before a learner trains.
"""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from selfmate.extras import check_extra

if TYPE_CHECKING:
    from collections.abc import Callable

    from selfmate.learners.config import Config
    from selfmate.runs import Arrays, DiskRun, Run, Session
    from selfmate.selfplay.workers import Workers


Better = Literal["higher", "lower"]

PLACEHOLDER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class MetricGroup:
    """Metrics that are drawn in one chart."""

    title: str
    meaning: str
    by_time: bool = False  # drawn over the time of training, not over its units


@dataclass(frozen=True)
class Metric:
    """One number per step, by its name in `metrics.jsonl`.

    A name with a placeholder declares a family: `score_{opponent}` stands for `score_random` too,
    and the title may use the same placeholder."""

    name: str
    title: str
    meaning: str  # one phrase
    unit: str = ""  # such as nats or plies; "fraction" is a number from 0 to 1, shown as per cent
    better: Better | None = None
    group: MetricGroup | None = None

    def named(self, name: str) -> "Metric | None":
        """This metric for a name it declares, its placeholder filled in; else None."""
        if name == self.name:
            return self
        pattern = PLACEHOLDER.sub(r"(?P<\1>\\w+)", self.name)
        found = re.fullmatch(pattern, name) if "{" in self.name else None
        if found is None:
            return None
        parts = {key: _in_words(part) for key, part in found.groupdict().items()}
        return replace(self, name=name, title=self.title.format(**parts))


def _in_words(part: str) -> str:
    """`teacher_depth_1` as `teacher 1`, `en_passant` as `en passant`."""
    return re.sub(r"_depth_(\d+)$", r" \1", part).replace("_", " ")


def find_metric(declared: tuple[Metric, ...], name: str) -> Metric | None:
    """The declaration of a name, its placeholder filled in. Plain names go before families."""
    return next((metric for _, metric in _declarations(declared, name)), None)


@lru_cache(maxsize=64)
def metrics_of(declared: tuple[Metric, ...], names: tuple[str, ...]) -> tuple[Metric, ...]:
    """A metric for each name, in the order of the declarations; undeclared ones last."""
    found = [next(_declarations(declared, name), _undeclared(declared, name)) for name in names]
    return tuple(metric for _, metric in sorted(found, key=lambda place: place[0]))


def _declarations(declared: tuple[Metric, ...], name: str) -> Iterator[tuple[int, Metric]]:
    """Those that fit a name, with their places; plain names before families."""
    places = sorted(range(len(declared)), key=lambda place: "{" in declared[place].name)
    for place in places:
        metric = declared[place].named(name)
        if metric is not None:
            yield place, metric


def _undeclared(declared: tuple[Metric, ...], name: str) -> tuple[int, Metric]:
    """For a run of an older version, or of a learner that is not installed."""
    title = name.replace("_", " ").capitalize()
    return len(declared), Metric(name, title, "")


STRENGTH = MetricGroup(
    "Strength over time",
    "points against fixed opponents, by minutes of training; 50 % is even",
    by_time=True,
)
RESULTS = MetricGroup("Results of its games", "how the games it learned from ended")
ENTROPIES = MetricGroup(
    "Policy entropy", "beside the entropy of a policy that plays all legal moves alike"
)
LOSSES = MetricGroup("Loss", "what training minimises; as the games change it need not fall")
EXPERT_MOVES = MetricGroup(
    "Expert's move", "how often the teacher's or master's move is among its first choices"
)

# Evaluation matches against fixed opponents.
SCORE = Metric(
    "score_{opponent}",
    "Score vs {opponent}",
    "points in evaluation games, 50 % is even",
    unit="fraction",
    better="higher",
    group=STRENGTH,
)
WON, DRAWN, LOST = (
    Metric(
        f"{name}_{{opponent}}",
        f"{name.capitalize()} vs {{opponent}}",
        f"evaluation games that it {verb}",
        unit="games",
    )
    for name, verb in (("won", "won"), ("drawn", "drew"), ("lost", "lost"))
)
ILLEGAL_MOVES = Metric(
    "illegal_moves",
    "Illegal moves",
    "in evaluation games: anything but 0 is a fault of an encoding",
    unit="moves",
    better="lower",
)
MEAN_PLIES = Metric(
    "mean_plies_{opponent}",
    "Game length vs {opponent}",
    "mean length of evaluation games",
    unit="plies",
)
PLY_LIMIT_GAMES = Metric(
    "ply_limit_games_{opponent}",
    "Truncated vs {opponent}",
    "evaluation games that reached the ply limit",
    unit="games",
    better="lower",
)
EVALUATION = (SCORE, WON, DRAWN, LOST, MEAN_PLIES, PLY_LIMIT_GAMES, ILLEGAL_MOVES)

# Gating matches against the best net so far.
SCORE_BEST = Metric(
    "score_best",
    "Score vs best so far",
    "points in the gating match, 50 % is even",
    unit="fraction",
    better="higher",
)
PROMOTED = Metric("promoted", "Promoted", "1 when it became the best so far, else 0")

# Games that a learner played to learn from.
GAMES = Metric("games", "Games", "games that ended in this step", unit="games")
PLIES = Metric("plies", "Game length", "moves of both sides, on average", unit="plies")
DISTINCT_GAMES = Metric(
    "distinct_games",
    "Distinct games",
    "games of this step that differ in their moves",
    unit="games",
    better="higher",
)
DRAWN_GAMES = Metric("drawn_games", "Drawn games", "draws of this step", unit="games")
TRUNCATED_GAMES = Metric(
    "truncated_games",
    "Truncated games",
    "games of this step that reached the ply limit",
    unit="games",
    better="lower",
)
WHITE_SCORE = Metric("white_score", "White's score", "White's points per game", unit="fraction")
EPSILON = Metric("epsilon", "Random moves", "fraction of moves played at random", unit="fraction")

# What a net says of the positions it learns from, and how it is updated.
ENTROPY = Metric(
    "entropy", "Entropy", "of the policy: 0 is always the same move", unit="nats", group=ENTROPIES
)
LN_LEGAL = Metric(
    "ln_legal",
    "Uniform entropy",
    "the entropy if all legal moves were equally likely",
    unit="nats",
    group=ENTROPIES,
)
VALUE_MEAN = Metric("value_mean", "Mean value", "expected result of positions: 0 is even")
VALUE_SPREAD = Metric(
    "value_spread", "Value spread", "standard deviation of the values of positions"
)
GRADIENT_NORM = Metric("gradient_norm", "Gradient norm", "before clipping, mean over updates")
LEARNING_RATE = Metric("learning_rate", "Learning rate", "of the last update of this step")
UPDATES = Metric("updates", "Updates", "gradient steps so far", unit="updates")
REPLAY_SIZE = Metric(
    "replay_size", "Replay size", "positions in the replay buffer", unit="positions"
)
LOSS = Metric("loss", "Loss", "the whole training loss", better="lower", group=LOSSES)

# Positions of experts that were held out from training.
MATCH = Metric(
    "match{rank}",
    "Expert's move in top {rank}",
    "on positions it did not learn from",
    unit="fraction",
    better="higher",
    group=EXPERT_MOVES,
)


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
    needs_torch: bool = True
    # Its games may be played by workers on other machines: `train` has an argument `workers`.
    takes_workers: bool = False

    @property
    def command(self) -> str:
        """What starts it: `train x` or `pretrain x`."""
        return f"{self.verb} {self.name.removeprefix('pretrain-')}"

    @property
    def config_class(self) -> "type[Config]":
        module, _, name = self.config.partition(":")
        found: type[Config] = getattr(import_module(module), name)
        return found

    def check_installed(self) -> None:
        """ValueError when it needs torch and there is none."""
        if self.needs_torch:
            check_extra("train")

    def check_device(self, device: str) -> None:
        if device not in self.devices:
            allowed = " or ".join(self.devices)
            raise ValueError(f"{self.command} cannot compute on {device!r}; --device is {allowed}")
        if device != "cpu":
            from selfmate.nets.optim import check_device

            check_device(device)

    def open_run(self, config: "Config", directory: Path, session: "Session") -> "DiskRun":
        """A run of this learner on disk, for `with`; see `selfmate.runs.session.open_run`."""
        from selfmate.runs import Checkpoints, Header, Policy, open_run

        self.check_installed()
        if session.resume:
            self._refuse_old_run(directory)
        # A resumed run has its weights in its checkpoints; the run it started from may be gone.
        is_begun = session.resume and bool(Checkpoints(directory).steps())
        if config.load and session.load is None and not is_begun:
            session = replace(session, load=self._weights_of(config.load, session.say))
        policy = Policy(
            checkpoint_every=config.checkpoint_every,
            keep_last=config.keep_last,
            keep_every=config.keep_every,
            compress=config.compress,
        )
        return open_run(directory, Header(self.name, config.plain()), policy, session)

    def _refuse_old_run(self, directory: Path) -> None:
        """RunRefusedError for a run of version 0.1, whose settings had other names."""
        from selfmate.learners.config import old_run_sentence
        from selfmate.runs import CorruptError, RunRefusedError, read_header

        with suppress(CorruptError):  # `open_run` says what is wrong with the directory
            header = read_header(directory)
            sentence = old_run_sentence(self, header.config, directory)
            if header.learner == self.name and sentence:
                raise RunRefusedError(sentence)

    def _weights_of(self, name: str, say: "Callable[[str], None]") -> "Arrays":
        """The weights of a run or of a net that ships. RunRefusedError if there are none; `say`
        hears of checkpoints that are skipped."""
        from selfmate.learners.registry import started_by
        from selfmate.players import parse_run_name
        from selfmate.players.trained import find_weights
        from selfmate.runs import RunDirectory, RunRefusedError
        from selfmate.weights import is_model

        run = parse_run_name(name)
        try:
            if is_model(run.kind):
                return find_weights(run).arrays
            found = RunDirectory(Path(run.kind)).checkpoint(run.settings.get("version", "last"))
        except ValueError as error:
            has_pretraining = self.name in started_by("pretrain")
            how = f" with selfmate pretrain {self.name}" if has_pretraining else ""
            raise RunRefusedError(
                f"there are no weights to load: {error}; make such a run{how}, or name another run "
                "or a net that ships with --load"
            ) from error
        for reason in found.passed_over:
            say(reason)
        return found.weights

    def check_workers(self, device: str) -> None:
        """ValueError if this learner cannot have workers beside such a device."""
        if not self.takes_workers:
            raise ValueError(f"{self.command} plays on this machine alone: leave --ray out")
        if device != "cpu":
            raise ValueError(f"workers compute on CPUs, not on {device!r}: leave --ray out")

    def train(
        self,
        config: "Config",
        run: "Run",
        device: str = "cpu",
        workers: "Workers | None" = None,
    ) -> None:
        """Does what is left of a run, on one BLAS thread: sums must not depend on the number of
        cores, and products of small matrices are slower on several. Without `workers` threads of
        this process play the games."""
        # Torch's threads would wait by spinning, on cores that the core's own threads need.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        module: Any = import_module(self.module)  # loads NumPy, whose threads are limited next
        from threadpoolctl import threadpool_limits

        with threadpool_limits(limits=1, user_api="blas"):
            options: dict[str, Any] = {} if workers is None else {"workers": workers}
            module.train(config, run, *([device] if len(self.devices) > 1 else []), **options)
