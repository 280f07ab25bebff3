"""The one table of what `selfmate strength` trains, and how each net plays when it is rated.

Settings differ from a preset only where it would end too early, or has a teacher that learning from
nothing must not have.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

StartName = Literal["nothing", "teacher", "games"]
STARTS: tuple[StartName, ...] = ("nothing", "teacher", "games")
START_WORDS = {"nothing": "nothing", "teacher": "a teacher", "games": "recorded games"}
DATA = "{data}"  # in settings: the folder of imported games
ENDLESS = "cycles=1000000"
ALPHAZERO = "alphazero"  # means all of its nets


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One run: a verb and its settings."""

    verb: Literal["train", "pretrain"]
    learner: str
    preset: str | None = None  # None: the learner's defaults
    sets: tuple[str, ...] = ()
    quick: tuple[str, ...] = ()  # settings with the preset `try`, for a smoke test
    takes_data: bool = False

    def in_quick_mode(self) -> "Stage":
        return replace(self, preset="try", sets=self.quick)


@dataclass(frozen=True, kw_only=True)
class Start:
    """Where learning begins. Each stage starts from the weights of the one before; the time of all
    of them counts."""

    name: StartName
    stages: tuple[Stage, ...]


@dataclass(frozen=True, kw_only=True)
class Family:
    """A way of learning, and how its nets are played when they are rated."""

    name: str
    title: str
    settings: str  # of the player; empty: policy alone
    rating_minutes: float  # about how long 200 rated games take on two cores
    starts: tuple[Start, ...]

    def start(self, name: str) -> Start | None:
        return next((start for start in self.starts if start.name == name), None)


NO_TEACHER = (
    "teacher_depth=0",
    "imitation_weight=0",
    "imitation_weight_end=0",
    "vs_teacher_1=0",
    "vs_teacher_2=0",
)
SPARSE = 'net="sparse"'

FAMILIES = (
    Family(
        name="dqn",
        title="DQN",
        settings="sims=400",
        rating_minutes=6,
        starts=(
            Start(
                name="nothing",
                stages=(
                    Stage(
                        verb="train",
                        learner="dqn",
                        sets=(*NO_TEACHER, ENDLESS),
                        quick=(*NO_TEACHER, ENDLESS),
                    ),
                ),
            ),
            Start(
                name="teacher",
                stages=(
                    Stage(verb="pretrain", learner="dqn"),
                    Stage(verb="train", learner="dqn", sets=(ENDLESS,), quick=(ENDLESS,)),
                ),
            ),
        ),
    ),
    Family(
        name="reinforce",
        title="REINFORCE",
        settings="lookahead=1",
        rating_minutes=3,
        starts=(
            Start(
                name="nothing",
                stages=(
                    Stage(
                        verb="train",
                        learner="reinforce",
                        preset="sparring",
                        sets=("games=100000000",),
                        quick=("games=100000000",),
                    ),
                ),
            ),
        ),
    ),
    Family(
        name="searchless",
        title="Searchless",
        settings="",
        rating_minutes=5,
        starts=(
            Start(
                name="nothing",
                stages=(
                    Stage(verb="train", learner="searchless", preset="tiny", quick=(ENDLESS,)),
                ),
            ),
            Start(
                name="games",
                stages=(
                    Stage(verb="pretrain", learner="searchless", preset="tiny", takes_data=True),
                    Stage(
                        verb="train",
                        learner="searchless",
                        preset="finish",
                        sets=(f'masters="{DATA}"',),
                        quick=(ENDLESS, f'masters="{DATA}"'),
                    ),
                ),
            ),
        ),
    ),
    Family(
        name="alphazero-residual",
        title="AlphaZero, residual net",
        settings="sims=200",
        rating_minutes=12,
        starts=(
            Start(
                name="nothing",
                stages=(Stage(verb="train", learner="alphazero", preset="tiny", quick=(ENDLESS,)),),
            ),
            Start(
                name="games",
                stages=(
                    Stage(verb="pretrain", learner="alphazero", preset="tiny", takes_data=True),
                    Stage(
                        verb="train",
                        learner="alphazero",
                        preset="gentle",
                        sets=(f'masters="{DATA}"',),
                        quick=(ENDLESS, f'masters="{DATA}"'),
                    ),
                ),
            ),
        ),
    ),
    Family(
        name="alphazero-sparse",
        title="AlphaZero, sparse net",
        settings="sims=2000",
        rating_minutes=8,
        starts=(
            Start(
                name="nothing",
                stages=(
                    Stage(
                        verb="train",
                        learner="alphazero",
                        preset="swift",
                        quick=(SPARSE, ENDLESS),
                    ),
                ),
            ),
            Start(
                name="teacher",
                stages=(
                    Stage(
                        verb="pretrain",
                        learner="alphazero",
                        preset="swift",
                        quick=(
                            SPARSE,
                            'optimizer="adam"',
                            "gradient_accumulation=1",
                            "positions=4096",
                        ),
                    ),
                    Stage(
                        verb="train",
                        learner="alphazero",
                        preset="swift",
                        quick=(SPARSE, ENDLESS),
                    ),
                ),
            ),
        ),
    ),
)


def find_families(names: Sequence[str]) -> tuple[Family, ...]:
    """Those with these names in the order of the table; all without names. ValueError names what
    there is."""
    known = {family.name for family in FAMILIES}
    for name in names:
        if name not in known and name != ALPHAZERO:
            there_are = ", ".join(family.name for family in FAMILIES)
            raise ValueError(
                f"no learner {name!r} to measure; there are: {there_are}, and {ALPHAZERO} for both"
            )
    return tuple(family for family in FAMILIES if not names or _is_meant(family.name, names))


def _is_meant(family: str, names: Sequence[str]) -> bool:
    return family in names or (ALPHAZERO in names and family.startswith(f"{ALPHAZERO}-"))
