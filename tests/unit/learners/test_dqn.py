"""An update of the chess DQN: its loss, what it changes, when it is skipped."""

import numpy as np
import pytest
from numpy.typing import NDArray

from selfmate.data.replay import Sample
from selfmate.data.transitions import Episodes, Transitions
from selfmate.learners.dqn.learner import Dqn
from selfmate.learners.registry import LEARNERS
from selfmate.nets.optim import one_thread
from selfmate.runs.run import Stopwatch
from unit.learners.dqn_lines import MATE_IN_TWO, MATING_LINE, dqn_with, line

DQN = LEARNERS["dqn"]


def update(dqn: Dqn, *, cycle: int = 1, attempt: int = 1, seed: int = 1) -> dict[str, float] | None:
    with one_thread():
        return dqn.update(cycle, attempt, np.random.default_rng(seed), Stopwatch())


def bits_of(dqn: Dqn) -> dict[str, bytes]:
    parts = {"net": dqn.net.arrays(), "target": dqn.target.arrays(), "adam": dqn.adam.arrays()}
    return {f"{p}.{n}": a.tobytes() for p, arrays in parts.items() for n, a in arrays.items()}


@pytest.fixture
def page() -> Episodes:
    return line(MATE_IN_TWO, MATING_LINE, teacher_depth=1)


@pytest.mark.parametrize("imitation", ["cross_entropy", "margin"])
def test_the_loss_is_that_of_a_loop(page: Episodes, imitation: str) -> None:
    settings = {"imitation": imitation, "imitation_weight": 0.7, "imitation_weight_end": 0.1}
    dqn = dqn_with(
        page, prioritized=True, teacher_depth=1, huber_delta=0.2, margin=0.3,
        teacher_anneal_cycles=10, **settings,
    )  # fmt: skip
    page.advice[1] = -1  # the teacher was not asked there
    dqn.replay.add("games-00000002", page)
    sample, batch = dqn.sample(np.random.default_rng(3))
    sample = Sample(rows=sample.rows, weights=np.linspace(0.1, 1, 64).astype(np.float32))
    found = dqn.loss(sample, batch, 6)
    td, advised = slow_losses(dqn, batch, dqn.targets(batch, 6), sample.weights)
    assert float(found.td.detach()) == pytest.approx(td, rel=1e-5)
    assert float(found.imitation.detach()) == pytest.approx(advised, rel=1e-5)
    assert float(found.total.detach()) == pytest.approx(td + 0.4 * advised, rel=1e-5)
    assert found.metrics()["td_error"] == pytest.approx(np.abs(found.errors).mean(), rel=1e-5)


def slow_losses(
    dqn: Dqn, batch: Transitions, targets: NDArray[np.float32], weights: NDArray[np.float32]
) -> tuple[float, float]:
    values = dqn.net.values(batch.states, batch.legal)
    huber, imitation = [], []
    for i, target in enumerate(targets.tolist()):
        row = slice(*batch.legal.offsets[i : i + 2].tolist())
        legal, of_row = batch.legal.values[row].tolist(), values[row].astype(np.float64)
        error = abs(of_row[legal.index(batch.actions[i])] - target)
        near = error**2 / 2 if error < 0.2 else 0.2 * (error - 0.1)
        huber.append(float(weights[i]) * near)
        if batch.advice[i] >= 0:
            imitation.append(slow_imitation(dqn, of_row, legal.index(batch.advice[i])))
    return float(np.mean(huber)), float(np.mean(imitation))


def slow_imitation(dqn: Dqn, values: NDArray[np.float64], best: int) -> float:
    if dqn.config.imitation == "cross_entropy":
        logits = values / dqn.config.temperature
        return float(np.log(np.exp(logits).sum()) - logits[best])
    others = values + dqn.config.margin
    others[best] = values[best]
    return float(others.max() - values[best])


def test_updates_reduce_td_errors_and_copy_the_target_net_periodically(
    page: Episodes,
) -> None:
    dqn = dqn_with(page, target_update_every=3, learning_rate=1e-3)
    target = bits_of(dqn)
    errors = []
    for number in (1, 2, 3):
        metrics = update(dqn)
        assert metrics is not None
        errors.append(metrics["td_error"])
        same = all(bits_of(dqn)[name] == target[name] for name in target if "target" in name)
        assert same == (number < 3)
    assert errors == sorted(errors, reverse=True)
    np.testing.assert_array_equal(
        dqn.net.arrays()["first.weight"], dqn.target.arrays()["first.weight"]
    )


def test_outputs_of_moves_that_are_never_legal_change_nothing(page: Episodes) -> None:
    illegal = np.setdiff1d(np.arange(4096), page.legal)
    found = []
    for huge in (0.0, 1e6):
        dqn = dqn_with(page, teacher_depth=1, imitation_weight=1.0)
        for net in (dqn.net, dqn.target):
            net.arrays()["actions.bias"][illegal] += huge
        metrics = [update(dqn, seed=seed) for seed in (1, 2)]
        weights = {name: array.copy() for name, array in dqn.net.arrays().items()}
        weights["actions.bias"][illegal] = 0
        found.append((metrics, {name: array.tobytes() for name, array in weights.items()}))
    assert found[0] == found[1]


def test_an_attempt_after_a_rollback_halves_the_learning_rate(page: Episodes) -> None:
    steps = []
    for attempt in (1, 2, 3):
        dqn = dqn_with(page, learning_rate=0.01)
        before = dqn.net.arrays()["first.bias"].copy()
        update(dqn, attempt=attempt)
        steps.append(np.abs(dqn.net.arrays()["first.bias"] - before).max())
    assert steps[1] == pytest.approx(steps[0] / 2, rel=1e-3)
    assert steps[2] == pytest.approx(steps[0] / 4, rel=1e-3)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e9])
def test_an_exploding_update_is_skipped(
    page: Episodes, bad: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    dqn = dqn_with(page, prioritized=True)
    assert update(dqn) is not None
    before, counts, memory = bits_of(dqn), dict(dqn.counts), dqn.replay.arrays()
    with monkeypatch.context() as patch:
        patch.setattr(Dqn, "targets", lambda self, batch, cycle: broken(batch, bad))
        assert update(dqn) is None
    assert bits_of(dqn) == before
    assert dqn.counts == counts
    for name, array in memory.items():
        np.testing.assert_array_equal(dqn.replay.arrays()[name], array)
    assert update(dqn) is not None


def broken(batch: Transitions, bad: float) -> NDArray[np.float32]:
    targets = np.zeros(len(batch.actions), np.float32)
    targets[-1] = bad
    return targets


def test_loaded_weights_initialize_all_three_nets(page: Episodes) -> None:
    """Otherwise the target net and the best version would start untrained."""
    taught = dqn_with(page, seed=2).net.arrays()
    dqn = dqn_with(page, seed=1)
    dqn.load_weights(taught)
    for net in (dqn.net, dqn.target, dqn.opponents.best):
        for name, array in net.arrays().items():
            np.testing.assert_array_equal(array, taught[name])
    with pytest.raises(ValueError, match="first"):
        dqn.load_weights({name: array for name, array in taught.items() if "first" not in name})
