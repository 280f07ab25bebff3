"""AlphaZero's own parts: training batches, the learning rate, promotion and rollback."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from selfmate.data.dataset import ChunkFolder
from selfmate.encodings.records import planes_of
from selfmate.learners.alphazero.config import Config
from selfmate.learners.alphazero.learner import REMEDIES, AlphaZero, DivergedError
from selfmate.learners.config import read_config
from selfmate.learners.registry import find_learner
from selfmate.runs.run import Arrays, Plan, RunStep, copied
from unit.data.example_rows import tree_games
from unit.data.imported import import_random_games


def config(*sets: str) -> Config:
    found = read_config(find_learner("alphazero"), preset="try", sets=sets)
    assert isinstance(found, Config)
    return found


@dataclass
class Scored:
    """What is used of a report."""

    score: float
    mean_plies: float = 10.0
    ply_limit_games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    illegal_moves: int = 0


def is_same(one: Arrays, other: Arrays) -> bool:
    return all(np.array_equal(one[name], array) for name, array in other.items())


def step_of(number: int = 1) -> RunStep:
    return RunStep(Plan(total=9, unit="cycles", size=1), number, "nothing")


@pytest.fixture(scope="module")
def masters(tmp_path_factory: pytest.TempPathFactory) -> ChunkFolder:
    folder = tmp_path_factory.mktemp("masters") / "chunks"
    import_random_games(folder)
    return ChunkFolder(Path(folder))


def test_a_fraction_of_each_batch_is_master_games(masters: ChunkFolder) -> None:
    learner = AlphaZero(config("batch_size=20", "master_fraction=0.3", "replay_size=100"), masters)
    learner.replay.add("games", tree_games(10))
    for examples in learner.training_batches(1, 3, np.random.default_rng(1)):
        assert len(examples) == 20
        # The policy of a master position is one move; that of a search has several.
        certain = np.maximum.reduceat(examples.policy, examples.legal.offsets[:-1]) == 1
        assert certain.sum() == 6
    assert sum(1 for _ in learner.training_batches(1, 3, np.random.default_rng(1))) == 3


def test_without_masters_batches_are_self_play_alone() -> None:
    learner = AlphaZero(config("batch_size=20", "replay_size=100"))
    learner.replay.add("games", tree_games(10))
    (examples,) = learner.training_batches(1, 1, np.random.default_rng(1))
    assert len(examples) == 20


def test_the_learning_rate_decays_to_its_minimum() -> None:
    some = config("learning_rate=0.01", "learning_rate_decay=0.5", "min_learning_rate=0.002")
    assert [some.learning_rate_in(cycle) for cycle in (1, 2, 3, 4)] == [0.01, 0.005, 0.0025, 0.002]


def test_simulations_grow_by_equal_factors() -> None:
    some = config("simulations_start=10", "simulations=1000", "simulations_cycles=5")
    assert [some.simulations_in(cycle) for cycle in (1, 2, 3, 4, 5, 6)] == [
        10,
        32,
        100,
        316,
        1000,
        1000,
    ]
    assert config("simulations=50").simulations_in(1) == 50
    with pytest.raises(ValueError, match="simulations_start 60 must not be above simulations 50"):
        config("simulations=50", "simulations_start=60")


@pytest.mark.parametrize("promotion", ["always", "sprt"])
def test_a_drop_on_the_ladder_restores_the_highest_weights(
    monkeypatch: pytest.MonkeyPatch, promotion: str
) -> None:
    settings = ("rollback_threshold=0.1", "batch_size=8", "max_updates=2", "replay_size=100")
    learner = AlphaZero(config(*settings, f"promotion={promotion}"))
    learner.replay.add("games", tree_games(10))
    scores = iter([0.4, 0.5, 0.45, 0.3, 0.25])
    monkeypatch.setattr(
        type(learner.evaluation), "reports", lambda *_: {"random": Scored(next(scores))}
    )
    highest: dict[str, Any] = {}
    for look, fell in enumerate((False, False, False, True, False)):
        learner.train(step_of(), np.random.default_rng(look), 10)
        step = step_of()
        assert learner.ladder_evaluation(step)["rolled_back"] == fell
        if look == 1:
            highest = dict(copied(learner.net.arrays()))
        assert [note.alarm for note in step.notes] == [True] * fell
        if fell:
            assert is_same(learner.net.arrays(), highest)
            assert not any(array.any() for array in learner.optimizer.arrays().values())
            assert is_same(learner.best.arrays(), highest) == (promotion == "always")
    assert learner.counts["roll_backs"] == 1


def test_losses_that_are_not_finite_are_an_error() -> None:
    learner = AlphaZero(config("batch_size=8", "max_updates=1", "replay_size=100"))
    learner.replay.add("games", tree_games(10))
    learner.net.policy.weight.data.fill_(float("nan"))
    with pytest.raises(DivergedError):
        learner.train(step_of(), np.random.default_rng(1), 10)


def test_a_net_of_another_size_is_named() -> None:
    small, large = AlphaZero(config()), AlphaZero(config("blocks=2", "filters=16"))
    with pytest.raises(ValueError, match="of a net with blocks=2, filters=16: set the same"):
        small.load_weights(large.net.arrays())


@pytest.mark.parametrize("fraction", [0.0, 0.01, 0.99])
def test_any_fraction_of_masters_can_be_had(masters: ChunkFolder, fraction: float) -> None:
    learner = AlphaZero(
        config("batch_size=20", f"master_fraction={fraction}", "replay_size=100"), masters
    )
    learner.replay.add("games", tree_games(10))
    (examples,) = learner.training_batches(1, 1, np.random.default_rng(1))
    assert len(examples) == 20


@pytest.mark.parametrize(
    ("settings", "updates"),
    [
        (("max_updates=0",), 15),  # three passes over 100 positions in batches of 20
        (("max_updates=7",), 7),
        (("max_updates=0", "max_uses=2"), 3),  # 30 new positions
        (("max_updates=0", "max_uses=2", "master_fraction=0.5"), 6),  # half of a batch is theirs
        (("max_updates=4", "max_uses=200"), 4),
    ],
)
def test_training_steps_of_a_cycle(
    masters: ChunkFolder, settings: tuple[str, ...], updates: int
) -> None:
    with_masters = any("master" in setting for setting in settings)
    learner = AlphaZero(
        config("batch_size=20", "epochs=3", "replay_size=100", *settings),
        masters if with_masters else None,
    )
    learner.replay.add("games", tree_games(100))
    assert learner.update_count(30) == updates


def test_promotion_gives_the_best_the_learners_weights() -> None:
    learner = AlphaZero(
        config("promotion=always", "batch_size=8", "max_updates=2", "replay_size=100")
    )
    learner.replay.add("games", tree_games(10))
    planes = planes_of(tree_games(3).stored)

    def logits() -> NDArray[np.float32]:
        """Of the net that plays the games."""
        actors = learner.actors()
        evaluate = actors.prepare(actors.net.load(actors.net.weights or {}))
        assert callable(evaluate)
        return evaluate(planes)[1]

    before = logits()
    learner.train(step_of(), np.random.default_rng(1), 10)
    assert np.array_equal(before, logits())
    verdict = learner.gating_match(step_of())
    assert verdict.promoted
    assert verdict.metrics() == {"promoted": 1}  # there was no match, so there is no score
    assert not np.array_equal(before, logits())


def test_remedies_name_settings_that_exist() -> None:
    words = re.findall(r"[a-z_]+", " ".join(vars(REMEDIES).values()))
    ours = set(Config.model_fields)
    assert set(words) - ours == {"raise", "or", "change", "lower"}
