"""Time management: how long one search may take without ever losing on time."""

from dataclasses import dataclass

from selfmate.uci.commands import GoCommand

MOVES_AHEAD = 40  # moves for which a clock without `movestogo` is planned
INCREMENT_FRACTION = 0.7  # the rest pays for what a move costs besides the search
GRACE_MS = 50.0  # how long a player that was told to stop may take to answer


@dataclass(frozen=True)
class TimeBudget:
    """The player is told to stop at the target; at the limit the engine moves without it."""

    target_ms: float
    limit_ms: float


def time_budget(go: GoCommand, turn: str, overhead_ms: int) -> TimeBudget | None:
    """The budget of the side to move ("white" or "black"); None if `go` gives it no time."""
    numbers, side = go.numbers, turn[0]
    budgets = []
    if "movetime" in numbers:
        budgets.append(movetime_budget(numbers["movetime"], overhead_ms))
    if f"{side}time" in numbers:
        remaining, increment = numbers[f"{side}time"], numbers.get(f"{side}inc", 0)
        moves_to_go = numbers.get("movestogo", 0)
        budgets.append(clock_budget(remaining, increment, moves_to_go, overhead_ms))
    if not budgets:
        return None
    return TimeBudget(
        min(budget.target_ms for budget in budgets), min(budget.limit_ms for budget in budgets)
    )


def movetime_budget(movetime_ms: int, overhead_ms: int) -> TimeBudget:
    """All of the time for one move. Unlike with a clock, a late answer does not lose the game."""
    target = max(movetime_ms - overhead_ms, movetime_ms / 2)
    return TimeBudget(target, target + GRACE_MS)


def clock_budget(
    remaining_ms: int, increment_ms: int, moves_to_go: int, overhead_ms: int
) -> TimeBudget:
    """A fraction of the clock; `moves_to_go` is 0 if the clock is for the rest of the game."""
    remaining = max(remaining_ms, 0)
    usable = max(remaining - overhead_ms, 0)
    moves = min(moves_to_go or MOVES_AHEAD, MOVES_AHEAD)
    max_target = usable * (0.8 if moves == 1 else 0.5)
    target = min(usable / moves + INCREMENT_FRACTION * increment_ms, max_target)
    # With plenty of time, a player that reacts slowly may complete its search. With none, it still
    # gets an eighth of the clock: eighths of what is left never add up to all of it.
    limit = min(max(target + GRACE_MS, usable / 4), usable)
    return TimeBudget(target, max(limit, remaining / 8))
