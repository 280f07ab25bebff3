"""What a player is: it chooses moves, for many games at once, and says what it thinks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event
from types import MappingProxyType
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from selfmate.rules import Board

NOTHING: Mapping[int, str] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How long a player may think on one move; None means as the player itself is set."""

    depth: int | None = None  # plies
    nodes: int | None = None  # nodes or simulations
    time_ms: float | None = None  # wall clock


NO_LIMITS = Limits()


@dataclass(frozen=True)
class Choices:
    """One move per game, or a reason why there is none.

    A forfeit loses the game: `crashed`, `time`, `illegal_move` and the like, with details behind
    a colon. The move of a forfeited game means nothing. Comments are for the records of a match:
    what a search came to, where there was one.
    """

    moves: NDArray[np.uint16]  # [B]
    forfeits: Mapping[int, str] = field(default_factory=lambda: NOTHING)
    comments: Mapping[int, str] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True, kw_only=True)
class Thought:
    """What a player thinks of a position, as far as it can tell."""

    best: str  # UCI
    line: tuple[str, ...] = ()  # principal variation, beginning with `best`
    score_pawns: float | None = None  # for the side to move
    mate_in: int | None = None  # moves; negative when the side to move is mated
    wdl: tuple[float, float, float] | None = None  # win, draw, loss of the side to move
    policy: Mapping[str, float] | None = None  # probability of each legal move
    legal_mass: float | None = None  # of all moves there are, by a net that is told no rules
    visits: Mapping[str, int] | None = None  # of each legal move, by a search that counts them
    depth: int | None = None
    nodes: int | None = None
    others: tuple["Thought", ...] = ()  # the other moves, best first, where they are judged too


def hear_nothing(_: Thought) -> None:
    pass


@dataclass(frozen=True, kw_only=True)
class Question:
    """What a player is asked about one board, which is not over."""

    board: Board
    dice: int
    limits: Limits = NO_LIMITS
    # For players that have them; None: as the player is set.
    temperature: float | None = None
    c_puct: float | None = None
    threads: int = 1  # that a player may think on
    stop: Event = field(default_factory=Event)  # set by whoever asks, to have an answer at once
    report: Callable[[Thought], None] = hear_nothing  # hears of interim thoughts


class Player(Protocol):
    """Players hold no state of a game: a board carries its whole history."""

    @property
    def name(self) -> str:
        """The full name, settings included: loading it gives the same player again."""

    @property
    def games_at_once(self) -> int:
        """How many boards are worth handing over in one call."""

    def choose(
        self, boards: Sequence[Board], dice: NDArray[np.uint64], limits: Limits = NO_LIMITS
    ) -> Choices:
        """A move for each board, none of which is over. Blocks.

        `dice` is one random number per board, the only chance there is: same boards, same dice,
        same moves, however the boards are grouped (external engines excepted).
        """

    def think(self, question: Question) -> Thought:
        """The move for one board and why. Blocks until done; told to stop, it answers at once."""

    def close(self) -> None:
        """Ends whatever runs; may be called more than once."""
