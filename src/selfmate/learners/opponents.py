"""Who sits opposite a net that learns by playing: itself, what it was, the teacher, chance."""

from collections import deque
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from selfmate.nets.q_net import QNet
from selfmate.players import Player, load_player
from selfmate.players.q_player import QPlayer, QPlayerSpec
from selfmate.runs.run import Arrays

MOST_PAST = 5
ITSELF, BEST = "self", "best"
OTHERS = {"teacher_1": "teacher:depth=1", "teacher_2": "teacher:depth=2", "random": "random"}


class Opponents:
    """The learner is player 0, the best so far player 1, then the others, then earlier bests."""

    def __init__(self, spec: QPlayerSpec, net: QNet, weights: Mapping[str, float]) -> None:
        """`weights` says how often each of self, best, past, teacher_1 and so on is met."""
        self._spec, self._weights = spec, weights
        self.best = spec.make_net()
        self.past: deque[tuple[str, Arrays]] = deque(maxlen=MOST_PAST)  # names and weights
        self._fixed: list[Player] = [QPlayer("learner", net), QPlayer("best", self.best)]
        self._fixed += [load_player(name) for name in OTHERS.values()]

    def promote(self, weights: Arrays) -> None:
        self.best.take(weights)

    def retire(self, name: str, weights: Arrays) -> None:
        """A former best stays to be met."""
        self.past.append((name, weights))

    def players(self) -> list[Player]:
        return [*self._fixed, *self._past_players()]

    def best_player(self) -> Player:
        return self._fixed[1]

    def learner(self) -> Player:
        return self._fixed[0]

    def seats(self, games: int, dice: np.random.Generator) -> NDArray[np.int64]:
        """[G, 2] Players by number, White and Black; the learner has each side in turn."""
        names = list(self._weights)
        chances = np.array([self._weights[name] for name in names])
        met = dice.choice(len(names), games, p=chances / chances.sum())
        numbers = np.array([self._number(names[i], dice) for i in met.tolist()], np.int64)
        seats = np.zeros((games, 2), np.int64)
        seats[np.arange(games), np.arange(1, games + 1) % 2] = numbers
        return seats

    def _number(self, name: str, dice: np.random.Generator) -> int:
        if name == ITSELF:
            return 0
        if name in OTHERS:
            return 2 + list(OTHERS).index(name)
        if name == BEST or not self.past:
            return 1
        return 2 + len(OTHERS) + int(dice.integers(len(self.past)))

    def _past_players(self) -> Iterable[Player]:
        for name, weights in self.past:
            net = self._spec.make_net()
            net.take(weights)
            yield QPlayer(name, net)
