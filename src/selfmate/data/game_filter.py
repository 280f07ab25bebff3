"""Which recorded games are worth learning from."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from selfmate.data.endings import ending_of
from selfmate.rules import REASONS, Board, GameRecords

UNKNOWN_RESULT = -128
NOT_RATED = 0
START_FEN = Board().fen()

# Why games are left out, as reports say it. The first reason that holds counts.
FAULTY = "error"
NO_RESULT = "no result"
WEAK = "low rating"
UNRATED = "no rating"
SHORT = "too short"  # no position is left of it
OTHER_START = "other start"
BROKEN_OFF = "broken off"  # by time, an illegal move, a program or player that was gone
REPEATED = "repeated"  # the same moves as an earlier game


@dataclass(frozen=True)
class LeftOut:
    """A game of some records, and why."""

    game: int
    reason: str
    detail: str = ""


@dataclass(frozen=True)
class Sifted:
    """What is kept of some records, and what is not."""

    games: NDArray[np.int64]  # [K] their numbers in the records, rising
    endings: NDArray[np.uint8]  # [K]
    left_out: list[LeftOut]


@dataclass(frozen=True, kw_only=True)
class GameFilter:
    least_elo: int = 2200  # of both players; with 0 ratings do not matter
    unrated: bool = False  # a missing rating is as good as any
    skip_plies: int = 24  # the positions before are not wanted

    def sift(self, records: GameRecords) -> Sifted:
        games, endings, left_out = list[int](), list[int](), list[LeftOut]()
        for game, known in enumerate(self._faults(records)):
            fault, detail, ending = known, "", None
            if fault is None and records.start_fen(game) != START_FEN:
                fault = OTHER_START
            if fault is None:
                detail = _termination(records, game)
                ending = ending_of(REASONS[records.reasons[game]], detail)
                fault = BROKEN_OFF if ending is None else None
            if ending is None:
                left_out.append(LeftOut(game, str(fault), detail))
            else:
                games.append(game)
                endings.append(ending)
        return Sifted(np.array(games, np.int64), np.array(endings, np.uint8), left_out)

    def _faults(self, records: GameRecords) -> list[str | None]:
        """What the arrays tell, a reason or None for each game."""
        elo = np.stack([records.white_elo, records.black_elo])
        rated = elo != NOT_RATED
        asked = self.least_elo > 0
        faults = np.select(
            [
                records.results == UNKNOWN_RESULT,
                np.any(rated & (elo < self.least_elo), axis=0),
                np.any(~rated, axis=0) & (asked and not self.unrated),
                np.diff(records.offsets) <= self.skip_plies,
            ],
            [NO_RESULT, WEAK, UNRATED, SHORT],
            "",
        )
        return [fault or None for fault in faults.tolist()]


def _termination(records: GameRecords, game: int) -> str:
    tags = records.tags(game)
    told = (tags.get("Termination", ""), tags.get("TerminationDetails", ""))
    return ", ".join(text for text in told if text)
