"""What a player is: requests in, choices and analyses out. Some players also score their moves."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from threading import Event
from types import MappingProxyType
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from selfmate.players import check_name, load_player
from selfmate.rules import Board, derive_seeds
from selfmate.searches.teacher import VALUE_SCALE_PAWNS, MoveScores

NO_TEXTS: Mapping[int, str] = MappingProxyType({})


class UnsupportedVariantError(ValueError):
    """The player does not play this variant of chess."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How long a player may search for one move; None: the player's own setting applies."""

    depth: int | None = None  # plies
    nodes: int | None = None  # nodes or simulations
    time_ms: float | None = None  # wall clock
    mate: int | None = None  # moves: the search ends when it has found a mate in so many

    def over(self, own: "Limits") -> "Limits":
        """A player's own limits, replaced where these, which were asked for, have one."""
        limits = {limit.name: getattr(self, limit.name) for limit in fields(self)}
        return replace(own, **{key: value for key, value in limits.items() if value is not None})


NO_LIMITS = Limits()


@dataclass(frozen=True)
class Choices:
    """One move per board, or the reason why there is none.

    A forfeit loses the game. Its reason is a word, with details after a colon: `crashed`, `time`,
    `illegal_move: e2e5`. The move of a forfeited game has no meaning.
    """

    moves: NDArray[np.uint16]  # [B] move codes
    forfeits: Mapping[int, str] = field(default_factory=lambda: NO_TEXTS)  # board -> reason
    # Board -> what the search found, for the records of a match; only players that search.
    comments: Mapping[int, str] = field(default_factory=lambda: NO_TEXTS)


@dataclass(frozen=True, kw_only=True)
class Analysis:
    """What a player says about a position, in the view of the side to move.

    None stands for what this player cannot say.
    """

    best: str  # UCI
    line: tuple[str, ...] = ()  # principal variation, beginning with `best`
    score_pawns: float | None = None
    mate_in: int | None = None  # moves; negative when the side to move is mated
    wdl: tuple[float, float, float] | None = None  # probabilities of win, draw, loss
    policy: Mapping[str, float] | None = None  # probability of each legal move
    # Probability of all legal moves together, from a net whose policy ranges over all moves.
    legal_mass: float | None = None
    visits: Mapping[str, int] | None = None  # of each legal move in a tree search
    depth: int | None = None  # plies
    nodes: int | None = None
    kept_nodes: int = 0  # those of `nodes` that an earlier search left behind
    hashfull: int | None = None  # per mille of the cache that is in use
    tbhits: int | None = None  # positions that were found in tablebases
    others: tuple["Analysis", ...] = ()  # the other moves, best first, if they are scored too


def ignore_analysis(_: Analysis) -> None:
    pass


@dataclass(frozen=True, kw_only=True)
class RootStatistics:
    """The root of a tree search under way, in the view of the side to move."""

    best: str  # UCI; the move that would be played now
    visits: int  # of the root; those that an earlier search left behind count
    best_visits: int
    second_visits: int  # of the most visited move beside the best
    value: float  # of the best move: win minus loss, from -1 to 1


@dataclass(frozen=True, kw_only=True)
class SearchRequest:
    """What a player is asked about one board, which must not be over."""

    board: Board
    seed: int = 0
    limits: Limits = NO_LIMITS
    temperature: float | None = None  # None: the player's own; so with the next
    exact_endings: bool | None = None  # whether a net without search knows what moves end
    # Numbers of the tree search, by their names in `SearchConfig`, in place of the player's own.
    search: Mapping[str, float] = field(default_factory=dict)
    threads: int = 1  # that the search may use
    root_moves: tuple[str, ...] | None = None  # UCI; the choice must be one of them; None: any
    # For evaluations that a player may keep from one request to the next, and share between
    # positions with different histories; None: it may keep what changes no answer.
    cache_mb: int | None = None
    is_fresh: bool = False  # nothing that earlier requests left behind may be used
    stop: Event = field(default_factory=Event)  # set from another thread to get an answer at once
    report: Callable[[Analysis], None] = ignore_analysis  # called with interim results
    # Asked by a tree search after every batch whether to end; it replaces the limit of time.
    is_enough: Callable[[RootStatistics], bool] | None = None

    def has_exact_endings(self, own: bool) -> bool:
        """As asked for, else the player's own setting."""
        return own if self.exact_endings is None else self.exact_endings


class Player(Protocol):
    """Players keep no state of a game: a board carries its whole history."""

    @property
    def name(self) -> str:
        """The full name with all settings: loading it gives the same player again."""

    @property
    def parallel_games(self) -> int:
        """How many boards one call of `choose` should get to be efficient."""

    def choose(
        self, boards: Sequence[Board], seeds: NDArray[np.uint64], limits: Limits = NO_LIMITS
    ) -> Choices:
        """Chooses a move for each board, none of which is over. Blocks.

        `seeds` [B] is the only source of randomness: the same board with the same seed gets the
        same move however boards are grouped into calls (external engines excepted).
        """

    def analyse(self, request: SearchRequest) -> Analysis:
        """Chooses a move for one board and explains it. Blocks until done or told to stop."""

    def close(self) -> None:
        """Ends processes and threads of the player; may be called more than once."""


def analyse(player: Player, board: Board, *, limits: Limits = NO_LIMITS, seed: int = 0) -> Analysis:
    """Asks a player about one board; ValueError if the game is over."""
    _check_not_over([board])
    return player.analyse(SearchRequest(board=board, seed=seed, limits=limits))


def choose(
    player: Player, boards: Sequence[Board], *, limits: Limits = NO_LIMITS, seed: int = 0
) -> Choices:
    """Asks a player for a move on each board; ValueError if one of the games is over.

    Board i gets the random number of (seed, i, plies played).
    """
    _check_not_over(boards)
    plies = np.array([len(board.moves) for board in boards], np.int64)
    return player.choose(boards, derive_seeds(seed, np.arange(len(boards)), plies), limits)


def _check_not_over(boards: Sequence[Board]) -> None:
    for number, board in enumerate(boards):
        outcome = board.outcome()
        if outcome is not None:
            raise ValueError(
                f"board {number} is over ({outcome.reason}); players move in games that go on"
            )


MAX_VALUE = 0.9999  # 20 pawns; a net may say 1 and more, which would be infinitely many


def pawns_of(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Values in [-1, 1] as scores in pawns, any shape: the inverse of `values_side_to_move`."""
    clipped = np.clip(values, -MAX_VALUE, MAX_VALUE)
    return np.float32(VALUE_SCALE_PAWNS) * np.arctanh(clipped)


# Players that score their moves, for others to learn from.

# A player with one of these settings plays moves that its scores do not explain.
RANDOM_SETTINGS = ("elo", "skill", "random", "temperature")
TEACHERS = (
    "teacher:depth=1..6, stockfish:nodes=N, uci:path=PROGRAM, the run of a Q-net and nets with "
    "sims=N can"
)


@dataclass(frozen=True, kw_only=True)
class Scoring:
    """A player's scores of moves. Like a player, it keeps no state of a game."""

    name: str  # the player's full name
    score: Callable[[Sequence[Board]], MoveScores]  # of boards that are not over; blocks
    parallel_games: int  # how many boards one call of `score` should get to be efficient
    close: Callable[[], None]  # ends processes and threads; may be called more than once


@runtime_checkable
class ScoringPlayer(Protocol):
    """A player that says what its moves are worth."""

    def scoring(self, best: int) -> Scoring:
        """Scores at least the `best` highest moves of a board, or all if there are fewer."""


def load_scoring(text: str, best: int) -> Scoring:
    """Loads a player as a teacher and tries it out; ValueError says why it cannot teach."""
    name = check_name(text)
    for key in RANDOM_SETTINGS:
        if key in name.settings:
            raise ValueError(
                f"{text} cannot teach: by {key}= it plays against its scores; {TEACHERS}"
            )
    player = load_player(text)
    if not isinstance(player, ScoringPlayer):
        player.close()
        raise ValueError(f"{text} cannot teach: it does not score its moves; {TEACHERS}")
    scoring = player.scoring(best)
    try:
        _try_out(scoring, best)
    except BaseException:
        scoring.close()
        raise
    return scoring


def _try_out(scoring: Scoring, best: int) -> None:
    """Scores the start position: only a search shows whether an engine knows MultiPV."""
    board = Board()
    wanted, found = min(best, len(board.legal_moves())), len(scoring.score([board]).moves)
    if found < wanted:
        raise ValueError(
            f"{scoring.name} cannot teach: of {wanted} moves of the start position it scored "
            f"{found}; it needs a higher limit, or has no MultiPV"
        )
