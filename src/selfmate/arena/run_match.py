"""From the first game to the report: resuming, stopping early, keeping pairs together."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from selfmate.arena.match import DEFAULT_MAX_PLIES, Match, PlayedGame, RunningGame
from selfmate.arena.match_log import Agreement, MatchLog, digest_of
from selfmate.arena.openings import Opening, read_openings, shipped_openings, shuffled
from selfmate.arena.report import MatchReport
from selfmate.arena.sitting import News, Sitting, StopAskedError
from selfmate.arena.sprt import Sprt
from selfmate.arena.tally import Tally
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
    """One match with its log on disk, and news of it for those who watch."""

    def __init__(
        self,
        players: tuple[Player, Player],
        settings: MatchSettings,
        log_folder: Path,
        resume: bool,
    ) -> None:
        self.players, self.settings = players, settings
        self.openings = _openings(settings)
        agreement = agree((players[0].name, players[1].name), settings)
        self.log = MatchLog(log_path(log_folder, agreement), agreement, resume)
        self._tally = Tally(self.log.games, settings.games, settings.sprt)
        self.stopped = False  # because somebody asked for it

    def play(self, on_game: Callable[[], None]) -> None:
        """Plays what is missing, calling `on_game` after every game."""
        sitting = Sitting(self.log.path)
        match = Match(
            self.players,
            self.openings,
            self.settings.seed,
            self.settings.max_plies,
            self.settings.adjudicate_pawns,
            watch=lambda game: sitting.tell(lambda: self._news(game)),
        )
        missing = [n for n in range(self.settings.games) if n not in self.log.games]
        try:
            for game in match.play([] if self._tally.decided else missing):
                self.log.add(game)
                self._tally.count()
                on_game()
                if self._tally.decided:
                    break
        except StopAskedError:
            self.stopped = True
        finally:
            sitting.end(self._news(None))
            self.log.close()

    def games(self) -> list[PlayedGame]:
        """The games that count: all of them, or with SPRT the pairs up to the decision."""
        return self._tally.counted()

    def report(self) -> MatchReport:
        """As things stand."""
        return self._tally.report()

    def _news(self, playing: RunningGame | None) -> News:
        return plan_news(self.settings.games, self.settings.sprt) | {
            "playing": playing
            and {
                "number": playing.number,
                "fen": playing.opening.fen,
                "moves": list(playing.board.moves),
            }
        }


def agree(players: tuple[str, str], settings: MatchSettings) -> Agreement:
    """What two players, by their full names, agree on before a match."""
    return Agreement(
        players=players,
        openings=digest_of(_openings(settings)),
        seed=settings.seed,
        max_plies=settings.max_plies,
        adjudicate_pawns=settings.adjudicate_pawns,
    )


def log_path(folder: Path, agreement: Agreement) -> Path:
    return folder / f"{agreement.digest()}.jsonl"


def plan_news(games: int, sprt: Sprt | None) -> News:
    """How far a match is to go, which its log does not say."""
    bounds = sprt and [sprt.elo0, sprt.elo1, sprt.alpha, sprt.beta]
    return {"games": games, "sprt": bounds}


def _openings(settings: MatchSettings) -> list[Opening]:
    openings = read_openings(settings.openings) if settings.openings else shipped_openings()
    return shuffled(openings, settings.seed)
