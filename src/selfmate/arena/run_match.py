"""From the first game to the report: resuming, stopping early, keeping pairs together."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from selfmate.arena.match import DEFAULT_MAX_PLIES, Match, PlayedGame
from selfmate.arena.match_log import Agreement, MatchLog, digest_of
from selfmate.arena.openings import Opening, read_openings, shipped_openings, shuffled
from selfmate.arena.report import MatchReport, make_report, pair_counts
from selfmate.arena.sprt import Sprt
from selfmate.players import Player


@dataclass(frozen=True, kw_only=True)
class MatchSettings:
    games: int  # even: every opening is played by both sides
    seed: int = 1
    openings: Path | None = None  # None: the shipped set
    max_plies: int = DEFAULT_MAX_PLIES
    adjudicate_pawns: int | None = None
    sprt: Sprt | None = None


class MatchRun:
    """One match with its log on disk."""

    def __init__(
        self,
        players: tuple[Player, Player],
        settings: MatchSettings,
        log_folder: Path,
        resume: bool,
    ) -> None:
        self.players, self.settings = players, settings
        self.openings = _openings(settings)
        agreement = Agreement(
            players=(players[0].name, players[1].name),
            openings=digest_of(self.openings),
            seed=settings.seed,
            max_plies=settings.max_plies,
            adjudicate_pawns=settings.adjudicate_pawns,
        )
        self.log = MatchLog(log_folder / f"{agreement.digest()}.jsonl", agreement, resume)
        self._counted: list[PlayedGame] = []
        self._decided = False
        self._count_pairs()

    def play(self, on_game: Callable[[], None]) -> None:
        """Plays what is missing, calling `on_game` after every game."""
        match = Match(
            self.players,
            self.openings,
            self.settings.seed,
            self.settings.max_plies,
            self.settings.adjudicate_pawns,
        )
        missing = [n for n in range(self.settings.games) if n not in self.log.games]
        try:
            for game in match.play([] if self._decided else missing):
                self.log.add(game)
                self._count_pairs()
                on_game()
                if self._decided:
                    break
        finally:
            self.log.close()

    def games(self) -> list[PlayedGame]:
        """The games that count: all of them, or with SPRT the pairs up to the decision."""
        if self.settings.sprt is not None:
            return list(self._counted)
        numbers = sorted(n for n in self.log.games if n < self.settings.games)
        return [self.log.games[n] for n in numbers]

    def report(self) -> MatchReport:
        """As things stand."""
        return make_report(self.games(), self.settings.sprt)

    def _count_pairs(self) -> None:
        """Counts complete pairs in the order of their numbers, not as they happen to end.

        So the same seed gives the same verdict of SPRT however many games run at once.
        """
        if self.settings.sprt is None:
            return
        while not self._decided:
            first = len(self._counted)
            pair = [self.log.games.get(first), self.log.games.get(first + 1)]
            if first >= self.settings.games or None in pair:
                return
            self._counted += [game for game in pair if game is not None]
            self._decided = self.settings.sprt.verdict(pair_counts(self._counted)) is not None


def _openings(settings: MatchSettings) -> list[Opening]:
    openings = read_openings(settings.openings) if settings.openings else shipped_openings()
    return shuffled(openings, settings.seed)
