"""Time management: how long one search may take without ever losing on time.

The clock gives a budget. Within it a tree search ends by what its root looks like: sooner if the
best move cannot be overtaken any more, later if it is in doubt. Nothing here reads a clock.
"""

from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING

from selfmate.uci.commands import GoCommand

if TYPE_CHECKING:
    from selfmate.players.player import RootStatistics

MOVES_AHEAD = 25  # moves for which a clock without `movestogo` is planned
MAX_STRETCH = 2.5  # of the target, for a move in doubt
MAX_CLOCK_FRACTION = 0.25  # for one move of many, however doubtful
LAST_CLOCK_FRACTION = 0.8  # for the last move before the next time control
GRACE_MS = 50.0  # how long a player that was told to stop may take to answer
FIRST_MOVE_MS = 2000.0  # how much longer a player may take that has no move yet
MIN_LEFT_MS = 100.0  # of the time that `go` gave, after loading

# The target of a tree search is stretched by a sum of signs of doubt. docs/learners/alphazero.md
# says how these numbers were found.
SETTLED_STRETCH = 0.3  # nothing in doubt
CLOSENESS_STRETCH = 1.0  # times the visits of the second move / those of the best
CHANGE_STRETCH = 1.0  # times the part of the search before the best move changed last
FALL_STRETCH = 2.0  # times what the value fell below that of our last move
MAX_FALL = 0.4
OVERTAKING_MARGIN = 1.3  # the search may become faster: the cache fills, other programs end


@dataclass(frozen=True)
class TimeBudget:
    """Milliseconds of our clock.

    A player is told to stop at the target; a tree search somewhere between the minimum and the
    maximum. At the limit the engine plays the best move known; if the player has none yet, it is
    waited for until the last moment.
    """

    minimum_ms: float
    target_ms: float
    maximum_ms: float
    limit_ms: float
    last_ms: float

    def fixed(self) -> "TimeBudget":
        """For searches of a given number of nodes: time may end them, but not early."""
        return replace(self, minimum_ms=self.target_ms, maximum_ms=self.target_ms)

    def without_search(self) -> "TimeBudget":
        """For the only move there is."""
        return replace(self, minimum_ms=0.0, target_ms=0.0, maximum_ms=0.0)

    def within(self, other: "TimeBudget") -> "TimeBudget":
        """Where both hold."""
        return TimeBudget(
            min(self.minimum_ms, other.minimum_ms),
            min(self.target_ms, other.target_ms),
            min(self.maximum_ms, other.maximum_ms),
            min(self.limit_ms, other.limit_ms),
            min(self.last_ms, other.last_ms),
        )


def time_budget(
    go: GoCommand, turn: str, overhead_ms: int, waited_ms: float = 0.0, *, is_forced: bool = False
) -> TimeBudget | None:
    """The budget of the side to move ("white" or "black"); None if `go` gives it no time.

    `waited_ms` have passed since `go`, because the player had to be loaded first. A forced move
    costs no time of a clock.
    """
    numbers, side = go.numbers, turn[0]
    budgets = []
    if "movetime" in numbers:
        budgets.append(movetime_budget(_left(numbers["movetime"], waited_ms), overhead_ms))
    if f"{side}time" in numbers:
        remaining = _left(numbers[f"{side}time"], waited_ms)
        increment, moves_to_go = numbers.get(f"{side}inc", 0), numbers.get("movestogo", 0)
        budget = clock_budget(remaining, increment, moves_to_go, overhead_ms)
        budgets.append(budget.without_search() if is_forced else budget)
    return reduce(TimeBudget.within, budgets) if budgets else None


def _left(time_ms: int, waited_ms: float) -> float:
    """Where loading took longer than there was time, a short search is better than none."""
    return max(time_ms - waited_ms, min(time_ms, MIN_LEFT_MS))


def movetime_budget(movetime_ms: float, overhead_ms: int) -> TimeBudget:
    """All of the time for one move: none can be saved for the next. Unlike with a clock, a late
    answer does not lose the game."""
    target = max(movetime_ms - overhead_ms, movetime_ms / 2, 0.0)
    limit = target + GRACE_MS
    return TimeBudget(target, target, target, limit, limit + FIRST_MOVE_MS)


def clock_budget(
    remaining_ms: float, increment_ms: int, moves_to_go: int, overhead_ms: int
) -> TimeBudget:
    """A share of the clock and of the increments to come, from which each move pays its overhead;
    at least half a share of the clock. `moves_to_go` is 0 if the clock is for the rest of the
    game."""
    remaining = max(remaining_ms, 0)
    usable = max(remaining - overhead_ms, 0)
    moves = min(moves_to_go or MOVES_AHEAD, MOVES_AHEAD)
    share = (remaining + (moves - 1) * increment_ms) / moves - overhead_ms
    fraction = min(max(1 / moves, MAX_CLOCK_FRACTION), LAST_CLOCK_FRACTION)
    target = min(max(share, usable / (2 * moves)), fraction * usable)
    maximum = max(target, min(MAX_STRETCH * target, MAX_CLOCK_FRACTION * usable))
    # With plenty of time, a player that reacts slowly may complete its search. With none, it still
    # gets an eighth of the clock: eighths of what is left never add up to all of it.
    limit = max(min(max(maximum + GRACE_MS, usable / 4), usable), remaining / 8)
    # Where the clock is below zero, nobody looks at it.
    last = min(limit + FIRST_MOVE_MS, usable / 2) if remaining else FIRST_MOVE_MS
    return TimeBudget(0.0, target, maximum, limit, max(limit, last))


class TimeManager:
    """When the search of one move ends. Times are milliseconds since `go`, so that what was found
    on the opponent's clock counts."""

    def __init__(self, budget: TimeBudget, last_value: float | None = None) -> None:
        """`last_value` is what our last move in this game promised, from -1 to 1."""
        self.budget = budget
        self._last_value = last_value
        self._end_ms = budget.target_ms
        self._first: tuple[float, int] | None = None  # time and visits
        self._best, self._changed_ms = "", 0.0

    def observe(self, searched_ms: float, root: "RootStatistics") -> None:
        """Moves the end of the search by what it has found so far."""
        if self._first is None:
            self._first = searched_ms, root.visits
        elif root.best != self._best:
            self._changed_ms = searched_ms
        self._best = root.best
        end_ms = self.budget.target_ms * self._stretch(searched_ms, root)
        is_settled = self._cannot_be_overtaken(searched_ms, end_ms, root)
        self._end_ms = min(searched_ms, end_ms) if is_settled else end_ms

    def end_ms(self, pondered_ms: float = 0.0) -> float:
        """When the search ends, on our clock, which started `pondered_ms` after `go`."""
        budget = self.budget
        return min(max(self._end_ms - pondered_ms, budget.minimum_ms), budget.maximum_ms)

    def _stretch(self, searched_ms: float, root: "RootStatistics") -> float:
        closeness = min(1.0, root.second_visits / max(1, root.best_visits))
        change = self._changed_ms / max(1.0, searched_ms)
        fall = 0.0 if self._last_value is None else self._last_value - root.value
        return (
            SETTLED_STRETCH
            + CLOSENESS_STRETCH * closeness
            + CHANGE_STRETCH * change
            + FALL_STRETCH * min(max(fall, 0.0), MAX_FALL)
        )

    def _cannot_be_overtaken(
        self, searched_ms: float, end_ms: float, root: "RootStatistics"
    ) -> bool:
        """Whether the second move would stay behind even if it got all visits until the end."""
        first_ms, first_visits = self._first or (searched_ms, root.visits)
        if searched_ms <= first_ms:
            return False
        visits_per_ms = (root.visits - first_visits) / (searched_ms - first_ms)
        coming = OVERTAKING_MARGIN * visits_per_ms * max(0.0, end_ms - searched_ms)
        return root.best_visits - root.second_visits > coming
