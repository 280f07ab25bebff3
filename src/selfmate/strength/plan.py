"""What is to be measured: trainings, the times at which each is rated, and how long that takes."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from selfmate.strength.families import DATA, Family, Stage, Start

RATED_GAMES = 200  # for which families say how long a rating takes
STARTUP_MINUTES = 0.15  # of the processes of a part, which load torch
RUNS, SNAPSHOTS = "runs", "snapshots"


@dataclass(frozen=True, kw_only=True)
class Training:
    """One family from one start with one random seed. Paths are relative to the folder of all that
    is measured, which is the working directory of every command."""

    family: Family
    start: Start
    seed: int
    quick: bool = False
    data: Path | None = None  # absolute

    @property
    def name(self) -> str:
        return f"{self.family.name}-{self.start.name}-{self.seed}"

    @property
    def runs(self) -> tuple[str, ...]:
        """The directories of its stages."""
        return tuple(f"{RUNS}/{self.name}-{stage.verb}" for stage in self.start.stages)

    def command(self, stage_number: int) -> list[str]:
        """The arguments of `selfmate` that train a stage."""
        stage = self._stage(stage_number)
        words: list[str] = [stage.verb, stage.learner]
        if stage.preset is not None:
            words += ["--preset", stage.preset]
        if stage.takes_data:
            words += ["--data", str(self.data)]
        for setting in stage.sets:
            words += ["--set", setting.replace(DATA, str(self.data))]
        if stage_number:
            words += ["--load", self.runs[stage_number - 1]]
        return [*words, "--seed", str(self.seed), "--run", self.runs[stage_number], "--resume"]

    def snapshot(self, minutes: float) -> str:
        """The directory of its weights after so many minutes: a run that can play."""
        return f"{SNAPSHOTS}/{self.name}-{minutes:g}min"

    def _stage(self, number: int) -> Stage:
        stage = self.start.stages[number]
        return stage.in_quick_mode() if self.quick else stage


@dataclass(frozen=True, kw_only=True)
class Part:
    """A training up to a time, and the rating of its weights then."""

    training: Training
    minutes: float
    trained_before: float = 0  # minutes at the snapshot before

    @property
    def key(self) -> tuple[str, float]:
        return self.training.name, self.minutes


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All that is asked for, in the order in which it is made: first everything with one seed, and
    the short times first."""

    trainings: tuple[Training, ...]
    minutes: tuple[float, ...]  # ascending
    games: int

    def parts(self) -> Iterator[Part]:
        for seed in sorted({training.seed for training in self.trainings}):
            for before, minutes in zip((0.0, *self.minutes), self.minutes, strict=False):
                for training in self.trainings:
                    if training.seed == seed:
                        yield Part(training=training, minutes=minutes, trained_before=before)

    def rating_minutes(self, part: Part) -> float:
        """Of a part, with the start of its processes."""
        return STARTUP_MINUTES + part.training.family.rating_minutes * self.games / RATED_GAMES


@dataclass(frozen=True, kw_only=True)
class Request:
    """What is asked for."""

    families: tuple[Family, ...]
    starts: tuple[str, ...]
    minutes: tuple[float, ...]
    seeds: int  # random seeds from 1 on
    games: int  # of a rating
    quick: bool = False
    data: Path | None = None


def make_plan(request: Request) -> Plan:
    """ValueError if none of the families has such a start, or there are no games to start from."""
    if "games" in request.starts and request.data is None:
        raise ValueError("--from games needs --data DIR, a folder that selfmate import made")
    pairs = [(family, start) for family in request.families for start in family.starts]
    trainings = tuple(
        Training(family=family, start=start, seed=seed, quick=request.quick, data=request.data)
        for family, start in pairs
        if start.name in request.starts
        for seed in range(1, request.seeds + 1)
    )
    if not trainings:
        there_are = ", ".join(f"{family.name} from {start.name}" for family, start in pairs)
        raise ValueError(
            f"nothing starts from {' or '.join(request.starts)}; there are: {there_are}"
        )
    return Plan(trainings=trainings, minutes=tuple(sorted(request.minutes)), games=request.games)
