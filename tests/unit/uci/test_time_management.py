"""Time management: never more than is left, and never less for more time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfmate.uci.commands import parse_go
from selfmate.uci.time_management import TimeBudget, clock_budget, movetime_budget, time_budget

MS = st.integers(0, 10**7)
MOVES_TO_GO = st.integers(0, 100)
OVERHEAD = st.integers(0, 5000)


@given(MS, MS, MOVES_TO_GO, OVERHEAD)
def test_a_budget_is_never_more_than_the_clock(
    remaining: int, increment: int, moves_to_go: int, overhead: int
) -> None:
    budget = clock_budget(remaining, increment, moves_to_go, overhead)
    assert 0 <= budget.target_ms <= max(0, remaining - overhead)
    assert budget.target_ms <= budget.limit_ms <= max(remaining - overhead, remaining / 8)
    assert budget.last_ms == budget.limit_ms or budget.last_ms <= remaining / 2 or not remaining


@given(MS, MS, MS, st.integers(1, 100), OVERHEAD)
def test_more_time_never_gives_a_smaller_budget(
    remaining: int, more: int, increment: int, moves_to_go: int, overhead: int
) -> None:
    def at_most(small: TimeBudget, large: TimeBudget) -> bool:
        return small.target_ms <= large.target_ms and small.limit_ms <= large.limit_ms

    budget = clock_budget(remaining, increment, moves_to_go, overhead)
    assert at_most(budget, clock_budget(remaining + more, increment, moves_to_go, overhead))
    assert at_most(budget, clock_budget(remaining, increment + more, moves_to_go, overhead))
    assert at_most(clock_budget(remaining, increment, moves_to_go + 1, overhead), budget)
    assert at_most(clock_budget(remaining, increment, moves_to_go, overhead + 1), budget)
    assert at_most(
        movetime_budget(remaining, overhead), movetime_budget(remaining + more, overhead)
    )


@pytest.mark.parametrize("reaction_ms", [0.0, 2.0, 8.0])
@pytest.mark.parametrize("spends", ["target_ms", "limit_ms"])
def test_one_second_plus_ten_ms_a_move_lasts_for_any_game(spends: str, reaction_ms: float) -> None:
    """`reaction_ms` is what a move costs besides the search; the worst player uses the limit."""
    clock = 1000.0
    for _ in range(600):
        budget = clock_budget(int(clock), 10, 0, 60)
        clock -= getattr(budget, spends) + reaction_ms
        assert clock > 0
        clock += 10


def test_movestogo_uses_the_period_up() -> None:
    clock = 10_000.0
    for moves_to_go in range(40, 0, -1):
        clock -= clock_budget(int(clock), 0, moves_to_go, 60).target_ms
        assert clock > 60
    assert clock < 2_500, "time at the end of the period is time lost"


@pytest.mark.parametrize(
    ("line", "turn", "expected"),
    [
        ("infinite", "white", None),
        ("depth 3 nodes 9", "white", None),
        ("btime 1000", "white", None),
        ("wtime 4060 btime 60", "white", TimeBudget(100.0, 1000.0, 2000.0)),
        ("wtime 60 btime 4060 binc 10 winc 99", "black", TimeBudget(107.0, 1000.0, 2000.0)),
        ("wtime 160 movestogo 1", "white", TimeBudget(80.0, 100.0, 100.0)),
        ("wtime 80", "white", TimeBudget(0.5, 20.0, 20.0)),
        ("wtime 40 winc 10", "white", TimeBudget(0.0, 5.0, 5.0)),
        ("wtime -5 winc 100", "white", TimeBudget(0.0, 0.0, 2000.0)),
        ("movetime 560", "white", TimeBudget(500.0, 550.0, 2550.0)),
        ("movetime 50", "white", TimeBudget(25.0, 75.0, 2075.0)),
        ("movetime 560 wtime 4060", "white", TimeBudget(100.0, 550.0, 2000.0)),
    ],
)
def test_budgets_by_hand(line: str, turn: str, expected: TimeBudget | None) -> None:
    budget = time_budget(parse_go(line.split()), turn, 60)
    if expected is None:
        assert budget is None
    else:
        assert budget is not None
        assert budget.target_ms == pytest.approx(expected.target_ms)
        assert budget.limit_ms == pytest.approx(expected.limit_ms)
        assert budget.last_ms == pytest.approx(expected.last_ms)


@pytest.mark.parametrize(
    ("line", "waited_ms", "target_ms"),
    [
        ("movetime 1060", 0, 1000),
        ("movetime 1060", 400, 600),
        ("movetime 1060", 5000, 50),  # a short search after loading is better than none
        ("wtime 6060 movestogo 10", 0, 600),
        ("wtime 6060 movestogo 10", 3000, 300),
        ("wtime 1060", 2000, 1),
    ],
)
def test_loading_takes_its_time_from_the_clock(
    line: str, waited_ms: float, target_ms: float
) -> None:
    budget = time_budget(parse_go(line.split()), "white", 60, waited_ms)
    assert budget is not None
    assert budget.target_ms == pytest.approx(target_ms)
