"""Searchless: loss, schedules, the draw trap and its alarm, and that it learns."""

from collections import Counter
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

from selfmate.data.trajectories import AttemptTrajectories
from selfmate.learners.health import CYCLES
from selfmate.learners.registry import LEARNERS
from selfmate.learners.searchless.average import AverageNet
from selfmate.learners.searchless.config import Config
from selfmate.learners.searchless.evaluation import make_evaluator
from selfmate.learners.searchless.learner import (
    Searchless,
    find_masters,
    game_metrics,
    open_held_out,
)
from selfmate.learners.searchless.targets import (
    PolicyLoss,
    TargetInputs,
    Targets,
    TargetScores,
    compute_gradient,
    uniform_targets,
)
from selfmate.nets.evaluator import TransformerEvaluator
from selfmate.nets.optim import GradientWorkers, Optimizer, one_thread
from selfmate.nets.transformer import Transformer
from selfmate.rules import Ragged
from selfmate.runs.run import RunRefusedError
from selfmate.selfplay.games import GameStats
from selfmate.selfplay.searchless import score_against
from unit.data.imported import import_random_games
from unit.selfplay.test_searchless import boards_of, net, play

SMALL: dict[str, Any] = {
    "width": 16,  # with heads as wide as the core makes them
    "blocks": 1,
    "heads": 2,
    "games": 24,
    "parallel_games": 24,
    "max_plies": 10,
    "endgame_fraction": 0.0,
    "validation_positions": 8,
    "threads": 1,
    "batch_size": 64,
}
TARGETS = partial(uniform_targets, scores=TargetScores())


def learner(**settings: Any) -> Searchless:
    config = Config.model_validate(SMALL | settings)
    masters = find_masters(config)
    return Searchless(config, make_evaluator(config, open_held_out(config, masters)), masters)


def games() -> AttemptTrajectories:
    return play(boards_of(12))[0]


@pytest.mark.parametrize("threads", [1, 3])
def test_a_loss_in_parts_is_the_loss_of_the_whole_batch(threads: int) -> None:
    some, ours, theirs = games(), net(), net()
    assert len(some) > 64  # several parts
    in_parts = PolicyLoss(some, TARGETS)
    compute_gradient([in_parts], ours, Optimizer.adam(ours, 1e9), GradientWorkers(threads))
    tokens = some.token_batch()
    uniform = np.repeat(1 / tokens.legal.counts, tokens.legal.counts)
    targets = TARGETS(TargetInputs(some, tokens.legal, uniform))
    log_probs = torch.log_softmax(theirs(torch.from_numpy(tokens.tokens).long()), 1)
    losses = -(torch.from_numpy(targets.probabilities) * log_probs).sum(1)
    weights = torch.from_numpy(targets.datapoints)
    loss = (weights * losses).sum() / weights.sum()
    Optimizer.adam(theirs, 1e9).gradient(loss)
    assert in_parts.metrics()["loss"] == pytest.approx(float(loss.detach()), rel=1e-5)
    for one, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        assert one.grad is not None
        torch.testing.assert_close(one.grad, other.grad, rtol=1e-3, atol=1e-6)


def test_several_losses_count_by_their_weights() -> None:
    one, other, agent = games(), games().take(np.arange(40)), net()
    optimizer = Optimizer.adam(agent, 1e9)

    def gradient(*losses: PolicyLoss) -> list[torch.Tensor]:
        compute_gradient(losses, agent, optimizer, GradientWorkers(2))
        return [parameter.grad.clone() for parameter in agent.parameters()]  # type: ignore[union-attr]

    both = gradient(PolicyLoss(one, TARGETS, weight=0.75), PolicyLoss(other, TARGETS, weight=0.25))
    for found, a, b in zip(
        both, gradient(PolicyLoss(one, TARGETS)), gradient(PolicyLoss(other, TARGETS)), strict=True
    ):
        torch.testing.assert_close(found, 0.75 * a + 0.25 * b, rtol=1e-3, atol=1e-6)


def test_targets_get_the_policy_on_legal_moves() -> None:
    some, agent = games().take(np.arange(20)), net()
    received = list[TargetInputs]()

    def recording_targets(inputs: TargetInputs) -> Targets:
        received.append(inputs)
        return TARGETS(inputs)

    compute_gradient(
        [PolicyLoss(some, recording_targets)], agent, Optimizer.adam(agent, 1e9), GradientWorkers(1)
    )
    ((_, legal, policy),) = received
    logits = torch.from_numpy(TransformerEvaluator(agent).logits(some.token_batch().tokens))
    probabilities = torch.softmax(logits, 1).numpy()[legal.rows, legal.values]
    expected = probabilities / np.add.reduceat(probabilities, legal.offsets[:-1])[legal.rows]
    np.testing.assert_allclose(policy, expected, rtol=1e-4)


@pytest.mark.parametrize("unplayed_target", ["uniform", "policy"])
def test_drawn_games_flatten_a_policy_or_keep_it(unplayed_target: str) -> None:
    """After many updates with the same draws: the entropy of the policy among legal moves."""
    agent = learner(unplayed_target=unplayed_target, learning_rate=0.01, quiet_fraction=1.0)
    with torch.no_grad():
        for weights in agent.net.read_out.parameters():
            weights.mul_(8)  # so that it prefers some moves
    rows = agent.play(1, np.random.default_rng(1)).rows
    drawn = replace(rows, results_side_to_move=np.zeros(len(rows), np.int8))
    with one_thread():
        learned = [agent.learn(drawn, 1, np.random.default_rng(1), 1) for _ in range(12)]
    first, last = (one["ln_legal"] - one["entropy"] for one in (learned[0], learned[-1]))  # type: ignore[index]
    assert (last < 0.5 * first) == (unplayed_target == "uniform")


def test_the_metrics_of_a_loss() -> None:
    some, agent = games(), net()
    loss = PolicyLoss(some, TARGETS)
    compute_gradient([loss], agent, Optimizer.adam(agent, 1e9), GradientWorkers(1))
    found, legal = loss.metrics(), some.token_batch().legal
    assert found["learned_legal_mass"] == pytest.approx(legal.counts.mean() / 1968, rel=0.5)
    assert 0.98 < found["target_legal_mass"] < 1
    assert found["ln_legal"] == pytest.approx(np.log(legal.counts).mean(), rel=1e-6)
    assert found["entropy"] <= found["ln_legal"]


def test_batches_grow_by_the_same_factor_and_then_stay() -> None:
    config = Config.model_validate(
        {"batch_size": 16, "batch_size_end": 4096, "batch_size_cycles": 8}
    )
    assert [config.batch_size_at(cycle) for cycle in (1, 2, 5, 9, 50)] == [16, 32, 256, 4096, 4096]


def test_the_learning_rate_warms_up_and_decays() -> None:
    settings = {"learning_rate": 0.1, "warmup_positions": 100, "learning_rate_decay": 0.5}
    config = Config.model_validate(settings | {"min_learning_rate": 0.01})
    assert config.learning_rate_at(1, 49) == pytest.approx(0.05)
    assert config.learning_rate_at(1, 500) == pytest.approx(0.1)
    assert config.learning_rate_at(3, 500) == pytest.approx(0.025)
    assert config.learning_rate_at(30, 500) == pytest.approx(0.01)


@pytest.mark.parametrize(("temperature", "is_trapped"), [(0.0, True), (1.0, False)])
def test_without_randomness_it_repeats_one_game_and_raises_an_alarm(
    temperature: float, is_trapped: bool
) -> None:
    trapped = learner(temperature=temperature, openings=False)
    alarms = list[str]()
    for cycle in (1, 2):
        rng = np.random.default_rng(cycle)
        rows, stats, *_ = trapped.play(cycle, rng)
        learned = trapped.learn(rows, cycle, rng, 1)
        assert learned is not None
        alarms += trapped.health.alarms(trapped.health_metrics(stats, learned))
    assert (stats.distinct == 1) == is_trapped
    assert any("raise temperature" in alarm for alarm in alarms) == is_trapped


@pytest.mark.parametrize(("result_score", "is_alarmed"), [(4.0, True), (0.0, False)])
def test_a_learner_of_the_rules_alone_may_draw_all_its_games(
    result_score: float, is_alarmed: bool
) -> None:
    drawing = learner(result_score=result_score, speed_bonus=0.0)
    stats = GameStats(
        games=400, plies=40_000, distinct=400, endings=Counter({"repetition": 400}),
        white_points=200.0, plies_of_wins=(),
    )  # fmt: skip
    learned = {"entropy": 3.0, "ln_legal": 3.0, "gradient_norm": 1.0}
    alarms = [drawing.health.alarms(drawing.health_metrics(stats, learned)) for _ in range(10)]
    assert any(alarms) == is_alarmed


def test_a_new_net_may_draw_its_first_games() -> None:
    """As `searchless-tiny` does in its first cycle: 254 draws by repetition in 256 games."""
    new = learner()
    stats = GameStats(
        games=256, plies=8_534, distinct=254, endings=Counter({"repetition": 254, "checkmate": 2}),
        white_points=128.0, plies_of_wins=(9, 12),
    )  # fmt: skip
    learned = {"entropy": 3.13, "ln_legal": 3.36, "gradient_norm": 8.3}
    alarms = [new.health.alarms(new.health_metrics(stats, learned)) for _ in range(CYCLES)]
    assert not any(alarms[:-1])
    assert "were decided" in alarms[-1][0]


def test_it_learns_which_moves_are_legal() -> None:
    agent = learner(learning_rate=0.01)
    attempts = list[float]()
    with one_thread():
        for cycle in range(1, 9):
            rng = np.random.default_rng(cycle)
            rows = agent.play(cycle, rng).rows
            attempts.append(len(rows.tried.values) / len(rows))
            assert agent.learn(rows, cycle, rng, 1) is not None
    assert attempts[-1] < 0.8 * attempts[0]


@pytest.fixture(scope="module")
def masters(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("masters") / "chunks"
    import_random_games(folder)
    return str(folder)


@pytest.mark.parametrize(("fraction", "expected"), [(0.25, 16), (0.001, 1), (0.999, 64)])
def test_a_fraction_of_each_batch_comes_from_masters(
    masters: str, fraction: float, expected: int
) -> None:
    agent = learner(masters=masters, master_fraction=fraction)
    rng = np.random.default_rng(1)
    rows = agent.play(1, rng).rows
    learned = agent.learn(rows.take(np.arange(96)), 1, rng, 1)
    assert learned is not None
    assert learned["batch"] == expected + 96 // agent.counts["updates"]
    assert learned["master_loss"] > 0


def test_a_master_fraction_without_masters_is_refused() -> None:
    with pytest.raises(RunRefusedError, match=r"name a folder .* --set masters=DIR"):
        learner(master_fraction=0.5)


def test_masters_without_a_fraction_are_only_held_out_positions(masters: str) -> None:
    agent = learner(masters=masters)
    rng = np.random.default_rng(1)
    learned = agent.learn(agent.play(1, rng).rows, 1, rng, 1)
    assert learned is not None
    assert "master_loss" not in learned
    assert "match1" in agent.evaluator.metrics(agent.net)


def test_a_run_resumes_only_with_the_same_masters(masters: str) -> None:
    saved = learner(masters=masters, master_fraction=0.5).save()
    learner(masters=masters, master_fraction=0.5).load(saved)
    with pytest.raises(ValueError, match="are not those that the run learned from"):
        learner().load(saved)


def attempts_in(first: int, count: int) -> Ragged:
    """An illegal attempt in each of the first positions."""
    return Ragged(np.zeros(first, np.int32), np.minimum(np.arange(count + 1), first))


def test_only_a_fraction_of_quiet_positions_is_learned_from() -> None:
    rows = learner().play(1, np.random.default_rng(1)).rows
    count, results = len(rows), np.zeros(len(rows), np.int8)
    games = replace(rows, results_side_to_move=results.copy(), tried=attempts_in(40, count))
    games.results_side_to_move[100] = -1

    def selected(some: AttemptTrajectories = games, **settings: Any) -> set[int]:
        return set(learner(**settings).select_positions(some, 1, np.random.default_rng(1)).tolist())

    assert selected() == set(range(count))
    assert selected(quiet_fraction=0.0) == {*range(40), 100}
    assert selected(quiet_fraction=0.0, result_score=0.0, speed_bonus=0.0) == set(range(40))
    half = selected(quiet_fraction=0.5)
    assert half > {*range(40), 100}
    assert len(half) == pytest.approx(41 + (count - 41) / 2, rel=0.2)
    all_quiet = replace(rows, results_side_to_move=results, tried=attempts_in(0, count))
    assert selected(all_quiet, quiet_fraction=0.0) == set(range(count))


def test_a_folder_that_holds_no_games_is_refused() -> None:
    with pytest.raises(RunRefusedError, match="the master games cannot be used"):
        learner(masters="no such folder")


def test_the_key_metrics_are_among_the_metrics() -> None:
    agent = learner(evaluation_games=2, conversion_games=2)
    rng = np.random.default_rng(1)
    rows, stats, *_ = agent.play(1, rng)
    learned = agent.learn(rows, 1, rng, 1)
    assert learned is not None
    found = game_metrics(rows, stats) | learned | agent.evaluator.metrics(agent.net)
    assert {*LEARNERS["searchless"].key_metrics} - {"puzzles"} <= {*found}
    kinds = ("opening", "middlegame", "check", "castling")
    assert {f"{of}_{kind}" for of in ("legal_mass", "top_legal") for kind in kinds} <= {*found}
    assert found["wins_to_20"] + found["wins_to_40"] + found["wins_later"] == stats.decided


def test_in_the_first_cycles_results_do_not_matter() -> None:
    def weights(cycle: int, result: int) -> bytes:
        agent = learner(rules_cycles=1)
        rows = agent.play(1, np.random.default_rng(1)).rows
        decided = replace(rows, results_side_to_move=np.full(len(rows), result, np.int8))
        with one_thread():
            assert agent.learn(decided, cycle, np.random.default_rng(1), 1) is not None
        return b"".join(array.tobytes() for array in agent.net.arrays().values())

    assert weights(1, 1) == weights(1, -1)
    assert weights(2, 1) != weights(2, -1)


def test_games_from_one_start_have_the_same_partner() -> None:
    agent = learner(games=40, games_per_start=4, vs_random=0.5, endgame_fraction=0.5)
    boards, near_mate = agent.starting_boards(np.random.default_rng(1))
    sides = agent.random_sides(near_mate, np.random.default_rng(1))
    assert sides is not None
    assert set(sides.tolist()) == {-1, 0, 1}
    for first in range(0, 40, 4):
        assert len({board.fen() for board in boards[first : first + 4]}) == 1
        assert len(set(sides[first : first + 4].tolist())) == 1


def test_it_starts_from_its_own_mates_once_there_are_some() -> None:
    settings = {"max_plies": 30, "endgame_fraction": 1.0, "plays_mate_in_one": True}
    agent = learner(mate_fraction=1.0, vs_random=1.0, **settings)
    first = agent.play(1, np.random.default_rng(1))
    assert agent.mates.count == first.stats.endings["checkmate"] > 0
    assert first.score_in_sparring is not None
    boards, near_mate = agent.starting_boards(np.random.default_rng(2))
    assert near_mate.all()
    sides = agent.random_sides(near_mate, np.random.default_rng(2))
    assert sides is not None
    assert not sides.any()  # near a mate it plays both sides
    again = learner(mate_fraction=1.0, vs_random=1.0, **settings)
    again.load(agent.save())
    same, _ = again.starting_boards(np.random.default_rng(2))
    assert [board.fen() for board in same] == [board.fen() for board in boards]
    second = agent.play(2, np.random.default_rng(2))
    assert second.stats.endings == {"checkmate": 24}
    assert agent.mates.plies == 2


def test_the_score_in_sparring_is_the_net_s() -> None:
    sides, results = np.array([1, -1, 0, 1], np.int8), np.array([-1, -1, 1, 0], np.int8)
    assert score_against(sides, results) == pytest.approx((1 + 0 + 0.5) / 3)
    assert score_against(None, results) is None
    assert score_against(np.zeros(4, np.int8), results) is None


def test_games_that_cannot_be_divided_by_starts_are_refused() -> None:
    with pytest.raises(ValueError, match="games 24 is not a multiple of games_per_start 7"):
        learner(games_per_start=7)


def test_the_net_that_plays_is_the_mean_over_the_latest_cycles() -> None:
    played, learning = AverageNet(first := net(), 3), net()

    def shifted(by: float) -> Transformer:
        for array, start in zip(learning.arrays().values(), first.arrays().values(), strict=True):
            array[...] = start + np.float32(by)
        return learning

    means = list[float]()
    for shift in (3.0, 6.0, 9.0, 6.0):
        played.add(shifted(shift))
        change = played.net.arrays()["read_out.end.weight"] - first.arrays()["read_out.end.weight"]
        means.append(float(change.mean()))
    assert means == pytest.approx([3, 4.5, 6, 6], rel=1e-4)  # then two thirds of the old mean


def test_a_run_of_averages_saves_both_nets() -> None:
    agent, restored = learner(average_cycles=4), learner(average_cycles=4)
    rng = np.random.default_rng(1)
    for cycle in (1, 2):
        assert agent.learn(agent.play(cycle, rng).rows, cycle, rng, 1) is not None
        agent.average.add(agent.net)
    saved = agent.save()
    restored.load(saved)
    for name, array in agent.net.arrays().items():
        np.testing.assert_array_equal(restored.net.arrays()[name], array)
        np.testing.assert_array_equal(restored.average.net.arrays()[name], saved.weights[name])
    assert restored.average.cycles == 2
    assert any((agent.net.arrays()[name] != saved.weights[name]).any() for name in saved.weights)


def test_without_averaging_the_learning_net_plays() -> None:
    agent = learner()
    assert agent.average.net is agent.net
    assert not any(name.startswith("learning") for name in agent.save().rest)
