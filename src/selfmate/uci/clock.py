"""How long to think: a budget that never loses on time."""

from dataclasses import dataclass

from selfmate.uci.go import Go

MOVES_AHEAD = 40  # moves that the rest of the game is planned for
SHARE_OF_INCREMENT = 0.7  # the rest makes up for what a move costs besides thinking
GRACE_MS = 50.0  # a player told to stop that has not answered by then is answered for


@dataclass(frozen=True)
class Budget:
    """The player is stopped at the target; at the limit a move is given, come what may."""

    target_ms: float
    limit_ms: float


def plan(go: Go, turn: str, overhead_ms: int) -> Budget | None:
    """The budget of a `go` for the side to move, None when it gives no time."""
    numbers, side = go.numbers, turn[0]
    budgets = []
    if "movetime" in numbers:
        budgets.append(for_move(numbers["movetime"], overhead_ms))
    if f"{side}time" in numbers:
        remaining, increment = numbers[f"{side}time"], numbers.get(f"{side}inc", 0)
        moves_to_go = numbers.get("movestogo", 0)
        budgets.append(for_clock(remaining, increment, moves_to_go, overhead_ms))
    if not budgets:
        return None
    return Budget(min(b.target_ms for b in budgets), min(b.limit_ms for b in budgets))


def for_move(movetime_ms: int, overhead_ms: int) -> Budget:
    """All of the time for one move; unlike a clock, it is not lost when a player reacts late."""
    target = max(movetime_ms - overhead_ms, movetime_ms / 2)
    return Budget(target, target + GRACE_MS)


def for_clock(remaining_ms: int, increment_ms: int, moves_to_go: int, overhead_ms: int) -> Budget:
    """A share of the clock; `moves_to_go` is 0 when the clock is for the whole game."""
    remaining = max(remaining_ms, 0)
    usable = max(remaining - overhead_ms, 0)
    moves = min(moves_to_go or MOVES_AHEAD, MOVES_AHEAD)
    most = usable * (0.8 if moves == 1 else 0.5)
    target = min(usable / moves + SHARE_OF_INCREMENT * increment_ms, most)
    # A player that reacts slowly may finish its thought while there is plenty of time; when there
    # is none, it is still asked, and the eighths add up to less than the clock.
    limit = min(max(target + GRACE_MS, usable / 4), usable)
    return Budget(target, max(limit, remaining / 8))
