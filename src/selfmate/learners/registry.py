"""Everything that learns, by name. Command line, lab, presets and contract tests follow it."""

from importlib import import_module
from importlib.metadata import entry_points

from selfmate.learners.learner import Learner

# Packages with `LEARNERS`, a tuple of `Learner`. Other distributions add theirs by an entry point.
FAMILIES = (
    "selfmate.minichess",
    "selfmate.learners.dqn",
    "selfmate.learners.reinforce",
    "selfmate.learners.alphazero",
    "selfmate.learners.searchless",
)
ENTRY_POINTS = "selfmate.learners"


def _declared() -> dict[str, Learner]:
    families = [import_module(name).LEARNERS for name in FAMILIES]
    families += [point.load() for point in entry_points(group=ENTRY_POINTS)]
    found: dict[str, Learner] = {}
    for learner in (learner for family in families for learner in family):
        if learner.name in found:
            raise ValueError(f"two learners are named {learner.name!r}; names must be unique")
        found[learner.name] = learner
    return found


LEARNERS = _declared()


def started_by(verb: str) -> list[str]:
    """The names that follow `train` or `pretrain`."""
    return [learner.command.split()[1] for learner in LEARNERS.values() if learner.verb == verb]


def find_learner(name: str, verb: str = "train") -> Learner:
    if name not in started_by(verb):
        raise ValueError(f"no learner {name!r} to {verb}; there are: {', '.join(started_by(verb))}")
    return LEARNERS[name if verb == "train" else f"{verb}-{name}"]
