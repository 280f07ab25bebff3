"""What a replay memory holds, in figures, and what in them should worry its owner."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import exp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selfmate.data.experience import ACTIONS, NO_ACTION, Episodes

# Twenty games of random play or of the teacher's reach 300 effective actions and more, one game
# played again and again at most 90. Few experiences say nothing.
FEW_ACTIONS, ENOUGH_EXPERIENCES = 100, 1000


@dataclass(frozen=True, kw_only=True)
class PageFacts:
    name: str
    experiences: int


@dataclass(frozen=True, kw_only=True)
class ReplayFacts:
    """Shares and means are of experiences, which are the rows with an action."""

    experiences: int
    games: int
    reward_variance: float
    terminal_share: float
    distinct_actions: int
    action_entropy_nats: float
    legal_least: int
    legal_mean: float
    legal_most: int
    forced_share: float  # with one legal action
    advised_share: float  # of which the teacher was asked
    pages: tuple[PageFacts, ...]  # oldest first
    remarks: tuple[str, ...] = ()  # sentences: what is wrong, what to do


def analyse(pages: Mapping[str, Episodes]) -> ReplayFacts:
    """Figures of pages, oldest first."""
    rewards, ends, actions = (_joined(pages, name) for name in ("rewards", "ends", "actions"))
    counts = _joined(pages, "legal_counts")
    distinct, entropy_nats = _diversity(actions)
    facts = ReplayFacts(
        experiences=len(actions),
        games=sum(int(np.count_nonzero(page.ends | ~page.played)) for page in pages.values()),
        reward_variance=float(np.var(rewards, dtype=np.float64)) if len(rewards) else 0.0,
        terminal_share=_share(ends),
        distinct_actions=distinct,
        action_entropy_nats=entropy_nats,
        legal_least=int(counts.min()) if len(counts) else 0,
        legal_mean=float(counts.mean()) if len(counts) else 0.0,
        legal_most=int(counts.max(initial=0)),
        forced_share=_share(counts == 1),
        advised_share=_share(_joined(pages, "advice") != NO_ACTION),
        pages=tuple(
            PageFacts(name=name, experiences=int(np.count_nonzero(page.played)))
            for name, page in pages.items()
        ),
    )
    return replace(facts, remarks=tuple(_remarks(facts)))


def _joined(pages: Mapping[str, Episodes], name: str) -> NDArray[Any]:
    """A property of the experiences of all pages, of which there may be none."""
    return np.concatenate(
        [np.zeros(0, np.int16), *(getattr(page, name)[page.played] for page in pages.values())]
    )


def _share(which: NDArray[np.bool_]) -> float:
    return float(np.count_nonzero(which)) / max(1, len(which))


def _diversity(actions: NDArray[np.int16]) -> tuple[int, float]:
    """How many actions there are, and the entropy of drawing one."""
    counts = np.bincount(actions, minlength=ACTIONS)
    probs = counts[counts > 0] / max(1, len(actions))
    return len(probs), float((probs * np.log(1 / probs)).sum())


def _remarks(facts: ReplayFacts) -> Iterator[str]:
    if not facts.experiences:
        yield "There are no experiences: let a cycle of self-play end before looking."
        return
    if not facts.terminal_share:
        yield (
            "Every game was cut, so no value has a ground: allow more plies, or start from "
            "endgames."
        )
    elif not facts.reward_variance:
        yield (
            "No game was decided, so all rewards are alike and nothing tells good from bad: allow "
            "more plies, or play against the teacher."
        )
    effective = exp(facts.action_entropy_nats)
    if facts.experiences >= ENOUGH_EXPERIENCES and effective < FEW_ACTIONS:
        yield (
            f"The actions are as uneven as if there were only {effective:.0f} of them: explore "
            "more (a higher epsilon), or start from more openings."
        )
