"""Settings of the chess DQN: schedules, and what is refused together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfmate.learners import LEARNERS
from selfmate.learners.config import read_config
from selfmate.learners.dqn import Dqn
from unit.learners.dqn_lines import config_of

SHARES = st.floats(0, 1)
CYCLES = st.integers(1, 50)


def test_epsilon_by_hand() -> None:
    config = config_of(epsilon=0.5, epsilon_end=0.1, epsilon_cycles=4, warmup_cycles=2)
    found = [config.epsilon_in(cycle) for cycle in range(1, 10)]
    assert found == pytest.approx([0.5, 0.5, 0.5, 0.4, 0.3, 0.2, 0.1, 0.1, 0.1])


def test_the_teachers_help_by_hand() -> None:
    config = config_of(help_cycles=4)
    found = [config.helped(1.0, 0.2, cycle) for cycle in range(1, 8)]
    assert found == pytest.approx([1.0, 0.8, 0.6, 0.4, 0.2, 0.2, 0.2])


@given(SHARES, SHARES, CYCLES, st.integers(0, 50), CYCLES)
def test_schedules_go_one_way_from_start_to_end(
    start: float, end: float, total: int, warmup: int, cycle: int
) -> None:
    config = config_of(
        epsilon=start, epsilon_end=end, epsilon_cycles=total, warmup_cycles=warmup,
        help_cycles=total,
    )  # fmt: skip
    low, high = sorted((start, end))
    for schedule, begin in (
        (config.epsilon_in, 1 + warmup),
        (lambda number: config.helped(start, end, number), 1),
    ):
        assert schedule(begin) == start
        assert schedule(begin + total) == pytest.approx(end)
        here, later = schedule(cycle), schedule(cycle + 1)
        assert low - 1e-9 <= here <= high + 1e-9
        assert (later - here) * (end - start) >= -1e-9


@pytest.mark.parametrize(
    ("sets", "sentence"),
    [
        (
            [f"vs_{name}=0.0" for name in ("self", "best", "past", "teacher_1", "teacher_2")]
            + ["vs_random=0.0"],
            "one of the weights vs_... must be above 0",
        ),
        (["share_high=0.8", "share_recent=0.3"], "share_high and share_recent are at most 1"),
        (["imitation_bonus=0.1"], "imitation_bonus and cut_penalty need backup = two_ply"),
        (["cut_penalty=0.1"], "imitation_bonus and cut_penalty need backup = two_ply"),
        (["backup=two_ply", "steps=2"], "backup = two_ply needs steps = 1"),
        (["advice_depth=0", "shaping=0.5"], "need an advice_depth of 1 or more"),
        (["advice_depth=0", "shaping_end=0.5"], "need an advice_depth of 1 or more"),
        (
            ["advice_depth=0", "imitation_bonus=0.5", "backup=two_ply"],
            "need an advice_depth of 1 or more",
        ),
        (["games=4", "max_plies=50", "replay=203"], "replay must hold .* = 204 positions, not 203"),
        (["learning_starts=300001"], "learning_starts is at most replay"),
    ],
)
def test_what_does_not_go_together_is_refused(sets: list[str], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence) as caught:
        read_config(LEARNERS["dqn"], sets=sets)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("high", [0.0, 0.1, 0.3, 0.7, 0.9, 1.0])
def test_all_of_a_batch_may_come_from_the_best_and_the_newest(high: float) -> None:
    """1 - 0.9 - 0.1 is less than 0."""
    dqn = Dqn(config_of(share_high=high, share_recent=round(1 - high, 1)))
    assert dqn.replay.shares.main == pytest.approx(0)
