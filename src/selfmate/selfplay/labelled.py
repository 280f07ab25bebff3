"""Labels without a file: games in which the teacher scores every move, made while a net learns.

They come in chunks of positions. A chunk is a pure function of the plan, of its number and, for the
net's own games, of the net that it was asked for with: it can be made on any thread, and again.
"""

from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from selfmate.data.scored_positions import ScoredPositions, joined
from selfmate.rules import available_cores
from selfmate.searches.labelled_games import (
    NET,
    RANDOM,
    TEACHER,
    PositionEvaluator,
    play_labelled_games,
)
from selfmate.selfplay.games import Starts

GAME_POSITIONS = 64  # about as many has a game
MAX_PLIES = 160


@dataclass(frozen=True, kw_only=True)
class LabelPlan:
    """All that determines the chunks, but for the net."""

    seed: int
    chunk_positions: int
    depth: int = 2  # of the teacher's search, in plies
    own_fraction: float = 0.0  # of games in which the net plays both sides
    random_fraction: float = 0.0  # of games in which one side moves at random
    endgame_fraction: float = 0.0  # of games that start from a won endgame

    def chunk(self, number: int, net: PositionEvaluator | None) -> ScoredPositions:
        """Without a net the teacher plays its games."""
        rng = np.random.default_rng([self.seed, number])
        parts, missing = list[ScoredPositions](), self.chunk_positions
        while missing:
            parts.append(self._games(rng, missing, net))
            missing -= len(parts[-1])
        return joined(parts)

    def _games(
        self, rng: np.random.Generator, positions: int, net: PositionEvaluator | None
    ) -> ScoredPositions:
        """At most so many positions of some games."""
        starts = Starts(openings=True, endgame_fraction=self.endgame_fraction)
        games = -(-positions // GAME_POSITIONS)
        movers = self._movers(games, rng)
        found = play_labelled_games(
            starts.boards(games, rng),
            rng.integers(2**63, size=games, dtype=np.uint64),
            movers if net else np.where(movers == NET, np.uint8(TEACHER), movers),
            net,
            depth=self.depth,
            max_plies=MAX_PLIES,
            max_positions=positions,
        )
        return ScoredPositions(
            packed=found.packed,
            actions=found.actions,
            centipawns=found.centipawns,
            offsets=found.offsets,
        )

    def _movers(self, games: int, rng: np.random.Generator) -> NDArray[np.uint8]:
        """[G, 2] White's and Black's."""
        kinds, random_sides = rng.random(games), rng.integers(2, size=games)
        movers = np.full((games, 2), TEACHER, np.uint8)
        movers[kinds < self.own_fraction] = NET
        has_random = kinds >= 1 - self.random_fraction
        movers[has_random, random_sides[has_random]] = RANDOM
        return movers


class LabelStream:
    """Makes chunks ahead of the learner, on threads of its own. For `with`."""

    def __init__(self, plan: LabelPlan, threads: int | None = None) -> None:
        """None: a thread for each core, beside the learner's."""
        self._plan = plan
        self._pool = ThreadPoolExecutor(threads or available_cores(), "labels")
        self._asked: dict[int, Future[ScoredPositions]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def ask(self, numbers: Iterable[int], net: PositionEvaluator | None = None) -> None:
        """Begins to make chunks that were not asked for yet."""
        for number in numbers:
            if number not in self._asked:
                self._asked[number] = self._pool.submit(self._plan.chunk, number, net)

    def take(self, number: int) -> ScoredPositions:
        """A chunk that was asked for; waits until it is made."""
        return self._asked.pop(number).result()

    def forget(self) -> None:
        """Drops what was asked for and not taken, as a learner that rolled back does."""
        for future in self._asked.values():
            future.cancel()
        self._asked.clear()
