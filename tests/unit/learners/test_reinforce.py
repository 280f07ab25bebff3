"""The loss of REINFORCE against a slow one, its gradient against finite differences, its signs."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from selfmate.data.trajectories import SampledGames
from selfmate.learners.reinforce.learner import AVERAGE_WEIGHT, Reinforce
from selfmate.rules import Board
from unit.learners.reinforce_games import learner_of, line, probability, slow_loss

FOOLS_MATE = ("f2f3", "e7e5", "g2g4", "d8h4")
SCHOLARS_MATE = ("e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7")
STEP = 1e-8  # of finite differences; longer ones meet the kinks of ReLU
SETTINGS: list[dict[str, Any]] = [
    {},
    {"baseline": "value_head", "value_weight": 0.7},
    {"entropy_bonus": 0.3},
    {"encoding": "counts", "baseline": "value_head", "entropy_bonus": 0.1},
]


def some_games(learner: Reinforce, seed: int = 1, count: int = 4) -> SampledGames:
    """Games with results of all kinds, whatever the moves."""
    rng = np.random.default_rng(seed)
    games, _, _ = learner.play([Board() for _ in range(count)], 1.2, rng)
    results = np.resize(np.array([1, -1, 0], np.int8), count)
    return SampledGames.from_arrays(games.arrays() | {"results": results})


def gradient_of(learner: Reinforce, games: SampledGames, rows: NDArray[np.int64]) -> dict[str, Any]:
    return dict(learner.loss(games, rows, len(games)).gradient)


def baseline_of(learner: Reinforce, games: SampledGames) -> NDArray[np.float32] | float:
    values = learner.net(games.candidates(np.arange(len(games))))[1]
    if values is None:
        return learner.baseline
    found: NDArray[np.float32] = values.detach().numpy()
    return found


def mean_loss(learner: Reinforce, games: SampledGames) -> float:
    return learner.loss(games, np.arange(len(games)), 1).total / len(games)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_the_loss_is_that_of_a_loop_over_plies(settings: dict[str, Any]) -> None:
    learner = learner_of(**settings)
    games = some_games(learner)
    weights = {name: array.astype(np.float64) for name, array in learner.net.arrays().items()}
    expected = slow_loss(learner, weights, games, baseline_of(learner, games))
    assert mean_loss(learner, games) == pytest.approx(expected, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_gradients_are_finite_differences_of_the_slow_loss(settings: dict[str, Any]) -> None:
    """Along random directions, in double precision, with a fixed baseline."""
    learner = learner_of(**settings)
    games = some_games(learner)
    gradient = gradient_of(learner, games, np.arange(len(games)))
    baseline = baseline_of(learner, games)
    weights = {name: array.astype(np.float64) for name, array in learner.net.arrays().items()}
    rng = np.random.default_rng(3)
    for name, array in weights.items():
        direction = rng.normal(size=array.shape)
        ends = [
            slow_loss(learner, weights | {name: array + sign * STEP * direction}, games, baseline)
            for sign in (1, -1)
        ]
        slope = (ends[0] - ends[1]) / (2 * STEP)
        assert (gradient[name] * direction).sum() == pytest.approx(slope, rel=2e-3, abs=2e-6), name


def test_a_win_makes_the_winners_moves_likelier_and_the_losers_less() -> None:
    for moves, result in ((FOOLS_MATE, -1), (SCHOLARS_MATE, 1)):
        learner = learner_of(learning_rate=1e-3)
        games = line(learner, moves, result)
        before = [probability(learner, None, moves[:i], move) for i, move in enumerate(moves)]
        for _ in range(5):
            learner.update([(games, np.arange(len(games)))], len(games), 1e-3)
        after = [probability(learner, None, moves[:i], move) for i, move in enumerate(moves)]
        for ply, (then, now) in enumerate(zip(before, after, strict=True)):
            mover = 1 if ply % 2 == 0 else -1
            assert (now > then) == (mover == result), (moves[ply], then, now)


def test_draws_and_truncated_games_have_no_gradient_without_a_baseline() -> None:
    learner = learner_of()
    games = some_games(learner)
    quiet = SampledGames.from_arrays(
        games.arrays() | {"results": np.zeros(4, np.int8), "is_cut": np.array([1, 1, 0, 0], bool)}
    )
    before = {name: array.tobytes() for name, array in learner.net.arrays().items()}
    metrics = learner.learn(quiet, 1, np.random.default_rng(1))
    assert metrics == {"loss": 0.0, "value_loss": 0.0, "gradient_norm": 0.0}
    assert {name: array.tobytes() for name, array in learner.net.arrays().items()} == before


def test_omitted_plies_have_no_gradient() -> None:
    learner = learner_of()
    games = some_games(learner)
    informative = learner.informative_rows(games)
    assert 0 < len(informative) < len(games)
    everything = gradient_of(learner, games, np.arange(len(games)))
    for name, gradient in gradient_of(learner, games, informative).items():
        np.testing.assert_allclose(gradient, everything[name], atol=1e-7)


def test_the_moving_average_is_of_results_in_whites_view() -> None:
    learner = learner_of(baseline="moving_average")
    games = some_games(learner, count=4)  # results 1, -1, 0, 1
    assert learner.baseline == 0
    learner.remember("one", games)
    assert learner.baseline == pytest.approx(AVERAGE_WEIGHT / 4)
    learner.remember("two", games)
    average = AVERAGE_WEIGHT / 4 * (2 - AVERAGE_WEIGHT)
    assert learner.baseline == pytest.approx(average)
    assert len(learner.informative_rows(games)) == len(games)
    weights = {name: array.astype(np.float64) for name, array in learner.net.arrays().items()}
    expected = slow_loss(learner, weights, games, average)
    assert mean_loss(learner, games) == pytest.approx(expected, rel=1e-4, abs=1e-6)


def test_replayed_moves_have_bounded_importance_weights() -> None:
    learner = learner_of(max_importance_weight=1.5, replay_iterations=1)
    games = some_games(learner)
    rows = learner.informative_rows(games)
    for shift, weight in ((0.2, np.exp(0.2)), (-3.0, np.exp(-3.0)), (2.0, 1.5)):
        drawn = games.log_probs - np.float32(shift)
        earlier = SampledGames.from_arrays(games.arrays() | {"log_probs": drawn})
        once, again = (gradient_of(learner, page, rows) for page in (games, earlier))
        for name, gradient in again.items():
            np.testing.assert_allclose(gradient, weight * once[name], rtol=1e-3, atol=1e-6)


def test_the_newest_iterations_are_replayed_and_older_ones_dropped() -> None:
    learner = learner_of(replay_iterations=2)
    pages = [some_games(learner, seed) for seed in range(4)]
    for number, page in enumerate(pages):
        learner.remember(str(number), page)
    assert list(learner.replay.shards) == ["2", "3"]
    seen: list[SampledGames] = []
    loss = learner.loss

    def watched(games: SampledGames, rows: NDArray[np.int64], plies: float) -> Any:
        seen.append(games)
        return loss(games, rows, plies)

    learner.loss = watched  # type: ignore[method-assign]
    assert learner.learn(pages[0], 1, np.random.default_rng(1)) is not None
    assert {id(games) for games in seen} == {id(pages[i]) for i in (0, 2, 3)}


def test_updates_split_the_plies() -> None:
    learner = learner_of(updates=3)
    games = some_games(learner)
    shares = learner._split(games, np.random.default_rng(1))
    assert len(shares) == 3
    assert sorted(np.concatenate(shares)) == learner.informative_rows(games).tolist()


def test_an_exploding_gradient_is_refused() -> None:
    learner = learner_of()
    games = some_games(learner)
    sharp = {
        "temperature": np.array([1e-6], np.float32),
        "log_probs": np.full(len(games), -1e30, np.float32),
    }
    exploding = SampledGames.from_arrays(games.arrays() | sharp)
    assert learner.learn(exploding, 1, np.random.default_rng(1)) is None


def test_the_kl_from_the_untrained_policy_grows_with_training() -> None:
    learner = learner_of(learning_rate=0.01)
    games = some_games(learner)
    assert learner.distance(games) == pytest.approx(0, abs=1e-6)
    for _ in range(5):
        learner.learn(games, 1, np.random.default_rng(1))
    assert learner.distance(games) > 1e-3


def test_the_temperature_is_annealed_linearly() -> None:
    config = learner_of(temperature_train_end=0.8, temperature_games=100).config
    found = [config.temperature_after(games) for games in (0, 50, 100, 999)]
    assert found == pytest.approx([1.2, 1.0, 0.8, 0.8])


def test_a_fraction_of_games_is_played_against_a_random_player_of_either_colour() -> None:
    rng = np.random.default_rng(1)
    for fraction in (0.0, 0.3, 1.0):
        sides = learner_of(vs_random=fraction).random_sides(3000, rng)
        for side in (1, -1):
            assert (sides == side).mean() == pytest.approx(fraction / 2, abs=0.03)
