"""Time management: how long one search may take without ever losing on time."""

from dataclasses import dataclass

from selfmate.uci.commands import GoCommand

MOVES_AHEAD = 40  # moves for which a clock without `movestogo` is planned
INCREMENT_FRACTION = 0.7  # the rest pays for what a move costs besides the search
GRACE_MS = 50.0  # how long a player that was told to stop may take to answer
FIRST_MOVE_MS = 2000.0  # how much longer a player may take that has no move yet
MIN_LEFT_MS = 100.0  # of the time that `go` gave, after loading


@dataclass(frozen=True)
class TimeBudget:
    """The player is told to stop at the target. At the limit the engine plays the best move known;
    if the player has none yet, it is waited for until the last moment."""

    target_ms: float
    limit_ms: float
    last_ms: float


def time_budget(
    go: GoCommand, turn: str, overhead_ms: int, waited_ms: float = 0.0
) -> TimeBudget | None:
    """The budget of the side to move ("white" or "black"); None if `go` gives it no time.

    `waited_ms` have passed since `go`, because the player had to be loaded first.
    """
    numbers, side = go.numbers, turn[0]
    budgets = []
    if "movetime" in numbers:
        budgets.append(movetime_budget(_left(numbers["movetime"], waited_ms), overhead_ms))
    if f"{side}time" in numbers:
        remaining = _left(numbers[f"{side}time"], waited_ms)
        increment, moves_to_go = numbers.get(f"{side}inc", 0), numbers.get("movestogo", 0)
        budgets.append(clock_budget(remaining, increment, moves_to_go, overhead_ms))
    if not budgets:
        return None
    return TimeBudget(
        min(budget.target_ms for budget in budgets),
        min(budget.limit_ms for budget in budgets),
        min(budget.last_ms for budget in budgets),
    )


def _left(time_ms: int, waited_ms: float) -> float:
    """Where loading took longer than there was time, a short search is better than none."""
    return max(time_ms - waited_ms, min(time_ms, MIN_LEFT_MS))


def movetime_budget(movetime_ms: float, overhead_ms: int) -> TimeBudget:
    """All of the time for one move. Unlike with a clock, a late answer does not lose the game."""
    target = max(movetime_ms - overhead_ms, movetime_ms / 2, 0.0)
    limit = target + GRACE_MS
    return TimeBudget(target, limit, limit + FIRST_MOVE_MS)


def clock_budget(
    remaining_ms: float, increment_ms: int, moves_to_go: int, overhead_ms: int
) -> TimeBudget:
    """A fraction of the clock; `moves_to_go` is 0 if the clock is for the rest of the game."""
    remaining = max(remaining_ms, 0)
    usable = max(remaining - overhead_ms, 0)
    moves = min(moves_to_go or MOVES_AHEAD, MOVES_AHEAD)
    max_target = usable * (0.8 if moves == 1 else 0.5)
    target = min(usable / moves + INCREMENT_FRACTION * increment_ms, max_target)
    # With plenty of time, a player that reacts slowly may complete its search. With none, it still
    # gets an eighth of the clock: eighths of what is left never add up to all of it.
    limit = max(min(max(target + GRACE_MS, usable / 4), usable), remaining / 8)
    # Where the clock is below zero, nobody looks at it.
    last = min(limit + FIRST_MOVE_MS, usable / 2) if remaining else FIRST_MOVE_MS
    return TimeBudget(target, limit, max(limit, last))
