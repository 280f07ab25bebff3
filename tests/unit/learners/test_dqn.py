"""An update of the chess DQN: its loss, what it changes, when it is refused."""

import numpy as np
import pytest
from numpy.typing import NDArray

from selfmate.data.experience import Episodes
from selfmate.data.replay import Drawn, Moves
from selfmate.encodings.packed import inputs_of
from selfmate.learners import LEARNERS
from selfmate.learners.dqn import Dqn
from selfmate.nets.threads import one_thread
from selfmate.runs.stopwatch import Stopwatch
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
    return line(MATE_IN_TWO, MATING_LINE, advice_depth=1)


@pytest.mark.parametrize("imitation", ["cross_entropy", "margin"])
def test_the_loss_is_that_of_a_loop(page: Episodes, imitation: str) -> None:
    settings = {"imitation": imitation, "imitation_weight": 0.7, "imitation_weight_end": 0.1}
    dqn = dqn_with(
        page, prioritized=True, advice_depth=1, huber_delta=0.2, margin=0.3, help_cycles=10,
        **settings,
    )  # fmt: skip
    page.advice[1] = -1  # nobody was asked there
    dqn.replay.add("games-00000002", page)
    drawn, moves = dqn.draw(np.random.default_rng(3))
    drawn = Drawn(rows=drawn.rows, weights=np.linspace(0.1, 1, 64).astype(np.float32))
    found = dqn.loss(drawn, moves, 6)
    td, advised = slow_losses(dqn, moves, dqn.targets(moves, 6), drawn.weights)
    assert float(found.td.detach()) == pytest.approx(td, rel=1e-5)
    assert float(found.imitation.detach()) == pytest.approx(advised, rel=1e-5)
    assert float(found.total.detach()) == pytest.approx(td + 0.4 * advised, rel=1e-5)
    assert found.figures()["td_error"] == pytest.approx(np.abs(found.errors).mean(), rel=1e-5)


def slow_losses(
    dqn: Dqn, moves: Moves, targets: NDArray[np.float32], weights: NDArray[np.float32]
) -> tuple[float, float]:
    values = dqn.net.values(inputs_of(moves.states), moves.legal)
    huber, imitation = [], []
    for i, target in enumerate(targets.tolist()):
        row = slice(*moves.legal.offsets[i : i + 2].tolist())
        legal, of_row = moves.legal.values[row].tolist(), values[row].astype(np.float64)
        error = abs(of_row[legal.index(moves.actions[i])] - target)
        near = error**2 / 2 if error < 0.2 else 0.2 * (error - 0.1)
        huber.append(float(weights[i]) * near)
        if moves.advice[i] >= 0:
            imitation.append(slow_imitation(dqn, of_row, legal.index(moves.advice[i])))
    return float(np.mean(huber)), float(np.mean(imitation))


def slow_imitation(dqn: Dqn, values: NDArray[np.float64], best: int) -> float:
    if dqn.config.imitation == "cross_entropy":
        logits = values / dqn.config.temperature
        return float(np.log(np.exp(logits).sum()) - logits[best])
    others = values + dqn.config.margin
    others[best] = values[best]
    return float(others.max() - values[best])


def test_an_update_goes_towards_the_targets_and_the_target_net_follows_now_and_then(
    page: Episodes,
) -> None:
    dqn = dqn_with(page, target_sync=3, learning_rate=1e-3)
    target = bits_of(dqn)
    errors = []
    for number in (1, 2, 3):
        figures = update(dqn)
        assert figures is not None
        errors.append(figures["td_error"])
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
        dqn = dqn_with(page, advice_depth=1, imitation_weight=1.0)
        for net in (dqn.net, dqn.target):
            net.arrays()["actions.bias"][illegal] += huge
        figures = [update(dqn, seed=seed) for seed in (1, 2)]
        weights = {name: array.copy() for name, array in dqn.net.arrays().items()}
        weights["actions.bias"][illegal] = 0
        found.append((figures, {name: array.tobytes() for name, array in weights.items()}))
    assert found[0] == found[1]


def test_an_attempt_after_going_back_halves_the_learning_rate(page: Episodes) -> None:
    steps = []
    for attempt in (1, 2, 3):
        dqn = dqn_with(page, learning_rate=0.01)
        before = dqn.net.arrays()["first.bias"].copy()
        update(dqn, attempt=attempt)
        steps.append(np.abs(dqn.net.arrays()["first.bias"] - before).max())
    assert steps[1] == pytest.approx(steps[0] / 2, rel=1e-3)
    assert steps[2] == pytest.approx(steps[0] / 4, rel=1e-3)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e9])
def test_a_batch_that_is_no_number_or_vast_is_refused(
    page: Episodes, bad: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    dqn = dqn_with(page, prioritized=True)
    assert update(dqn) is not None
    before, counts, memory = bits_of(dqn), dict(dqn.counts), dqn.replay.arrays()
    with monkeypatch.context() as patch:
        patch.setattr(Dqn, "targets", lambda self, moves, cycle: broken(moves, bad))
        assert update(dqn) is None
    assert bits_of(dqn) == before
    assert dqn.counts == counts
    for name, array in memory.items():
        np.testing.assert_array_equal(dqn.replay.arrays()[name], array)
    assert update(dqn) is not None


def broken(moves: Moves, bad: float) -> NDArray[np.float32]:
    targets = np.zeros(len(moves.actions), np.float32)
    targets[-1] = bad
    return targets


def test_another_runs_weights_are_where_all_three_nets_begin(page: Episodes) -> None:
    """Else the first targets would be of a net that nobody taught, and so would the best."""
    taught = dqn_with(page, seed=2).net.arrays()
    dqn = dqn_with(page, seed=1)
    dqn.load_weights(taught)
    for net in (dqn.net, dqn.target, dqn.opponents.best):
        for name, array in net.arrays().items():
            np.testing.assert_array_equal(array, taught[name])
    with pytest.raises(ValueError, match="first"):
        dqn.load_weights({name: array for name, array in taught.items() if "first" not in name})
