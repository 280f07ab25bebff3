"""Visits of Markov chains against a dense linear solver."""

import numpy as np
import pytest
from scipy.sparse import csr_array  # type: ignore[import-untyped]
from scipy.sparse.csgraph import connected_components  # type: ignore[import-untyped]

from selfmate.minichess import markov
from selfmate.minichess.markov import Chain, Floats, balance, strong_components


def random_chain(states: int, seed: int) -> Chain:
    """Back and forth on a line, so that walks are long; the first state can always be left."""
    rng = np.random.default_rng(seed)
    lists = []
    for state in range(states):
        others = np.setdiff1d(np.arange(max(0, state - 3), min(states, state + 3)), [state])
        far = rng.choice(np.append(others, states), rng.integers(1, 4), replace=False)
        lists.append(np.unique(np.append(far, state - 1 if state else states)))
    start = rng.random(states)
    return Chain(
        start=start / start.sum(),
        offsets=np.append(0, np.cumsum([len(followers) for followers in lists])),
        successors=np.concatenate(lists),
    )


def matrix_of(chain: Chain) -> Floats:
    """[n, n + 1] The probability of each next state; the last column is outside."""
    states = len(chain.start)
    matrix = np.zeros((states, states + 1))
    for state in range(states):
        followers = chain.successors[chain.offsets[state] : chain.offsets[state + 1]]
        matrix[state, followers] = 1 / max(1, len(followers))
    return matrix


@pytest.mark.parametrize("dense", [1, 2_000])
@pytest.mark.parametrize("discount", [1.0, 0.85, 0.0])
@pytest.mark.parametrize("seed", range(5))
def test_visits_match_a_dense_solve(
    dense: int, discount: float, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(markov, "DENSE", dense)  # 1: by iteration
    chain = random_chain(20 + 40 * seed, seed)
    inside = matrix_of(chain)[:, :-1]
    expected = np.linalg.solve(np.eye(len(inside)) - discount * inside.T, chain.start)
    assert chain.visits(discount) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_every_walk_leaves_in_the_end() -> None:
    chain = random_chain(100, 7)
    visits = chain.visits()
    assert chain.arrivals(visits)[-1] == pytest.approx(1)
    assert chain.arrivals(visits)[:-1] + chain.start == pytest.approx(visits)


def test_a_chain_without_states() -> None:
    empty = Chain(start=np.zeros(0), offsets=np.zeros(1, int), successors=np.zeros(0, int))
    assert len(empty.visits()) == 0
    assert empty.arrivals(np.zeros(0)).tolist() == [0]


def test_iteration_solves_a_long_walk() -> None:
    """Back and forth on a line of 300 states with one exit: some 90,000 steps."""
    states = 300
    start = np.zeros(states)
    start[-1] = 1.0

    def flow(visits: Floats) -> Floats:
        moved = np.zeros(states)
        moved[:-1] += visits[1:] / 2
        moved[1:] += visits[:-1] / 2
        moved[-1] += visits[-1] / 2  # the far end is closed
        return moved

    visits = balance(start, flow)
    expected = 2.0 * np.arange(1, states + 1)
    assert visits == pytest.approx(expected, rel=1e-8)


def test_a_walk_without_end_is_refused() -> None:
    with pytest.raises(ArithmeticError, match="lingers too long"):
        balance(np.array([0.5, 0.5]), lambda visits: visits[::-1])


@pytest.mark.parametrize("seed", range(10))
def test_components_match_scipy_and_are_in_order(seed: int) -> None:
    chain = random_chain(200, seed)
    rng = np.random.default_rng(seed)
    kept = rng.random(len(chain.successors)) < 0.5
    kept &= chain.successors < 200
    offsets = np.append(0, np.cumsum(kept))[chain.offsets]
    successors = chain.successors[kept]
    found = strong_components(offsets.tolist(), successors.tolist())
    graph = csr_array((np.ones(len(successors)), successors, offsets), shape=(200, 200))
    count, labels = connected_components(graph, connection="strong")
    assert len(found) == count
    assert sorted(state for component in found for state in component) == list(range(200))
    assert all(len(set(labels[component])) == 1 for component in found)
    place = {state: number for number, component in enumerate(found) for state in component}
    rows = np.repeat(np.arange(200), np.diff(offsets))
    pairs = zip(rows.tolist(), successors.tolist(), strict=True)
    assert all(place[one] <= place[other] for one, other in pairs)
