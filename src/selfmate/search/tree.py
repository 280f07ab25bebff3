"""Trees of many games, grown side by side by what a net says of their leaves."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from selfmate import _core
from selfmate.encodings import ENCODINGS
from selfmate.rules import Board
from selfmate.rules.ragged import Ragged
from selfmate.search.value_choices import drawn_actions

PLANES = ENCODINGS["planes68"].shape
PORTION = 4096  # simulations of a tree that may pass without a batch, where all leaves are draws

Floats = NDArray[np.float32]
Slots = NDArray[np.int64]
# planes68 [N, 68, 8, 8] -> win, draw, loss of the side to move [N, 3], logits of az4672 [N, 4672]
Evaluate = Callable[[Floats], tuple[Floats, Floats]]


@dataclass(frozen=True, kw_only=True)
class TreeSettings:
    """The numbers of a search, the seed's unless told otherwise."""

    c_puct: float = 1.5
    fpu_reduction: float = 0.25  # of an untried move, times the root of the tried ones' prior mass
    virtual_loss: float = 1.0  # what a walk under way counts as
    noise_alpha: float = 0.3  # Dirichlet, at the root
    noise_share: float = 0.25
    widening: float = 0.0  # n visits look at widening * n ** widening_power moves; 0: at all
    widening_power: float = 0.5
    gumbel_moves: int = 0  # of the root, for sequential halving; 0: PUCT and Dirichlet noise
    gumbel_visits: float = 50.0  # c_visit of the paper
    gumbel_scale: float = 1.0  # c_scale
    exact_key: bool = False  # share evaluations only where history and clocks agree as well
    most_nodes: int = 1 << 20  # of a tree; then its search is done
    leaves_per_game: int = 1  # in one batch; with one, games do not depend on each other
    cached_evaluations: int = 0  # shared by all games


@dataclass(frozen=True)
class Roots:
    """What searches have found, a row a game."""

    best: NDArray[np.uint16]  # [B] 0: there is no legal move
    wdl_side_to_move: Floats  # [B, 3] the mean of all simulations
    best_wdl_side_to_move: Floats  # [B, 3] the mean of those that began with the best move
    visits: NDArray[np.int32]  # [B] the root's own evaluation is the first
    plies_to_mate: NDArray[np.int32]  # [B] negative: the side to move is mated; 0: none is proven


@dataclass(frozen=True)
class RootMoves:
    """All legal moves of some games, the likeliest of each first: game i owns the rows offsets[i]
    to offsets[i + 1]."""

    moves: NDArray[np.uint16]  # [N]
    actions: NDArray[np.int32]  # [N] of az4672
    visits: NDArray[np.int32]  # [N]
    priors: Floats  # [N] with the noise that was mixed in
    values_side_to_move: Floats  # [N] 0 without visits
    # [N] By visits (without any, by priors), or the improved policy; a proven mate has it all.
    shares: Floats
    offsets: NDArray[np.int64]  # [B + 1]


@dataclass(frozen=True)
class Outlooks:
    """What may come of each legal move of one game, in the order of its `RootMoves`."""

    wdl_side_to_move: Floats  # [M, 3] all 0 while nothing is known
    plies_to_mate: NDArray[np.int32]  # [M] as of roots, for the side to move
    lines: list[list[int]]  # the move and what may follow


class Forest:
    """One tree in each slot that has a game. For one thread at a time."""

    def __init__(
        self, evaluate: Evaluate, settings: TreeSettings | None = None, *, batch: int = 256
    ) -> None:
        self._search = _core.TreeSearch(**asdict(settings or TreeSettings()))
        self._evaluate = evaluate
        self._planes = np.empty((batch, *PLANES), np.float32)

    def plant(self, slots: Slots, boards: Sequence[Board]) -> None:
        """Puts games into slots, in place of what was there."""
        for slot, board in zip(slots.tolist(), boards, strict=True):
            self._search.set(slot, board)

    def fell(self, slots: Slots) -> None:
        """Empties slots."""
        for slot in slots.tolist():
            self._search.clear(slot)

    def start(
        self, slots: Slots, simulations: int, noise: NDArray[np.uint64] | None = None
    ) -> None:
        """Begins so many simulations more in each slot, with noise at the root by these dice [B],
        or without. Nothing is searched yet."""
        dice = np.zeros(len(slots), np.uint64) if noise is None else noise
        self._search.start(slots, simulations, noise=noise is not None, seeds=dice)

    def batches(self) -> Iterator[int]:
        """Searches until all that was started is done, and says after every batch how many leaves
        it had. Between batches results may be read, games played on and searches started.

        A search that is left before it is done goes on next time, unless its slot is started,
        planted or felled.
        """
        while count := self._search.gather(len(self._planes), self._planes):
            self._search.receive(*self._evaluate(self._planes[:count]))
            yield count

    def grow(self, slots: Slots, simulations: int, noise: NDArray[np.uint64] | None = None) -> None:
        """Begins searches and ends them."""
        self.start(slots, simulations, noise)
        for _ in self.batches():
            pass

    def deepen(self, slots: Slots, simulations: int) -> Iterator[None]:
        """Searches without noise until each tree has had so many simulations, those that it kept
        included, is full or decided. Yields after every batch, and often enough where trees need
        none: whoever has seen enough leaves."""
        for target in chain(range(PORTION, simulations, PORTION), [simulations]):
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

    def outlooks(self, slot: int) -> Outlooks:
        return Outlooks(*self._search.outlooks(slot))

    def advance(self, slots: Slots, moves: NDArray[np.uint16]) -> None:
        """Plays a legal move in each slot and keeps what is known of what may follow."""
        self._search.advance(slots, moves)


def chosen_moves(
    roots: Roots, found: RootMoves, temperatures: NDArray[np.float64], dice: NDArray[np.uint64]
) -> NDArray[np.uint16]:
    """[B] A move with probabilities proportional to share ** (1 / temperature); at 0 the best. The
    games' temperatures [B] may differ. None of the games may be over."""
    warm = temperatures > 0
    divisors = np.where(warm, temperatures, 1.0)
    with np.errstate(divide="ignore"):  # a share of 0 is never drawn
        logs = np.log(found.shares) / np.repeat(divisors, np.diff(found.offsets))
    legal = Ragged(found.moves.astype(np.int32), found.offsets)
    drawn = drawn_actions(logs.astype(np.float32), legal, 1.0, dice).astype(np.uint16)
    return np.where(warm, drawn, roots.best)
