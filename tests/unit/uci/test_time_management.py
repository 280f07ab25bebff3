"""Time management: never more than is left, never less for more time, and more where it is in
doubt what to play."""

from dataclasses import astuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfmate.players import RootStatistics
from selfmate.uci.commands import parse_go
from selfmate.uci.time_management import (
    TimeBudget,
    TimeManager,
    clock_budget,
    movetime_budget,
    time_budget,
)

MS = st.integers(0, 10**7)
MOVES_TO_GO = st.integers(0, 100)
OVERHEAD = st.integers(0, 5000)


@given(MS, MS, MOVES_TO_GO, OVERHEAD)
def test_a_budget_is_never_more_than_the_clock(
    remaining: int, increment: int, moves_to_go: int, overhead: int
) -> None:
    budget = clock_budget(remaining, increment, moves_to_go, overhead)
    assert 0 <= budget.minimum_ms <= budget.target_ms <= budget.maximum_ms
    assert budget.maximum_ms <= max(0, remaining - overhead)
    assert budget.maximum_ms <= budget.limit_ms <= max(remaining - overhead, remaining / 8)
    assert budget.last_ms == budget.limit_ms or budget.last_ms <= remaining / 2 or not remaining


@given(MS, MS, MS, st.integers(1, 100), OVERHEAD)
def test_more_time_never_gives_a_smaller_budget(
    remaining: int, more: int, increment: int, moves_to_go: int, overhead: int
) -> None:
    def at_most(small: TimeBudget, large: TimeBudget) -> bool:
        return (
            small.target_ms <= large.target_ms
            and small.maximum_ms <= large.maximum_ms
            and small.limit_ms <= large.limit_ms
        )

    budget = clock_budget(remaining, increment, moves_to_go, overhead)
    assert at_most(budget, clock_budget(remaining + more, increment, moves_to_go, overhead))
    assert at_most(budget, clock_budget(remaining, increment + more, moves_to_go, overhead))
    assert at_most(clock_budget(remaining, increment, moves_to_go + 1, overhead), budget)
    assert at_most(clock_budget(remaining, increment, moves_to_go, overhead + 1), budget)
    assert at_most(
        movetime_budget(remaining, overhead), movetime_budget(remaining + more, overhead)
    )


@pytest.mark.parametrize("reaction_ms", [0.0, 2.0, 8.0])
@pytest.mark.parametrize("spends", ["target_ms", "maximum_ms", "limit_ms"])
def test_one_second_plus_ten_ms_a_move_lasts_for_any_game(spends: str, reaction_ms: float) -> None:
    """`reaction_ms` is what a move costs besides the search; the worst player uses the limit."""
    clock = 1000.0
    for _ in range(600):
        budget = clock_budget(int(clock), 10, 0, 60)
        clock -= getattr(budget, spends) + reaction_ms
        assert clock > 0
        clock += 10


@pytest.mark.parametrize("spends", ["target_ms", "maximum_ms"])
def test_a_slow_machine_keeps_a_reserve(spends: str) -> None:
    """Ten seconds and a tenth a move, where every move costs 50 ms besides the search."""
    clock = 10_000.0
    for _ in range(300):
        clock -= getattr(clock_budget(clock, 100, 0, 60), spends) + 50
        assert clock > 140
        clock += 100


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
        ("wtime 5060 btime 60", "white", TimeBudget(0.0, 142.4, 356.0, 1250.0, 2500.0)),
        ("wtime 5060 winc 100", "white", TimeBudget(0.0, 238.4, 596.0, 1250.0, 2500.0)),
        ("wtime 60 btime 5060 binc 25 winc 99", "black", TimeBudget(0, 166.4, 416, 1250, 2500)),
        ("wtime 160 movestogo 1", "white", TimeBudget(0.0, 80.0, 80.0, 100.0, 100.0)),
        ("wtime 460 movestogo 2", "white", TimeBudget(0.0, 170.0, 170.0, 220.0, 220.0)),
        ("wtime 660 movestogo 60", "white", TimeBudget(0.0, 12.0, 30.0, 150.0, 300.0)),
        ("wtime 260 winc 9999", "white", TimeBudget(0.0, 50.0, 50.0, 100.0, 100.0)),
        ("wtime 40 winc 10", "white", TimeBudget(0.0, 0.0, 0.0, 5.0, 5.0)),
        ("wtime -5 winc 100", "white", TimeBudget(0.0, 0.0, 0.0, 0.0, 2000.0)),
        ("movetime 560", "white", TimeBudget(500.0, 500.0, 500.0, 550.0, 2550.0)),
        ("movetime 50", "white", TimeBudget(25.0, 25.0, 25.0, 75.0, 2075.0)),
        ("movetime 560 wtime 5060", "white", TimeBudget(0.0, 142.4, 356.0, 550.0, 2500.0)),
    ],
)
def test_budgets_by_hand(line: str, turn: str, expected: TimeBudget | None) -> None:
    budget = time_budget(parse_go(line.split()), turn, 60)
    if expected is None:
        assert budget is None
    else:
        assert budget is not None
        assert astuple(budget) == pytest.approx(astuple(expected))


@pytest.mark.parametrize(
    ("line", "waited_ms", "target_ms"),
    [
        ("movetime 1060", 0, 1000),
        ("movetime 1060", 400, 600),
        ("movetime 1060", 5000, 50),  # a short search after loading is better than none
        ("wtime 6600 movestogo 10", 0, 600),
        ("wtime 6600 movestogo 10", 3000, 300),
        ("wtime 1060", 2000, 0.8),
    ],
)
def test_loading_takes_its_time_from_the_clock(
    line: str, waited_ms: float, target_ms: float
) -> None:
    budget = time_budget(parse_go(line.split()), "white", 60, waited_ms)
    assert budget is not None
    assert budget.target_ms == pytest.approx(target_ms)


def root(
    best_visits: int, second_visits: int, *, visits: int = 0, value: float = 0.0, best: str = "e2e4"
) -> RootStatistics:
    return RootStatistics(
        best=best,
        visits=visits or best_visits + second_visits + 1,
        best_visits=best_visits,
        second_visits=second_visits,
        value=value,
    )


NEW_BEST = root(9, 9, best="d2d4")
BUDGET = TimeBudget(0.0, 100.0, 250.0, 300.0, 400.0)


def end_after(*observed: tuple[float, RootStatistics], last_value: float | None = None) -> float:
    manager = TimeManager(BUDGET, last_value)
    for searched_ms, statistics in observed:
        manager.observe(searched_ms, statistics)
    return manager.end_ms()


def test_without_a_tree_a_search_ends_at_the_target() -> None:
    assert TimeManager(BUDGET).end_ms() == 100
    assert TimeManager(BUDGET).end_ms(pondered_ms=30) == 70
    assert TimeManager(BUDGET).end_ms(pondered_ms=200) == 0


@pytest.mark.parametrize(
    ("observed", "last_value", "end_ms"),
    [
        ([(10, root(8, 4))], None, 80),  # 0.3 + closeness 0.5
        ([(10, root(8, 0))], None, 30),
        ([(10, root(8, 8))], None, 130),
        ([(10, root(8, 8))], 0.1, 150),  # + 2 * 0.1
        ([(10, root(8, 8))], -0.5, 130),  # it rose
        ([(10, root(8, 8))], 1.0, 210),  # 0.4 is the most that counts
        ([(10, root(8, 4)), (20, NEW_BEST)], None, 230),  # changed just now
        ([(10, root(8, 4)), (20, NEW_BEST), (40, root(20, 10, best="d2d4"))], None, 130),
        ([(10, root(8, 4)), (20, NEW_BEST)], 1.0, 250),  # the maximum
    ],
)
def test_doubt_costs_time(
    observed: list[tuple[float, RootStatistics]], last_value: float | None, end_ms: float
) -> None:
    assert end_after(*observed, last_value=last_value) == pytest.approx(end_ms)


def test_a_move_that_cannot_be_overtaken_is_played() -> None:
    """A visit a millisecond; with a quarter of the best move's visits for the second, 55 ms are
    planned: after 35 ms 20 are left, in which the second could get 26 visits."""
    start = (0.0, root(0, 0, visits=1))
    assert end_after(start, (35, root(32, 8, visits=36))) == pytest.approx(55)
    assert end_after(start, (35, root(40, 10, visits=36))) == pytest.approx(35)


def test_visits_that_were_kept_do_not_make_the_search_faster() -> None:
    """50 visits of the last search, then one a millisecond."""
    assert end_after((0, root(32, 8, visits=50)), (35, root(40, 10, visits=85))) == 35


def test_time_on_the_clock_of_the_opponent_counts() -> None:
    manager = TimeManager(BUDGET)
    manager.observe(60, root(8, 8))
    assert manager.end_ms(pondered_ms=60) == pytest.approx(70)
    manager.observe(500, root(8, 8))
    assert manager.end_ms(pondered_ms=500) == 0, "it is played at once"
    fixed = TimeManager(movetime_budget(560, 60))
    assert fixed.end_ms(pondered_ms=500) == 500, "a time for this move is used"


@pytest.mark.parametrize("line", ["wtime 90000", "wtime 50", "wtime 90000 movestogo 1"])
def test_a_forced_move_is_played_at_once(line: str) -> None:
    budget = time_budget(parse_go(line.split()), "white", 60, is_forced=True)
    assert budget is not None
    assert TimeManager(budget).end_ms() == 0


def test_a_time_for_the_move_is_used_even_if_it_is_forced() -> None:
    budget = time_budget(parse_go(["movetime", "560"]), "white", 60, is_forced=True)
    assert budget == movetime_budget(560, 60)


ROOTS = st.builds(
    lambda best, second, others, value, move: root(
        max(best, second),
        min(best, second),
        visits=best + second + others + 1,
        value=value,
        best=move,
    ),
    st.integers(0, 10**6),
    st.integers(0, 10**6),
    st.integers(0, 10**6),
    st.floats(-1, 1),
    st.sampled_from(["e2e4", "d2d4"]),
)
SEARCHES = st.lists(st.tuples(st.floats(0, 10**6), ROOTS), max_size=8)
BUDGETS = st.builds(clock_budget, MS, MS, MOVES_TO_GO, OVERHEAD)


@given(BUDGETS, SEARCHES, st.none() | st.floats(-1, 1), st.floats(0, 10**6))
def test_no_search_goes_beyond_the_budget(
    budget: TimeBudget,
    search: list[tuple[float, RootStatistics]],
    last_value: float | None,
    pondered_ms: float,
) -> None:
    manager, fixed = TimeManager(budget, last_value), TimeManager(budget.fixed(), last_value)
    for searched_ms, statistics in sorted(search, key=lambda step: step[0]):
        manager.observe(searched_ms, statistics)
        fixed.observe(searched_ms, statistics)
        assert 0 <= manager.end_ms(pondered_ms) <= manager.end_ms() <= budget.maximum_ms
        assert fixed.end_ms(pondered_ms) == budget.target_ms
