"""Searchless: lessons, schedules, the draw trap and its alarm, what it learns."""

from collections import Counter
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

from selfmate.arena.attempted_play import Ends, play_games
from selfmate.data.attempted_games import AttemptedGames
from selfmate.learners import LEARNERS
from selfmate.learners.searchless import Searchless, find_masters, game_figures, open_held_out
from selfmate.learners.searchless_config import Config
from selfmate.learners.searchless_exam import open_exam
from selfmate.learners.searchless_lesson import Lesson, take_gradient
from selfmate.learners.searchless_targets import Asked, Scores, Targets, even_targets
from selfmate.nets.crew import Crew
from selfmate.nets.descent import Descent
from selfmate.nets.threads import one_thread
from selfmate.rules.ragged import Ragged
from selfmate.runs.errors import RunRefusedError
from unit.arena.test_attempted_play import net, plan
from unit.data.imported import import_random_games

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
TARGETS = partial(even_targets, scores=Scores())


def learner(**settings: Any) -> Searchless:
    config = Config.model_validate(SMALL | settings)
    masters = find_masters(config)
    return Searchless(config, open_exam(config, open_held_out(config, masters)), masters)


def games() -> AttemptedGames:
    return play_games(net(), plan(12), threads=1)[0]


@pytest.mark.parametrize("threads", [1, 3])
def test_a_lesson_in_shares_is_the_lesson_of_the_whole(threads: int) -> None:
    some, ours, theirs = games(), net(), net()
    assert len(some) > 64  # several shares
    lesson = Lesson(some, TARGETS)
    take_gradient([lesson], ours, Descent.adam(ours, 1e9), Crew(threads))
    sentences = some.sentences()
    even = np.repeat(1 / sentences.legal.counts, sentences.legal.counts)
    targets = TARGETS(Asked(some, sentences.legal, even))
    logs = torch.log_softmax(theirs(torch.from_numpy(sentences.tokens).long()), 1)
    losses = -(torch.from_numpy(targets.shares) * logs).sum(1)
    weights = torch.from_numpy(targets.datapoints)
    loss = (weights * losses).sum() / weights.sum()
    Descent.adam(theirs, 1e9).gradient(loss)
    assert lesson.figures()["loss"] == pytest.approx(float(loss.detach()), rel=1e-5)
    for one, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        assert one.grad is not None
        torch.testing.assert_close(one.grad, other.grad, rtol=1e-3, atol=1e-6)


def test_lessons_together_count_by_their_weights() -> None:
    one, other, pupil = games(), games().take(np.arange(40)), net()
    descent = Descent.adam(pupil, 1e9)

    def gradient(*lessons: Lesson) -> list[torch.Tensor]:
        take_gradient(lessons, pupil, descent, Crew(2))
        return [parameter.grad.clone() for parameter in pupil.parameters()]  # type: ignore[union-attr]

    both = gradient(Lesson(one, TARGETS, weight=0.75), Lesson(other, TARGETS, weight=0.25))
    for found, a, b in zip(
        both, gradient(Lesson(one, TARGETS)), gradient(Lesson(other, TARGETS)), strict=True
    ):
        torch.testing.assert_close(found, 0.75 * a + 0.25 * b, rtol=1e-3, atol=1e-6)


def test_targets_are_told_what_the_net_says_of_legal_moves() -> None:
    some, pupil = games().take(np.arange(20)), net()
    told = list[Asked]()

    def targets_of(asked: Asked) -> Targets:
        told.append(asked)
        return TARGETS(asked)

    take_gradient([Lesson(some, targets_of)], pupil, Descent.adam(pupil, 1e9), Crew(1))
    ((_, legal, policy),) = told
    logits = torch.from_numpy(pupil.logits(some.sentences().tokens))
    chances = torch.softmax(logits, 1).numpy()[legal.rows, legal.values]
    expected = chances / np.add.reduceat(chances, legal.offsets[:-1])[legal.rows]
    np.testing.assert_allclose(policy, expected, rtol=1e-4)


@pytest.mark.parametrize("among_legal", ["even", "own"])
def test_drawn_games_level_a_policy_or_leave_it(among_legal: str) -> None:
    """After many lessons of the same draws: how even the policy is among legal moves."""
    pupil = learner(among_legal=among_legal, learning_rate=0.01, dull_share=1.0)
    with torch.no_grad():
        for weights in pupil.net.read_out.parameters():
            weights.mul_(8)  # so that it prefers some moves
    rows, _, _ = pupil.play(1, np.random.default_rng(1))
    drawn = replace(rows, results_side_to_move=np.zeros(len(rows), np.int8))
    with one_thread():
        told = [pupil.learn(drawn, 1, np.random.default_rng(1), 1) for _ in range(12)]
    first, last = (figures["ln_legal"] - figures["entropy"] for figures in (told[0], told[-1]))  # type: ignore[index]
    assert (last < 0.5 * first) == (among_legal == "even")


def test_the_figures_of_a_lesson() -> None:
    some, pupil = games(), net()
    lesson = Lesson(some, TARGETS)
    take_gradient([lesson], pupil, Descent.adam(pupil, 1e9), Crew(1))
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


@pytest.fixture(scope="module")
def masters(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("masters") / "chunks"
    import_random_games(folder)
    return str(folder)


@pytest.mark.parametrize(("share", "expected"), [(0.25, 16), (0.001, 1), (0.999, 64)])
def test_a_share_of_each_batch_is_moves_of_masters(
    masters: str, share: float, expected: int
) -> None:
    pupil = learner(masters=masters, master_share=share)
    dice = np.random.default_rng(1)
    rows, _, _ = pupil.play(1, dice)
    told = pupil.learn(rows.take(np.arange(96)), 1, dice, 1)
    assert told is not None
    assert told["batch"] == expected + 96 // pupil.counts["updates"]
    assert told["master_loss"] > 0


def test_a_share_of_masters_without_masters_is_refused() -> None:
    with pytest.raises(RunRefusedError, match=r"name a folder .* --set masters=DIR"):
        learner(master_share=0.5)


def test_masters_that_are_only_asked_teach_nothing(masters: str) -> None:
    pupil = learner(masters=masters)
    dice = np.random.default_rng(1)
    told = pupil.learn(pupil.play(1, dice)[0], 1, dice, 1)
    assert told is not None
    assert "master_loss" not in told
    assert "match1" in pupil.exam.figures(pupil.net)


def test_who_learned_from_masters_goes_on_with_the_same_alone(masters: str) -> None:
    saved = learner(masters=masters, master_share=0.5).save()
    learner(masters=masters, master_share=0.5).load(saved)
    with pytest.raises(ValueError, match="are not those that it learned from"):
        learner().load(saved)


def tried_in(first: int, count: int) -> Ragged:
    """An illegal try in each of the first positions."""
    return Ragged(np.zeros(first, np.int32), np.minimum(np.arange(count + 1), first))


def test_of_dull_positions_a_share_is_learned_from() -> None:
    rows, _, _ = learner().play(1, np.random.default_rng(1))
    count, results = len(rows), np.zeros(len(rows), np.int8)
    games = replace(rows, results_side_to_move=results.copy(), tried=tried_in(40, count))
    games.results_side_to_move[100] = -1

    def chosen(some: AttemptedGames = games, **settings: Any) -> set[int]:
        return set(learner(**settings).chosen(some, np.random.default_rng(1)).tolist())

    assert chosen() == set(range(count))
    assert chosen(dull_share=0.0) == {*range(40), 100}
    assert chosen(dull_share=0.0, decided_score=0.0, haste=0.0) == set(range(40))
    half = chosen(dull_share=0.5)
    assert half > {*range(40), 100}
    assert len(half) == pytest.approx(41 + (count - 41) / 2, rel=0.2)
    all_dull = replace(rows, results_side_to_move=results, tried=tried_in(0, count))
    assert chosen(all_dull, dull_share=0.0) == set(range(count))


def test_a_folder_that_holds_no_games_is_refused() -> None:
    with pytest.raises(RunRefusedError, match="the master games cannot be used"):
        learner(masters="no such folder")


def test_all_that_is_told_first_is_among_the_figures() -> None:
    pupil = learner(evaluation_games=2, conversions=2)
    dice = np.random.default_rng(1)
    rows, ends, _ = pupil.play(1, dice)
    learned = pupil.learn(rows, 1, dice, 1)
    assert learned is not None
    found = game_figures(rows, ends) | learned | pupil.exam.figures(pupil.net)
    assert {*LEARNERS["searchless"].headlines} - {"puzzles"} <= {*found}
    kinds = ("opening", "middlegame", "check", "castling")
    assert {f"{of}_{kind}" for of in ("legal_mass", "top_legal") for kind in kinds} <= {*found}
    assert found["wins_to_20"] + found["wins_to_40"] + found["wins_later"] == len(
        ends.plies_of_wins
    )
