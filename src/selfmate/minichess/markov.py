"""Absorbing Markov chains: the expected number of visits to each state.

Visits answer every question about a chain: its mean length is their sum, the probability of an
ending is their sum over the states that end so. They also bound the error: a probability computed
from them is off by at most the residual of the balance equation, visits = start + inflow.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import count, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

DENSE = 2_000  # states up to which a dense linear solver is used
BALANCED = 1e-12  # largest total residual, for walks of a few steps
BALANCED_PER_VISIT = 1e-14  # long walks accumulate more rounding
BASIS = 50  # vectors combined per round
ROUNDS = 12

Floats = NDArray[np.float64]
Flow = Callable[[Floats], Floats]  # visits -> the visits they lead to one step later; linear


def strong_components(offsets: list[int], successors: list[int]) -> list[list[int]]:
    """The strongly connected components of a graph, each before those it leads to.

    Node i leads to `successors[offsets[i]:offsets[i + 1]]`. The algorithm is Gabow's (2000), with a
    stack in place of the paper's recursion.
    """
    nodes = len(offsets) - 1
    edges = [iter(successors[first:last]) for first, last in pairwise(offsets)]
    numbers = [0] * nodes  # preorder; above `nodes` once a node's component is known
    next_number = count(1)
    found: list[list[int]] = []
    for root in range(nodes):
        trail, heads, waiting = list[int](), list[int](), list[int]()
        entered = None if numbers[root] else root
        while trail or entered is not None:
            if entered is not None:
                numbers[entered] = next(next_number)
                for stack in (trail, heads, waiting):
                    stack.append(entered)
            node = trail[-1]
            following = next(edges[node], None)
            entered = None
            if following is None:
                trail.pop()
                if heads[-1] == node:
                    heads.pop()
                    found.append(_close(node, waiting, numbers))
            elif not numbers[following]:
                entered = following
            else:  # a cycle: all nodes since then are one component
                while numbers[heads[-1]] > numbers[following]:
                    heads.pop()
    return found[::-1]


def _close(head: int, waiting: list[int], numbers: list[int]) -> list[int]:
    component = [waiting.pop()]
    while component[-1] != head:
        component.append(waiting.pop())
    for node in component:
        numbers[node] = len(numbers) + 1
    return component


def balance(start: Floats, flow: Flow) -> Floats:
    """[n] Expected visits of each state, by iteration; every state must be able to reach an end.

    GMRES (Saad and Schultz, 1986) on blocks of steps. Its rounds stall where walks are long, so
    each round doubles the steps per block: in the limit even plain steps would converge.
    """
    visits, residual = np.zeros_like(start), start
    for number in range(ROUNDS):
        visits = visits + _correction(residual, flow, steps=2 << number)
        residual = start + flow(visits) - visits
        gap = float(abs(residual).sum())
        if gap <= BALANCED + BALANCED_PER_VISIT * float(visits.sum()):
            return np.maximum(visits, 0.0)
    raise ArithmeticError(f"the walk lingers too long: {gap:.1e} of its visits are missing")


def _correction(residual: Floats, flow: Flow, steps: int) -> Floats:
    """The combination of basis vectors that leaves the smallest residual."""
    target = _summed(residual, flow, steps)
    size = float(np.linalg.norm(target))
    basis = np.empty((BASIS + 1, len(target)))
    images = np.zeros((BASIS + 1, BASIS))  # the image of each vector, in terms of the basis
    basis[0] = target / size
    for used in range(1, BASIS + 1):
        vector = basis[used - 1] - _walked(basis[used - 1], flow, steps)
        images[:used, used - 1] = _remove(vector, basis[:used])
        images[used, used - 1] = length = float(np.linalg.norm(vector))
        wanted = size * np.eye(used + 1)[0]
        weights = np.linalg.lstsq(images[: used + 1, :used], wanted)[0]
        left = np.linalg.norm(wanted - images[: used + 1, :used] @ weights)
        if left * len(target) ** 0.5 <= BALANCED / 2 or length <= 1e-14:
            break  # accurate enough, or the basis is exhausted
        basis[used] = vector / length
    correction: Floats = weights @ basis[:used]
    return correction


def _walked(vector: Floats, flow: Flow, steps: int) -> Floats:
    """`steps` lazy steps: half stays put, which damps oscillation and has the same solution."""
    for _ in range(steps):
        vector = (vector + flow(vector)) / 2
    return vector


def _summed(residual: Floats, flow: Flow, steps: int) -> Floats:
    """The residual of one step, summed over `steps` lazy steps."""
    total = vector = residual / 2
    for _ in range(steps - 1):
        vector = (vector + flow(vector)) / 2
        total = total + vector
    return total


def _remove(vector: Floats, basis: Floats) -> Floats:
    """Makes `vector` orthogonal to the basis in place; returns the components removed."""
    first = basis @ vector
    vector -= first @ basis
    second = basis @ vector  # once more, against rounding
    vector -= second @ basis
    return first + second


@dataclass(frozen=True, eq=False, kw_only=True)
class Chain:
    """A walk over n states that can end or leave from each of them. No state follows itself.

    State i is followed by each of `successors[offsets[i]:offsets[i + 1]]` with equal probability,
    and ends the walk if it has none. Successor n stands for any state outside the chain.
    """

    start: Floats  # [n], probabilities
    offsets: NDArray[np.int64]  # [n + 1]
    successors: NDArray[np.int64]

    @cached_property
    def _counts(self) -> NDArray[np.int64]:
        return np.diff(self.offsets)

    @cached_property
    def _components(self) -> list[list[int]]:
        """Each before those it leads to."""
        inside = self.successors < len(self.start)
        offsets = np.concatenate([[0], np.cumsum(inside)])[self.offsets]
        return strong_components(offsets.tolist(), self.successors[inside].tolist())

    def arrivals(self, visits: Floats) -> Floats:
        """[n + 1] The visits one step later; the last entry is what left the chain."""
        per_successor = np.repeat(visits / np.maximum(self._counts, 1), self._counts)
        arrivals: NDArray[Any] = np.bincount(self.successors, per_successor, len(visits) + 1)
        return arrivals

    def visits(self, discount: float = 1.0) -> Floats:
        """[n] Expected visits of each state; a visit after t steps counts discount**t."""
        visits = np.append(self.start, 0.0)  # at first the inflow from outside each component
        for component in self._components:
            if len(component) > 1:
                self._settle(np.array(sorted(component)), visits, discount)
                continue
            [state] = component
            following = self.successors[self.offsets[state] : self.offsets[state + 1]]
            if len(following):
                visits[following] += discount * visits[state] / len(following)
        return visits[:-1]

    def _settle(self, members: NDArray[np.int64], visits: Floats, discount: float) -> None:
        """Solves one component in place and passes its outflow on to later ones."""
        counts = self._counts[members]
        offsets = np.append(0, np.cumsum(counts))
        rows = np.repeat(np.arange(len(members)), counts)
        moved = self.offsets[members] - offsets[:-1]
        followers = self.successors[np.arange(len(rows)) + moved[rows]]
        places = np.searchsorted(members, followers)
        outside = members[np.minimum(places, len(members) - 1)] != followers
        places[outside] = len(members)
        part = Chain(start=visits[members], offsets=offsets, successors=places)
        visits[members] = part._solve(discount)
        leaving = (discount * visits[members] / counts)[rows[outside]]
        np.add.at(visits, followers[outside], leaving)

    def _solve(self, discount: float) -> Floats:
        """Visits within one component, whose states all depend on each other."""
        size = len(self.start)
        if size > DENSE:
            return balance(self.start, lambda visits: discount * self.arrivals(visits)[:-1])
        rows = np.repeat(np.arange(size), self._counts)
        flow = np.zeros((size + 1, size))
        flow[self.successors, rows] = discount / self._counts[rows]
        visits: NDArray[Any] = np.linalg.solve(np.eye(size) - flow[:-1], self.start)
        return visits
