"""A random walk that ends, and how often it visits each state.

Visits answer every question about a walk: how long it takes is their sum, how likely it ends in
some way is their sum over the states that end so. They also make the error plain: a probability
found from them is wrong by no more than is missing in the balance "visits = start + what flows in".
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selfmate.endgame.components import strong_components
from selfmate.endgame.gmres import Floats, balance

DENSE = 2_000  # states that a plain linear solver takes at once


@dataclass(frozen=True, eq=False, kw_only=True)
class Chain:
    """A walk over n states; from each it must be able to end or to leave. No state follows itself.

    State i is followed by each of `successors[offsets[i]:offsets[i + 1]]` with the same chance, and
    is the last where there are none. Successor n stands for whatever lies outside.
    """

    start: Floats  # [n], probabilities
    offsets: NDArray[np.int64]  # [n + 1]
    successors: NDArray[np.int64]

    @cached_property
    def _counts(self) -> NDArray[np.int64]:
        return np.diff(self.offsets)

    @cached_property
    def _components(self) -> list[list[int]]:
        """In the order they are walked through."""
        inside = self.successors < len(self.start)
        offsets = np.concatenate([[0], np.cumsum(inside)])[self.offsets]
        return strong_components(offsets.tolist(), self.successors[inside].tolist())

    def arrivals(self, visits: Floats) -> Floats:
        """What visits lead to one step on; the last entry is what left  # [n + 1]"""
        shares = np.repeat(visits / np.maximum(self._counts, 1), self._counts)
        arrivals: NDArray[Any] = np.bincount(self.successors, shares, len(visits) + 1)
        return arrivals

    def visits(self, discount: float = 1.0) -> Floats:
        """Expected visits of each state; what happens t steps on counts discount**t  # [n]"""
        visits = np.append(self.start, 0.0)  # at first, what comes into each state from outside
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
        """Finds the visits in one component and hands on what leaves it."""
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
        """The visits where states come back to each other, so that all must be found at once."""
        size = len(self.start)
        if size > DENSE:
            return balance(self.start, lambda visits: discount * self.arrivals(visits)[:-1])
        rows = np.repeat(np.arange(size), self._counts)
        flow = np.zeros((size + 1, size))
        flow[self.successors, rows] = discount / self._counts[rows]
        visits: NDArray[Any] = np.linalg.solve(np.eye(size) - flow[:-1], self.start)
        return visits
