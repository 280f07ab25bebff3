"""Tree search for many games at once, guided by a net that evaluates their leaves in batches.

The search itself is in the core. `gather` fills a batch with the planes of leaves, `receive` takes
their evaluations; this is the driver that calls a net between the two. A net that is evaluated in
the core needs no driver: `run` does all three.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

import selfmate._core as core
from selfmate.encodings import ENCODINGS
from selfmate.rules import Board, Ragged
from selfmate.searches.config import SearchConfig
from selfmate.searches.sampling import drawn_actions

PLANES = ENCODINGS["planes96"].shape
# Simulations of a tree between two pauses: where all leaves are known draws, no batch is evaluated
# and `deepen` would not yield otherwise.
SIMULATIONS_PER_PAUSE = 4096
LEAVES_PER_PAUSE = 256  # where the core evaluates them: some milliseconds

Floats = NDArray[np.float32]
Slots = NDArray[np.int64]
# planes96 [N, 96, 8, 8] -> WDL of the side to move [N, 3], logits of az4672 [N, 4672]
Evaluate = Callable[[Floats], tuple[Floats, Floats]] | core.PositionEvaluator


@dataclass(frozen=True)
class Roots:
    """Results at the roots, a row per game."""

    best: NDArray[np.uint16]  # [B] move codes; 0: there is no legal move
    wdl_side_to_move: Floats  # [B, 3] mean of all simulations
    best_wdl_side_to_move: Floats  # [B, 3] mean of those that began with the best move
    visits: NDArray[np.int32]  # [B] the root's own evaluation is the first
    plies_to_mate: NDArray[np.int32]  # [B] negative: the side to move is mated; 0: none is proven


@dataclass(frozen=True)
class RootMoves:
    """All legal moves of some games, each game's sorted by prior: game i owns the rows offsets[i]
    to offsets[i + 1]."""

    moves: NDArray[np.uint16]  # [N]
    actions: NDArray[np.int32]  # [N] of az4672
    visits: NDArray[np.int32]  # [N]
    priors: Floats  # [N] including the noise that was mixed in
    values_side_to_move: Floats  # [N] 0 without visits
    # [N] The policy that the search found, which sums to 1 in each game: fractions of visits (of
    # priors, if nothing was visited), or Gumbel's improved policy. A proven mate has it all.
    shares: Floats
    offsets: NDArray[np.int64]  # [B + 1]


@dataclass(frozen=True)
class MoveOutlooks:
    """What follows each legal move of one game, in the order of its `RootMoves`."""

    wdl_side_to_move: Floats  # [M, 3] all 0 without visits
    plies_to_mate: NDArray[np.int32]  # [M] as in `Roots`
    lines: list[list[int]]  # principal variations, each beginning with its move


class BatchedTreeSearch:
    """A tree in each slot that holds a game. For one thread at a time."""

    def __init__(
        self, evaluate: Evaluate, config: SearchConfig | None = None, *, batch: int = 256
    ) -> None:
        self._search = core.TreeSearch(**(config or SearchConfig()).model_dump())
        self._evaluate, self._batch = evaluate, batch
        rows = 0 if isinstance(evaluate, core.PositionEvaluator) else batch
        self._planes = np.empty((rows, *PLANES), np.float32)

    def reset(self, slots: Slots, boards: Sequence[Board]) -> None:
        """Puts games into slots, in place of what was there."""
        for slot, board in zip(slots.tolist(), boards, strict=True):
            self._search.set(slot, board)

    def restrict_root(self, slot: int, moves: NDArray[np.uint16]) -> None:
        """Searches only these legal moves of a game that was not searched yet."""
        self._search.restrict_root(slot, moves)

    @property
    def cached(self) -> int:
        """The number of evaluations in the cache."""
        return self._search.cached

    @property
    def leaf_count(self) -> int:
        """Leaves of all searches so far, evaluated or found in the cache: what a game adds does
        not depend on the games beside it."""
        return self._search.leaf_count

    def clear(self, slots: Slots) -> None:
        """Empties slots."""
        for slot in slots.tolist():
            self._search.clear(slot)

    def start(
        self, slots: Slots, simulations: int, noise: NDArray[np.uint64] | None = None
    ) -> None:
        """Starts this many more simulations in each slot, without running any of them yet. `noise`
        [B] seeds the noise at each root; None: no noise."""
        seeds = np.zeros(len(slots), np.uint64) if noise is None else noise
        self._search.start(slots, simulations, noise=noise is not None, seeds=seeds)

    def batches(self) -> Iterator[int]:
        """Runs all searches that were started, and yields the number of leaves after each batch, or
        after several of a net in the core. Between batches the caller may read results, advance
        games and start searches.

        A search that is left unfinished continues the next time, unless its slot is started, reset
        or cleared, or is advanced where Gumbel's sequential halving was planned for the old root.
        """
        while count := self._evaluate_leaves():
            yield count

    def _evaluate_leaves(self) -> int:
        """The number of leaves that were evaluated; 0 when all searches are done."""
        if isinstance(self._evaluate, core.PositionEvaluator):
            return self._search.run(self._evaluate, most=self._batch, enough=LEAVES_PER_PAUSE)
        if count := self._search.gather(self._batch, self._planes):
            self._search.receive(*self._evaluate(self._planes[:count]))
        return count

    def run(self, slots: Slots, simulations: int, noise: NDArray[np.uint64] | None = None) -> None:
        """Starts searches and finishes them. Blocks."""
        self.start(slots, simulations, noise)
        for _ in self.batches():
            pass

    def deepen(self, slots: Slots, simulations: int) -> Iterator[None]:
        """Searches without noise until each tree has this many simulations, including those that
        it kept, or is full or decided. Yields after every batch, and regularly where trees need
        none, so that the caller can stop early."""
        step = SIMULATIONS_PER_PAUSE
        for target in chain(range(step, simulations, step), [simulations]):
            for i, visits in enumerate(self.roots(slots).visits.tolist()):
                self.start(slots[i : i + 1], max(0, target - max(0, visits - 1)))
            for _ in self.batches():
                yield
            yield
            if (self.roots(slots).visits <= target).all():
                return

    def is_done(self, slots: Slots) -> NDArray[np.bool_]:
        return self._search.is_done(slots)

    def roots(self, slots: Slots) -> Roots:
        return Roots(*self._search.roots(slots))

    def moves(self, slots: Slots) -> RootMoves:
        return RootMoves(*self._search.moves(slots))

    def outlooks(self, slot: int) -> MoveOutlooks:
        return MoveOutlooks(*self._search.outlooks(slot))

    def advance(self, slots: Slots, moves: NDArray[np.uint16]) -> None:
        """Plays a legal move in each slot and keeps the subtree below it."""
        self._search.advance(slots, moves)


def sample_moves(
    roots: Roots,
    found: RootMoves,
    temperatures: NDArray[np.float64],
    seeds: NDArray[np.uint64],
) -> NDArray[np.uint16]:
    """[B] A move per game, with probabilities proportional to share ** (1 / temperature); at
    temperature 0 the best. The temperatures [B] may differ. No game may be over."""
    warm = temperatures > 0
    divisors = np.where(warm, temperatures, 1.0)
    with np.errstate(divide="ignore"):  # a share of 0 is never drawn
        logs = np.log(found.shares) / np.repeat(divisors, np.diff(found.offsets))
    legal = Ragged(found.moves.astype(np.int32), found.offsets)
    drawn = drawn_actions(logs.astype(np.float32), legal, 1.0, seeds).astype(np.uint16)
    return np.where(warm, drawn, roots.best)
