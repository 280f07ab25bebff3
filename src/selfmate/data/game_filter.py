"""Which recorded games are worth learning from, and how they ended."""

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from selfmate.rules import REASONS, Board, GameRecords

# Kinds of ending; chunks store the index.
ENDINGS = (
    "checkmate",
    "stalemate",
    "material",  # neither side can mate
    "fifty moves",
    "repetition",
    "adjudication",
    "agreement",
    "resignation",
    "untold",  # there is a result, but nothing says how it came about
)
CODES = {ending: code for code, ending in enumerate(ENDINGS)}

# Endings on the board, by the names of selfmate.rules.REASONS.
_BOARD_ENDINGS = {
    "checkmate": CODES["checkmate"],
    "stalemate": CODES["stalemate"],
    "insufficient_material": CODES["material"],
    "fifty_moves": CODES["fifty moves"],
    "threefold_repetition": CODES["repetition"],
}
# Endings by words of the Termination tag, as the PGN standard, match programs and servers write
# them. The first match counts.
_TERMINATION_ENDINGS = (
    (re.compile(r"repetition|3-fold|threefold"), CODES["repetition"]),
    (re.compile(r"50[- ]move|fifty"), CODES["fifty moves"]),
    (re.compile(r"material"), CODES["material"]),
    (re.compile(r"adjudic|rule|\btb\b|tablebase|syzygy|mate in"), CODES["adjudication"]),
    (re.compile(r"agree"), CODES["agreement"]),
    (re.compile(r"resign"), CODES["resignation"]),
)
# Terminations after which the result says little about the last position.
_INTERRUPTED = re.compile(
    r"\btime[sd]?\b|timeout|forfeit|abandon|abort|stall|connect|illegal|infraction|withdr|crash"
    r"|unterminated|interrupt|emergency|death|default|no[- ]show"
)

# Classes of time controls by a player's expected seconds for a game, as Lichess draws the lines.
TIME_CONTROLS = ("bullet", "blitz", "rapid", "classical", "correspondence")
_BLITZ_S, _RAPID_S, _CLASSICAL_S = 180, 480, 1500
_EXPECTED_MOVES = 40
_PERIOD = re.compile(r"(?:\d+/)?(\d+(?:\.\d+)?)(?:\+(\d+(?:\.\d+)?))?")

UNKNOWN_RESULT = -128
NOT_RATED = 0
START_FEN = Board().fen()

# Reasons for dropping a game, as manifests and dropped.tsv name them. The first that holds counts.
FAULTY = "error"
NO_RESULT = "no result"
WEAK = "low rating"
UNRATED = "no rating"
OTHER_TIME = "other time control"
SHORT = "too short"  # no position is left after skip_plies
OTHER_START = "other start"
OTHER_PLAYERS = "other players"
BROKEN_OFF = "broken off"  # by time, an illegal move, a disconnected program or player
REPEATED = "repeated"  # the same moves as an earlier game


def time_control_of(tag: str) -> str | None:
    """The class of a TimeControl tag such as `180+2`, `40/7200:3600` or `-`; None if it says
    nothing. Seconds of all periods are added up, and those of the increment for 40 moves."""
    if tag == "-":
        return "correspondence"
    periods = [_PERIOD.fullmatch(period.strip()) for period in tag.split(":")]
    seconds = 0.0
    for period in periods:
        if period is None:
            return None
        seconds += float(period[1]) + _EXPECTED_MOVES * float(period[2] or 0)
    limits = (_BLITZ_S, _RAPID_S, _CLASSICAL_S)
    return TIME_CONTROLS[sum(seconds >= limit for limit in limits)]


def ending_of(reason: str, termination: str) -> int | None:
    """The index into ENDINGS of how a game ended, from its moves and its Termination tag.

    None when the game was interrupted: by time, an illegal move, a program or player that left.
    """
    if reason in _BOARD_ENDINGS:
        return _BOARD_ENDINGS[reason]
    text = termination.lower()
    if _INTERRUPTED.search(text):
        return None
    found = (code for pattern, code in _TERMINATION_ENDINGS if pattern.search(text))
    return next(found, CODES["untold"])


@dataclass(frozen=True)
class RejectedGame:
    """A game that did not pass the filter, by its index in the records."""

    game: int
    reason: str
    detail: str = ""


@dataclass(frozen=True)
class FilterResult:
    """The games that passed the filter, and those that did not."""

    games: NDArray[np.int64]  # [K] indices in the records, ascending
    endings: NDArray[np.uint8]  # [K] indices into ENDINGS
    rejected: list[RejectedGame]


@dataclass(frozen=True, kw_only=True)
class GameFilter:
    """Conditions on ratings, time control, length, start and ending of a game."""

    least_elo: int = 2200  # minimum rating of both players; 0 ignores ratings
    unrated: bool = False  # whether a missing rating passes
    skip_plies: int = 24  # plies at the start of a game whose positions are not used
    any_start: bool = False  # whether a game may start from any position of standard chess
    time_controls: frozenset[str] = frozenset()  # of TIME_CONTROLS; none: any, and none at all
    player: str = ""  # only games of this player, and only positions in which it moves; "": all

    def table(self) -> dict[str, int | float | bool | str]:
        """As manifests keep it: conditions that version 0.1 did not know only if they are set."""
        known = {key: getattr(self, key) for key in ("least_elo", "unrated", "skip_plies")}
        chosen = [name for name in TIME_CONTROLS if name in self.time_controls]
        known |= {"any_start": True} if self.any_start else {}
        known |= {"player": self.player} if self.player else {}
        return known | ({"time_controls": ",".join(chosen)} if chosen else {})

    def movers(self, records: GameRecords, game: int) -> tuple[bool, bool]:
        """Whether White's and Black's positions of a game are used; case does not matter."""
        if not self.player:
            return True, True
        tags, wanted = records.tags(game), self.player.casefold()
        white, black = (tags.get(side, "").strip().casefold() for side in ("White", "Black"))
        return white == wanted, black == wanted

    def apply(self, records: GameRecords) -> FilterResult:
        games, endings, rejected = list[int](), list[int](), list[RejectedGame]()
        for game, known in enumerate(self._reasons(records)):
            reason, detail, ending = known, "", None
            if reason is None and self.time_controls:
                detail = records.tags(game).get("TimeControl", "")
                is_wanted = time_control_of(detail) in self.time_controls
                reason = None if is_wanted else OTHER_TIME
            if reason is None and not any(self.movers(records, game)):
                reason = OTHER_PLAYERS
            if reason is None and not self._may_start_from(records.start_fen(game)):
                reason = OTHER_START
            if reason is None:
                detail = _termination(records, game)
                ending = ending_of(REASONS[records.reasons[game]], detail)
                reason = BROKEN_OFF if ending is None else None
            if ending is None:
                rejected.append(RejectedGame(game, str(reason), detail))
            else:
                games.append(game)
                endings.append(ending)
        return FilterResult(np.array(games, np.int64), np.array(endings, np.uint8), rejected)

    def _may_start_from(self, fen: str) -> bool:
        return fen == START_FEN or (self.any_start and not Board(fen).chess960)

    def _reasons(self, records: GameRecords) -> list[str | None]:
        """For each game the first reason to reject it that its numbers give, or None."""
        elo = np.stack([records.white_elo, records.black_elo])
        rated = elo != NOT_RATED
        needs_rating = self.least_elo > 0 and not self.unrated
        reasons = np.select(
            [
                records.results == UNKNOWN_RESULT,
                np.any(rated & (elo < self.least_elo), axis=0),
                np.any(~rated, axis=0) & needs_rating,
                np.diff(records.offsets) <= self.skip_plies,
            ],
            [NO_RESULT, WEAK, UNRATED, SHORT],
            "",
        )
        return [reason or None for reason in reasons.tolist()]


def _termination(records: GameRecords, game: int) -> str:
    tags = records.tags(game)
    texts = (tags.get("Termination", ""), tags.get("TerminationDetails", ""))
    return ", ".join(text for text in texts if text)
