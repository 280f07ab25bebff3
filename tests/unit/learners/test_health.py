"""Alarms: raised when they should be, silent when not, and not repeated."""

import json
import math
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.learners import train
from selfmate.learners.config import DEFAULT, read_config
from selfmate.learners.health import (
    CHECKS,
    CYCLES,
    DEVIATIONS,
    FEW_DECIDED,
    HealthMetrics,
    HealthMonitor,
    standing_alarms,
    upper_bound,
)
from selfmate.learners.registry import LEARNERS
from selfmate.presets import presets_of
from selfmate.runs.directory import RunDirectory
from selfmate.runs.run import Json
from selfmate.runs.session import Session

WELL = HealthMetrics(
    games=256,
    decided=100,
    cut=20,
    distinct_games=256,
    entropy_nats=1.2,
    ln_legal_nats=3.3,
    value_mean=0.05,
    value_spread=0.3,
    gradient_norm=1.5,
)
TEN_GAMES = replace(WELL, games=10, decided=4, cut=1, distinct_games=10)

# Name of a check -> a cycle that fails it, numbers in its sentence, and the remedy it names.
WRONG = {
    "draws": (replace(WELL, decided=1, cut=5), "Only 1 of the last 256 games", "drop draws"),
    "repeats": (replace(WELL, distinct_games=3), "Only 3 of the last 256 games", "epsilon"),
    "collapse": (replace(WELL, entropy_nats=0.02), "0.020 nats", "temperature"),
    "uniform": (replace(WELL, entropy_nats=3.29), "3.29 nats of 3.30", "learning_rate"),
    "dead": (replace(WELL, value_spread=0.0004), "deviation 0.0004 around +0.05", "learning_rate"),
    "explosion": (replace(WELL, value_mean=-7.0), "mean -7, standard deviation 0.3", "target net"),
    "gradient": (replace(WELL, gradient_norm=60.0), "60 is 40 times", "learning_rate"),
}


def names(cycles: Iterable[HealthMetrics]) -> set[str]:
    return set(standing_alarms(list(cycles)[-CYCLES:]))


def test_every_alarm_is_tried_here() -> None:
    assert WRONG.keys() == CHECKS.keys()


@pytest.mark.parametrize("name", CHECKS)
def test_skipped_checks_are_silent(name: str) -> None:
    usual, easy = HealthMonitor(), HealthMonitor(skipped=(name,))
    cycles = [WELL] * (CYCLES - 1) + [WRONG[name][0]] * CYCLES
    assert any(usual.alarms(cycle) for cycle in cycles)
    assert not any(easy.alarms(cycle) for cycle in cycles)


def test_patient_checks_give_a_new_net_some_cycles() -> None:
    patient, drawn = HealthMonitor(patient=("draws",)), WRONG["draws"][0]
    alarms = [bool(patient.alarms(drawn)) for _ in range(2 * CYCLES)]
    assert alarms.index(True) == CYCLES - 1


# Small nets and short games: what is left are the settings that decide how the policy moves.
SMALL = {
    "reinforce": ("games=44", "games_per_iteration=4", "max_plies=20", "hidden=[16]"),
    "dqn": ("cycles=11", "games=4", "max_plies=20", "hidden=[16]", "updates=2", "batch_size=8",
            "learning_starts=8", "promotion_every=100", "load=''"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("learner", "preset"),
    [(learner, preset) for learner in SMALL for preset in (DEFAULT, *presets_of(learner))],
)
def test_presets_raise_no_alarm_about_their_own_settings(
    learner: str, preset: str, tmp_path: Path
) -> None:
    sets = (*SMALL[learner], "evaluate_every=100")
    config = read_config(LEARNERS[learner], preset=preset, sets=sets)
    run = train(LEARNERS[learner], config, tmp_path / "run", Session(say=lambda _: None))
    assert run.finished
    assert not [note for note in RunDirectory(tmp_path / "run").notes() if note.get("alarm")]


@pytest.mark.parametrize("length", range(1, CYCLES + 1))
def test_all_is_well(length: int) -> None:
    assert standing_alarms([WELL] * length) == {}


@pytest.mark.parametrize("name", WRONG)
def test_an_alarm_names_its_numbers_and_its_remedy(name: str) -> None:
    wrong, number, cure = WRONG[name]
    cycles = [wrong] * CYCLES if name == "uniform" else [*[WELL] * (CYCLES - 1), wrong]
    found = standing_alarms(cycles)
    assert found.keys() == {name}
    assert number in found[name]
    assert cure in found[name]


def test_truncated_games_need_more_plies() -> None:
    sentence = standing_alarms([replace(WELL, decided=1, cut=200)])["draws"]
    assert "55 drawn, 200 truncated" in sentence
    assert "max_plies" in sentence
    assert "drop draws" not in sentence


@given(st.integers(0, 10), st.integers(1, 10))
def test_ten_games_prove_nothing(decided: int, distinct: int) -> None:
    assert names([replace(TEN_GAMES, decided=decided, cut=0, distinct_games=distinct)]) == set()


def test_small_cycles_are_judged_together() -> None:
    repeating = replace(TEN_GAMES, distinct_games=3)
    assert "repeats" in names([repeating] * CYCLES)
    drawn = replace(TEN_GAMES, games=20, decided=0, distinct_games=20)
    assert "draws" in names([drawn] * CYCLES)
    assert "draws" not in names([*[drawn] * (CYCLES - 1), TEN_GAMES])


def test_large_cycles_are_judged_at_once_and_by_themselves() -> None:
    drawn = replace(WELL, decided=0)
    assert "draws" in names([*[WELL] * (CYCLES - 1), drawn])
    assert "draws" not in names([drawn, WELL])


@pytest.mark.parametrize("games", [20, 64, 256])
def test_games_decided_often_enough_hardly_ever_alarm(games: int) -> None:
    """At the very limit one look in 700 may, and a cycle looks at ten stretches, much the same."""
    rng = np.random.default_rng(1)
    decided = rng.binomial(games, FEW_DECIDED, (1000, CYCLES))
    cycle = replace(WELL, games=games, decided=0, cut=0, distinct_games=games)
    wrong = sum("draws" in names(replace(cycle, decided=int(k)) for k in row) for row in decided)
    assert wrong <= 20


@given(st.integers(1, 5000), st.data())
def test_the_upper_bound_is_the_rate_that_just_explains_the_count(
    total: int, data: st.DataObject
) -> None:
    count = data.draw(st.integers(0, total - 1))
    share = upper_bound(count, total)
    assert count / total < share < 1
    deviation = math.sqrt(total * share * (1 - share))
    assert total * share - count == pytest.approx(DEVIATIONS * deviation)


def test_a_new_net_has_time_to_start_learning() -> None:
    unmoved = replace(WELL, value_spread=0.0, entropy_nats=3.3)
    assert names([unmoved] * (CYCLES - 1)) == set()
    assert names([unmoved] * CYCLES) == {"dead", "uniform"}
    assert names([*[unmoved] * 5, WELL]) == set()
    assert names([WELL, replace(WELL, value_spread=0.0)]) == {"dead"}


def test_values_may_be_as_large_as_mates() -> None:
    assert names([replace(WELL, value_mean=0.0, value_spread=1.0)]) == set()
    assert names([replace(WELL, value_mean=0.8, value_spread=0.8)]) == {"explosion"}


def test_gradients_are_compared_with_those_of_cycles_that_learned() -> None:
    warming_up = replace(WELL, gradient_norm=0.0)
    assert names([*[warming_up] * 9, WELL]) == set()
    large = replace(WELL, gradient_norm=100.0)
    assert names([*[WELL] * 4, large]) == set()
    assert names([*[warming_up] * 3, *[WELL] * 5, large]) == {"gradient"}
    assert names([*[WELL] * 4, large, *[WELL] * 4, large]) == {"gradient"}


def test_forced_moves_are_no_collapse() -> None:
    assert names([replace(WELL, entropy_nats=0.0, ln_legal_nats=0.0)]) == set()


COLLAPSED = replace(WELL, entropy_nats=0.0)


def given_at(watch: HealthMonitor, cycles: Iterable[HealthMetrics]) -> list[int]:
    return [i for i, health_metrics in enumerate(cycles) if watch.alarms(health_metrics)]


def test_an_alarm_is_given_when_it_begins() -> None:
    assert given_at(HealthMonitor(), [WELL, WELL, *[COLLAPSED] * 50]) == [2]


def test_an_alarm_is_given_again_after_silence() -> None:
    flickering = [COLLAPSED, WELL] * 20
    assert given_at(HealthMonitor(), flickering) == [0]
    assert given_at(HealthMonitor(), [COLLAPSED, *[WELL] * (CYCLES - 1), COLLAPSED]) == [0]
    assert given_at(HealthMonitor(), [COLLAPSED, *[WELL] * CYCLES, COLLAPSED]) == [0, CYCLES + 1]


def test_alarms_do_not_silence_each_other() -> None:
    watch = HealthMonitor()
    assert len(watch.alarms(COLLAPSED)) == 1
    both = watch.alarms(replace(COLLAPSED, value_mean=9.0))
    assert len(both) == 1
    assert both[0].startswith("Values explode")


CYCLE = st.sampled_from([WELL, TEN_GAMES, *(wrong for wrong, _, _ in WRONG.values())])


@settings(max_examples=50)
@given(st.lists(CYCLE, max_size=30), st.integers(0, 30))
def test_a_resumed_watch_says_the_same(cycles: list[HealthMetrics], stop: int) -> None:
    watch, resumed = HealthMonitor(), HealthMonitor()
    for health_metrics in cycles[:stop]:
        watch.alarms(health_metrics)
    resumed.load(json.loads(json.dumps(watch.facts())))
    for health_metrics in cycles[stop:]:
        assert resumed.alarms(health_metrics) == watch.alarms(health_metrics)
    assert resumed.facts() == watch.facts()


def test_figures_of_numpy_can_be_saved() -> None:
    watch = HealthMonitor()
    figures: dict[str, Any] = {"games": np.int64(256), "value_mean": np.float32(0.5)}
    watch.alarms(replace(WELL, **figures))
    assert json.loads(json.dumps(watch.facts()))["cycles"][0]["value_mean"] == 0.5


@pytest.mark.parametrize("facts", [None, [], {"cycles": [{"games": 1}]}, {"other": 1}])
def test_other_facts_are_refused(facts: Json) -> None:
    with pytest.raises(ValueError, match="not the facts of a health monitor"):
        HealthMonitor().load(facts)


@pytest.mark.parametrize("counts", [{"decided": 250}, {"distinct_games": 257}])
def test_more_games_than_there_are_are_refused(counts: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="exceed the number of games, 256"):
        replace(WELL, **counts)
