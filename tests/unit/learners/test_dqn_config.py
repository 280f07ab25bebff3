"""Settings of the chess DQN: schedules, and combinations that are refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfmate.learners.config import read_config
from selfmate.learners.dqn.learner import Dqn
from selfmate.learners.registry import LEARNERS
from unit.learners.dqn_lines import config_of

FRACTIONS = st.floats(0, 1)
CYCLES = st.integers(1, 50)


def test_epsilon_by_hand() -> None:
    config = config_of(epsilon=0.5, epsilon_end=0.1, epsilon_cycles=4, warmup_cycles=2)
    found = [config.epsilon_in(cycle) for cycle in range(1, 10)]
    assert found == pytest.approx([0.5, 0.5, 0.5, 0.4, 0.3, 0.2, 0.1, 0.1, 0.1])


def test_the_teachers_weight_by_hand() -> None:
    config = config_of(teacher_anneal_cycles=4)
    found = [config.teacher_weight(1.0, 0.2, cycle) for cycle in range(1, 8)]
    assert found == pytest.approx([1.0, 0.8, 0.6, 0.4, 0.2, 0.2, 0.2])


@given(FRACTIONS, FRACTIONS, CYCLES, st.integers(0, 50), CYCLES)
def test_schedules_are_monotonic_from_start_to_end(
    start: float, end: float, total: int, warmup: int, cycle: int
) -> None:
    config = config_of(
        epsilon=start, epsilon_end=end, epsilon_cycles=total, warmup_cycles=warmup,
        teacher_anneal_cycles=total,
    )  # fmt: skip
    low, high = sorted((start, end))
    for schedule, begin in (
        (config.epsilon_in, 1 + warmup),
        (lambda number: config.teacher_weight(start, end, number), 1),
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
        (
            ["high_quality_fraction=0.8", "recent_fraction=0.3"],
            "high_quality_fraction and recent_fraction must sum to at most 1",
        ),
        (["imitation_bonus=0.1"], "imitation_bonus and truncation_penalty need backup = two_ply"),
        (
            ["truncation_penalty=0.1"],
            "imitation_bonus and truncation_penalty need backup = two_ply",
        ),
        (["backup=two_ply", "n_step=2"], "backup = two_ply needs n_step = 1"),
        (["teacher_depth=0", "shaping_weight=0.5"], "need a teacher_depth of at least 1"),
        (["teacher_depth=0", "shaping_weight_end=0.5"], "need a teacher_depth of at least 1"),
        (
            ["teacher_depth=0", "imitation_bonus=0.5", "backup=two_ply"],
            "need a teacher_depth of at least 1",
        ),
        (
            ["games=4", "max_plies=50", "replay_size=203"],
            "replay_size must hold .* = 204 positions, not 203",
        ),
        (["learning_starts=300001"], "learning_starts must be at most replay_size"),
    ],
)
def test_impossible_combinations_are_refused(sets: list[str], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence) as caught:
        read_config(LEARNERS["dqn"], sets=sets)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("decisive", [0.0, 0.1, 0.3, 0.7, 0.9, 1.0])
def test_a_batch_may_be_all_decisive_and_recent(decisive: float) -> None:
    """1 - 0.9 - 0.1 is less than 0."""
    dqn = Dqn(config_of(high_quality_fraction=decisive, recent_fraction=round(1 - decisive, 1)))
    assert dqn.replay.fractions.main == pytest.approx(0)
