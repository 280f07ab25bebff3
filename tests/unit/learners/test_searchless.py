"""Searchless: lessons, schedules, the draw trap and its alarm, what it learns."""

from collections import Counter
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

from selfmate.arena.attempted_play import Ends, play_games
from selfmate.data.attempted_games import AttemptedGames
from selfmate.learners.searchless import Searchless, open_held_out
from selfmate.learners.searchless_config import Config
from selfmate.learners.searchless_exam import open_exam
from selfmate.learners.searchless_lesson import Lesson
from selfmate.learners.searchless_targets import Scores, lesson_targets
from selfmate.nets.crew import Crew
from selfmate.nets.descent import Descent
from selfmate.nets.threads import one_thread
from selfmate.runs.errors import RunRefusedError
from unit.arena.test_attempted_play import net, plan

SMALL: dict[str, Any] = {
    "width": 16,  # with heads as wide as the core makes them
    "blocks": 1,
    "heads": 2,
    "games": 24,
    "at_once": 24,
    "max_plies": 10,
    "endgames": 0.0,
    "measured": 8,
    "threads": 1,
    "batch": 64,
}
TARGETS = partial(lesson_targets, scores=Scores())


def learner(**settings: Any) -> Searchless:
    config = Config.model_validate(SMALL | settings)
    return Searchless(config, open_exam(config, open_held_out(config)))


def games() -> AttemptedGames:
    return play_games(net(), plan(12), threads=1)[0]


@pytest.mark.parametrize("threads", [1, 3])
def test_a_lesson_in_shares_is_the_lesson_of_the_whole(threads: int) -> None:
    some, ours, theirs = games(), net(), net()
    assert len(some) > 64  # several shares
    lesson = Lesson(some, TARGETS)
    lesson.gradient(ours, Descent.adam(ours, 1e9), Crew(threads))
    sentences = some.sentences()
    targets = TARGETS(some, sentences.legal)
    logs = torch.log_softmax(theirs(torch.from_numpy(sentences.tokens).long()), 1)
    losses = -(torch.from_numpy(targets.shares) * logs).sum(1)
    weights = torch.from_numpy(targets.datapoints)
    loss = (weights * losses).sum() / weights.sum()
    Descent.adam(theirs, 1e9).gradient(loss)
    assert lesson.figures()["loss"] == pytest.approx(float(loss.detach()), rel=1e-5)
    for one, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        assert one.grad is not None
        torch.testing.assert_close(one.grad, other.grad, rtol=1e-3, atol=1e-6)


def test_the_figures_of_a_lesson() -> None:
    some, pupil = games(), net()
    lesson = Lesson(some, TARGETS)
    lesson.gradient(pupil, Descent.adam(pupil, 1e9), Crew(1))
    found, legal = lesson.figures(), some.sentences().legal
    assert found["learned_legal_mass"] == pytest.approx(legal.counts.mean() / 1968, rel=0.5)
    assert 0.98 < found["target_legal_mass"] < 1
    assert found["ln_legal"] == pytest.approx(np.log(legal.counts).mean(), rel=1e-6)
    assert found["entropy"] <= found["ln_legal"]


def test_batches_grow_by_the_same_factor_and_then_stay() -> None:
    config = Config.model_validate({"batch": 16, "batch_end": 4096, "batch_cycles": 8})
    assert [config.batch_in(cycle) for cycle in (1, 2, 5, 9, 50)] == [16, 32, 256, 4096, 4096]


def test_the_rate_warms_up_and_falls() -> None:
    settings = {"learning_rate": 0.1, "warm_up": 100, "learning_rate_decay": 0.5}
    config = Config.model_validate(settings | {"least_learning_rate": 0.01})
    assert config.learning_rate_in(1, 49) == pytest.approx(0.05)
    assert config.learning_rate_in(1, 500) == pytest.approx(0.1)
    assert config.learning_rate_in(3, 500) == pytest.approx(0.025)
    assert config.learning_rate_in(30, 500) == pytest.approx(0.01)


@pytest.mark.parametrize(("temperature", "is_trapped"), [(0.0, True), (1.0, False)])
def test_without_chance_it_repeats_one_game_and_the_alarm_says_so(
    temperature: float, is_trapped: bool
) -> None:
    trapped = learner(temperature=temperature, openings=False)
    said = list[str]()
    for cycle in (1, 2):
        dice = np.random.default_rng(cycle)
        rows, ends, _ = trapped.play(cycle, dice)
        learned = trapped.learn(rows, cycle, dice, 1)
        assert learned is not None
        said += trapped.health.alarms(trapped.vitals(ends, learned))
    assert (ends.distinct == 1) == is_trapped
    assert any("raise temperature" in alarm for alarm in said) == is_trapped


@pytest.mark.parametrize(("decided_score", "is_told"), [(4.0, True), (0.0, False)])
def test_who_learns_the_rules_alone_may_draw_all_its_games(
    decided_score: float, is_told: bool
) -> None:
    drawing = learner(decided_score=decided_score, haste=0.0)
    ends = Ends(reasons=Counter({"repetition": 400}), distinct=400)
    learned = {"entropy": 3.0, "ln_legal": 3.0, "gradient_norm": 1.0}
    said = [drawing.health.alarms(drawing.vitals(ends, learned)) for _ in range(10)]
    assert any(said) == is_told


def test_it_learns_which_moves_are_legal() -> None:
    pupil = learner(learning_rate=0.01)
    tried = list[float]()
    with one_thread():
        for cycle in range(1, 9):
            dice = np.random.default_rng(cycle)
            rows, _, _ = pupil.play(cycle, dice)
            tried.append(len(rows.tried.values) / len(rows))
            assert pupil.learn(rows, cycle, dice, 1) is not None
    assert tried[-1] < 0.8 * tried[0]


def test_a_folder_that_holds_no_games_is_refused() -> None:
    with pytest.raises(RunRefusedError, match="the master games cannot be used"):
        learner(masters="no such folder")
