"""Health checks of self-play training: alarms that name the problem, its numbers and a remedy.

The checks need nothing but metrics of the last cycles, so every learner with self-play can use
them.
"""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from statistics import median

from pydantic import BaseModel, ConfigDict, ValidationError

from selfmate.runs import Json

# How many cycles the checks look back, how many a new net has to start learning, and how many an
# alarm must have been silent before it is raised again.
CYCLES = 10
# A run has hundreds of cycles: a 95 % bound would give a false alarm in one of forty, a bound of
# three standard deviations does in one of 700. And ten games prove nothing, whatever their results.
DEVIATIONS = 3
# Random play decides 16 % of its games, and 4 % if they are truncated after 100 plies.
FEW_DECIDED = 0.05
# Games of fifty plies with any exploration are hardly ever the same.
FEW_DISTINCT = 0.5
# Fractions of the uniform policy's entropy. It is 5 % if one move of thirty has a probability of
# 98 %; an untrained net has 96 % at temperature 0.1.
COLLAPSED, UNIFORM = 0.05, 0.95
# The values of untrained nets have standard deviations of 0.009 (a small dueling net) to 0.018.
ALIVE_SPREAD, DEAD_SPREAD = 0.01, 0.005
# True values lie within -1..1, and so does their root mean square.
LARGEST_VALUE = 1.0
# Gradient norms vary by a small factor from cycle to cycle; the median needs a few cycles.
GRADIENT_JUMP, MIN_GRADIENTS = 10, 5


@dataclass(frozen=True, kw_only=True)
class HealthMetrics:
    """Metrics of one cycle, all finite. The field names are those of the checkpoint on disk."""

    games: int  # of this cycle
    decided: int  # games won by either side
    cut: int  # games truncated by the ply limit; the others are draws
    distinct_games: int
    entropy_nats: float  # of the policy over legal moves, mean over positions
    ln_legal_nats: float  # ln(number of legal moves), mean over the same positions
    gradient_norm: float  # before clipping, mean over updates; 0 if there were none
    value_mean: float | None = None  # mean of the positions' values; None: the net has none
    value_spread: float | None = None  # their standard deviation

    def __post_init__(self) -> None:
        if self.decided + self.cut > self.games or self.distinct_games > self.games:
            raise ValueError(f"the counts exceed the number of games, {self.games}: {self}")

    @property
    def evenness(self) -> float:
        """1 for a uniform policy, 0 for a deterministic one."""
        return self.entropy_nats / self.ln_legal_nats if self.ln_legal_nats > 0 else 1.0


@dataclass(frozen=True, kw_only=True)
class Remedies:
    """What to do about each problem, in terms of a learner's settings."""

    variety: str = "raise epsilon or the temperature"
    draws: str = "drop draws, raise epsilon or the temperature, or change the opponents"
    repeats: str = "raise epsilon or the temperature, or add opponents"
    cuts: str = "raise max_plies, or add opponents that can be beaten"
    sameness: str = "drop draws, or change learning_rate"
    leaps: str = "lower learning_rate, or update the target net less often"


DEFAULT_REMEDIES = Remedies()


class _Memory(BaseModel):
    """What a monitor keeps between cycles, as plain numbers for JSON."""

    model_config = ConfigDict(frozen=True, extra="forbid", revalidate_instances="always")

    cycles: tuple[HealthMetrics, ...] = ()  # the last ones, newest last
    silent: dict[str, int] = {}  # cycles since an alarm last held, of recent alarms


class HealthMonitor:
    """Raises an alarm when a problem begins, not in every cycle in which it persists."""

    def __init__(
        self,
        remedies: Remedies = DEFAULT_REMEDIES,
        skipped: Collection[str] = (),
        patient: Collection[str] = (),
    ) -> None:
        """`skipped` names checks that make no sense for a learner, `patient` those that give a new
        net `CYCLES` cycles to start learning."""
        self._memory, self._remedies = _Memory(), remedies
        self._skipped, self._patient = skipped, patient

    def alarms(self, health_metrics: HealthMetrics) -> list[str]:
        """A sentence for each problem that begins with this cycle."""
        cycles = (*self._memory.cycles, health_metrics)[-CYCLES:]
        off = {*self._skipped, *(self._patient if len(cycles) < CYCLES else ())}
        standing = standing_alarms(cycles, self._remedies)
        held = {name: text for name, text in standing.items() if name not in off}
        silent = {name: count + 1 for name, count in self._memory.silent.items() if count < CYCLES}
        self._memory = _Memory(cycles=cycles, silent=silent | dict.fromkeys(held, 0))
        return [sentence for name, sentence in held.items() if name not in silent]

    def facts(self) -> dict[str, Json]:
        """The state of the monitor, for JSON."""
        facts: dict[str, Json] = self._memory.model_dump(mode="json")
        return facts

    def load(self, facts: Json) -> None:
        """Restores what `facts` returned; ValueError if it is something else."""
        try:
            self._memory = _Memory.model_validate(facts)
        except ValidationError as error:
            reason = error.errors()[0]["msg"].lower()
            raise ValueError(f"these are not the facts of a health monitor: {reason}") from None


def standing_alarms(
    cycles: Sequence[HealthMetrics], remedies: Remedies = DEFAULT_REMEDIES
) -> dict[str, str]:
    """All problems after some cycles, at least one, the newest last."""
    found = {name: check(cycles, remedies) for name, check in CHECKS.items()}
    return {name: sentence for name, sentence in found.items() if sentence}


def upper_bound(count: int, total: int) -> float:
    """Wilson's upper bound of a probability, for `count` successes in `total` trials."""
    if not total:
        return 1.0
    rate, z2 = count / total, DEVIATIONS**2 / total
    half = math.sqrt(z2 * (rate * (1 - rate) + z2 / 4))
    return (rate + z2 / 2 + half) / (1 + z2)


def _evidence(
    cycles: Sequence[HealthMetrics], count: Callable[[HealthMetrics], int], rate: float
) -> Sequence[HealthMetrics]:
    """The fewest newest cycles that prove a rate of counted games below `rate`, or none.

    Large cycles are judged at once, small ones when there are enough of them.
    """
    for length in range(1, len(cycles) + 1):
        newest = cycles[-length:]
        if upper_bound(sum(map(count, newest)), sum(cycle.games for cycle in newest)) < rate:
            return newest
    return ()


def _draws(cycles: Sequence[HealthMetrics], remedies: Remedies) -> str | None:
    proof = _evidence(cycles, lambda cycle: cycle.decided, FEW_DECIDED)
    if not proof:
        return None
    games, decided = sum(cycle.games for cycle in proof), sum(cycle.decided for cycle in proof)
    cut = sum(cycle.cut for cycle in proof)
    drawn = games - decided - cut
    cure = remedies.cuts if cut > drawn else remedies.draws
    return (
        f"Only {decided:,} of the last {games:,} games were decided ({drawn:,} drawn, {cut:,} "
        f"truncated by the ply limit), so there is little to learn from: {cure}."
    )


def _repeats(cycles: Sequence[HealthMetrics], remedies: Remedies) -> str | None:
    proof = _evidence(cycles, lambda cycle: cycle.distinct_games, FEW_DISTINCT)
    if not proof:
        return None
    games = sum(cycle.games for cycle in proof)
    distinct = sum(cycle.distinct_games for cycle in proof)
    return (
        f"Only {distinct:,} of the last {games:,} games were different, so self-play repeats "
        f"itself: {remedies.repeats}."
    )


def _collapse(cycles: Sequence[HealthMetrics], remedies: Remedies) -> str | None:
    newest = cycles[-1]
    if newest.evenness >= COLLAPSED:
        return None
    return (
        f"The policy has collapsed to nearly one move per position (entropy "
        f"{newest.entropy_nats:.3f} nats, a uniform policy has "
        f"{newest.ln_legal_nats:.2f}): {remedies.variety}, or lower learning_rate."
    )


def _uniform(cycles: Sequence[HealthMetrics], remedies: Remedies) -> str | None:
    newest = cycles[-1]
    if len(cycles) < CYCLES or min(cycle.evenness for cycle in cycles) <= UNIFORM:
        return None
    return (
        f"The policy has been nearly uniform for {len(cycles)} cycles (entropy "
        f"{newest.entropy_nats:.2f} nats of {newest.ln_legal_nats:.2f}): raise learning_rate, or "
        "lower the temperature."
    )


def _dead(cycles: Sequence[HealthMetrics], remedies: Remedies) -> str | None:
    mean, spread = cycles[-1].value_mean, cycles[-1].value_spread
    if mean is None or spread is None:
        return None
    has_differed = any((cycle.value_spread or 0.0) >= ALIVE_SPREAD for cycle in cycles)
    # A net may start with equal values, but must not fall back to them.
    if spread >= DEAD_SPREAD or (len(cycles) < CYCLES and not has_differed):
        return None
    return (
        f"The net gives every position the same value (standard deviation {spread:.4f} around "
        f"{mean:+.2f}): {remedies.sameness}."
    )


def _explosion(cycles: Sequence[HealthMetrics], remedies: Remedies) -> str | None:
    mean, spread = cycles[-1].value_mean, cycles[-1].value_spread
    if mean is None or spread is None or math.hypot(mean, spread) <= LARGEST_VALUE:
        return None
    return (
        f"Values explode (mean {mean:+.3g}, standard deviation {spread:.3g}, although all should "
        f"lie within -1 to 1): {remedies.leaps}."
    )


def _gradient(cycles: Sequence[HealthMetrics], remedies: Remedies) -> str | None:
    earlier = [cycle.gradient_norm for cycle in cycles[:-1] if cycle.gradient_norm > 0]
    newest = cycles[-1].gradient_norm
    if len(earlier) < MIN_GRADIENTS or newest <= GRADIENT_JUMP * median(earlier):
        return None
    return (
        f"The gradient norm of {newest:.3g} is {newest / median(earlier):.0f} times the median of "
        f"the last {len(earlier)} cycles: {remedies.leaps}."
    )


CHECKS: dict[str, Callable[[Sequence[HealthMetrics], Remedies], str | None]] = {
    "draws": _draws,
    "repeats": _repeats,
    "collapse": _collapse,
    "uniform": _uniform,
    "dead": _dead,
    "explosion": _explosion,
    "gradient": _gradient,
}
