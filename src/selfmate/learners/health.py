"""Alarms: what goes wrong when a net learns from its own games, each with what to do about it.

They are judged by figures of the last cycles alone, so any learner that plays itself can ask.
"""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from statistics import median

from pydantic import BaseModel, ConfigDict, ValidationError

from selfmate.runs.run import Json

# Cycles that are remembered: how far back alarms look, how long a net may take to move from where
# it started, and how long an alarm must have been silent to be given again.
CYCLES = 10
# Alarms are asked for in hundreds of cycles: a bound of 95 % would cry wolf in one of forty, one
# of three deviations does in one of 700. And ten games, whatever they came to, prove nothing.
DEVIATIONS = 3
# Random play decides 16 % of its games, and 4 % if they are cut after 100 plies.
FEW_DECIDED = 0.05
# Games of fifty plies with any exploration in them are hardly ever the same.
FEW_DISTINCT = 0.5
# Shares of the entropy that all legal moves alike would have. It is 5 % if one move of thirty has
# 98 %; in a net that was never taught it is 96 % at temperature 0.1.
COLLAPSED, UNIFORM = 0.05, 0.95
# The values of a net that was never taught differ by 0.018.
DEAD_SPREAD = 0.01
# Values that are true lie within -1..1, and so does their root mean square.
LARGEST_VALUE = 1.0
# Gradients differ a few times over from cycle to cycle; of fewer cycles no usual one is known.
GRADIENT_LEAP, ENOUGH_GRADIENTS = 10, 5


@dataclass(frozen=True, kw_only=True)
class Vitals:
    """What one cycle of self-play and learning came to. All are finite: a run ends otherwise."""

    games: int  # that ended in this cycle
    decided: int  # of them, won by either side
    cut: int  # of them, by the ply limit; the rest are draws
    distinct_games: int  # of them, by their moves
    entropy_nats: float  # mean over positions, of the net's policy over legal moves
    ln_legal_nats: float  # mean over the same positions of ln(number of legal moves)
    gradient_norm: float  # mean over updates, before clipping; 0 if there were none
    value_mean: float | None = None  # of the positions played; None: the net has no values
    value_spread: float | None = None  # their standard deviation

    def __post_init__(self) -> None:
        if self.decided + self.cut > self.games or self.distinct_games > self.games:
            raise ValueError(f"more games were counted than the {self.games} there are: {self}")

    @property
    def evenness(self) -> float:
        """1 for all legal moves alike, 0 for one alone."""
        return self.entropy_nats / self.ln_legal_nats if self.ln_legal_nats > 0 else 1.0


@dataclass(frozen=True, kw_only=True)
class Cures:
    """What can be done in the words of a learner's settings."""

    variety: str = "raise epsilon or the temperature"
    draws: str = "drop draws, raise epsilon or the temperature, or change the opponents"
    repeats: str = "raise epsilon or the temperature, or add opponents"
    cuts: str = "raise max_plies, or add opponents that can be beaten"
    sameness: str = "drop draws, or change learning_rate"
    leaps: str = "lower learning_rate, or make the target sync rarer"


USUAL = Cures()


class _Memory(BaseModel):
    """What a watch keeps between cycles; numbers become plain ones, for JSON."""

    model_config = ConfigDict(frozen=True, extra="forbid", revalidate_instances="always")

    cycles: tuple[Vitals, ...] = ()  # the last ones, newest last
    silent: dict[str, int] = {}  # cycles since an alarm held, of those that did lately


class Watch:
    """Gives an alarm when it begins, not in every cycle in which it holds."""

    def __init__(self, cures: Cures = USUAL, unasked: Collection[str] = ()) -> None:
        """Checks that mean nothing to a learner are not asked."""
        self._memory, self._cures, self._unasked = _Memory(), cures, unasked

    def alarms(self, vitals: Vitals) -> list[str]:
        """Sentences for what this cycle, seen with the last ones, brought anew."""
        cycles = (*self._memory.cycles, vitals)[-CYCLES:]
        standing = standing_alarms(cycles, self._cures)
        held = {name: said for name, said in standing.items() if name not in self._unasked}
        silent = {name: count + 1 for name, count in self._memory.silent.items() if count < CYCLES}
        self._memory = _Memory(cycles=cycles, silent=silent | dict.fromkeys(held, 0))
        return [sentence for name, sentence in held.items() if name not in silent]

    def facts(self) -> dict[str, Json]:
        """All that a watch needs to go on, for JSON."""
        facts: dict[str, Json] = self._memory.model_dump(mode="json")
        return facts

    def load(self, facts: Json) -> None:
        """Takes over what `facts` returned once; ValueError when it is something else."""
        try:
            self._memory = _Memory.model_validate(facts)
        except ValidationError as error:
            reason = error.errors()[0]["msg"].lower()
            raise ValueError(f"these are not the facts of a watch: {reason}") from None


def standing_alarms(cycles: Sequence[Vitals], cures: Cures = USUAL) -> dict[str, str]:
    """All that is wrong after some cycles, at least one and the newest last."""
    found = {name: check(cycles, cures) for name, check in CHECKS.items()}
    return {name: sentence for name, sentence in found.items() if sentence}


def highest_share(count: int, total: int) -> float:
    """The most that a share can be, seen `count` times in `total`: Wilson's upper bound."""
    if not total:
        return 1.0
    share, doubt = count / total, DEVIATIONS**2 / total
    half = math.sqrt(doubt * (share * (1 - share) + doubt / 4))
    return (share + doubt / 2 + half) / (1 + doubt)


def _proof(
    cycles: Sequence[Vitals], count: Callable[[Vitals], int], share: float
) -> Sequence[Vitals]:
    """The fewest newest cycles whose games prove that those counted are a smaller share; or none.

    So large cycles are judged at once, and small ones when there are enough of them.
    """
    for length in range(1, len(cycles) + 1):
        newest = cycles[-length:]
        if highest_share(sum(map(count, newest)), sum(cycle.games for cycle in newest)) < share:
            return newest
    return ()


def _draws(cycles: Sequence[Vitals], cures: Cures) -> str | None:
    proof = _proof(cycles, lambda cycle: cycle.decided, FEW_DECIDED)
    if not proof:
        return None
    games, decided = sum(cycle.games for cycle in proof), sum(cycle.decided for cycle in proof)
    cut = sum(cycle.cut for cycle in proof)
    drawn = games - decided - cut
    cure = cures.cuts if cut > drawn else cures.draws
    return (
        f"Only {decided:,} of the last {games:,} games were decided ({drawn:,} drawn, {cut:,} cut "
        f"by the ply limit), so little tells good moves from bad: {cure}."
    )


def _repeats(cycles: Sequence[Vitals], cures: Cures) -> str | None:
    proof = _proof(cycles, lambda cycle: cycle.distinct_games, FEW_DISTINCT)
    if not proof:
        return None
    games = sum(cycle.games for cycle in proof)
    distinct = sum(cycle.distinct_games for cycle in proof)
    return (
        f"Only {distinct:,} of the last {games:,} games were different, so there is little to "
        f"learn from them: {cures.repeats}."
    )


def _collapse(cycles: Sequence[Vitals], cures: Cures) -> str | None:
    newest = cycles[-1]
    if newest.evenness >= COLLAPSED:
        return None
    return (
        f"The policy has collapsed to nearly one move a position (entropy "
        f"{newest.entropy_nats:.3f} nats, for all legal moves alike it is "
        f"{newest.ln_legal_nats:.2f}): {cures.variety}, or lower learning_rate."
    )


def _uniform(cycles: Sequence[Vitals], cures: Cures) -> str | None:
    newest = cycles[-1]
    if len(cycles) < CYCLES or min(cycle.evenness for cycle in cycles) <= UNIFORM:
        return None
    return (
        f"The policy has taken all legal moves alike for {len(cycles)} cycles (entropy "
        f"{newest.entropy_nats:.2f} nats of {newest.ln_legal_nats:.2f}): raise learning_rate, or "
        "lower the temperature."
    )


def _dead(cycles: Sequence[Vitals], cures: Cures) -> str | None:
    mean, spread = cycles[-1].value_mean, cycles[-1].value_spread
    if mean is None or spread is None:
        return None
    lived = any((cycle.value_spread or 0.0) >= DEAD_SPREAD for cycle in cycles)
    # A net may begin with all values alike, but not fall back to that.
    if spread >= DEAD_SPREAD or (len(cycles) < CYCLES and not lived):
        return None
    return (
        f"The net says the same of every position (values differ by {spread:.4f} from "
        f"{mean:+.2f}): {cures.sameness}."
    )


def _explosion(cycles: Sequence[Vitals], cures: Cures) -> str | None:
    mean, spread = cycles[-1].value_mean, cycles[-1].value_spread
    if mean is None or spread is None or math.hypot(mean, spread) <= LARGEST_VALUE:
        return None
    return (
        f"Values explode (mean {mean:+.3g}, spread {spread:.3g}, where "
        f"none should be outside -1 to 1): {cures.leaps}."
    )


def _gradient(cycles: Sequence[Vitals], cures: Cures) -> str | None:
    earlier = [cycle.gradient_norm for cycle in cycles[:-1] if cycle.gradient_norm > 0]
    newest = cycles[-1].gradient_norm
    if len(earlier) < ENOUGH_GRADIENTS or newest <= GRADIENT_LEAP * median(earlier):
        return None
    return (
        f"The gradient norm of {newest:.3g} is {newest / median(earlier):.0f} times what it was in "
        f"the last {len(earlier)} cycles: {cures.leaps}."
    )


CHECKS: dict[str, Callable[[Sequence[Vitals], Cures], str | None]] = {
    "draws": _draws,
    "repeats": _repeats,
    "collapse": _collapse,
    "uniform": _uniform,
    "dead": _dead,
    "explosion": _explosion,
    "gradient": _gradient,
}
