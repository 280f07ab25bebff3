"""A match on disk: its games are logged as they end, so that it can be resumed or extended.

Beside the log are two small files: NAME.json shows other processes how far the match is, and with
NAME.stop another process asks it to stop.
"""

import json
import math
import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from selfmate.arena.cluster_match import ClusterMatch
from selfmate.arena.match import (
    DEFAULT_MAX_PLIES,
    Match,
    MatchReport,
    MatchScore,
    PlayedGame,
    RunningGame,
)
from selfmate.arena.openings import (
    Opening,
    chess960_openings,
    read_openings,
    shipped_openings,
    shuffled,
)
from selfmate.arena.sprt import Sprt
from selfmate.cluster.pool import RayPool
from selfmate.players import Player
from selfmate.rules import Board
from selfmate.runs import CorruptError, take
from selfmate.runs.files import parse, pretty, read_plain, replace_file
from selfmate.runs.lines import LineReader, checked_line

MAX_PROGRESS_BYTES = 2**18
SECONDS_BETWEEN_UPDATES = 0.25

Progress = dict[str, Any]  # the contents of a progress file


@dataclass(frozen=True, kw_only=True)
class MatchSettings:
    games: int  # even: every opening is played with both colours
    seed: int = 1
    openings: Path | None = None  # None: the openings that ship
    chess960: bool = False  # start positions of Chess960 instead of openings
    max_plies: int = DEFAULT_MAX_PLIES  # after the opening
    adjudicate_pawns: int | None = None  # None: games are played out
    sprt: Sprt | None = None  # None: all games are played


class MatchRun:
    """One match with its log and progress file."""

    def __init__(
        self,
        players: tuple[Player, Player],
        settings: MatchSettings,
        log_folder: Path,
        resume: bool,
    ) -> None:
        """With `resume`, games of the log count; otherwise the log starts anew. ValueError if the
        log is damaged or another process plays this match."""
        self.players, self.settings = players, settings
        self.openings = _openings(settings)
        conditions = match_conditions((players[0].name, players[1].name), settings)
        self.log = MatchLog(log_path(log_folder, conditions), conditions, resume)
        self._score = MatchScore(self.log.games, settings.games, settings.sprt)
        self.stopped = False  # by request
        self.longest_running: RunningGame | None = None

    def play(
        self,
        on_game: Callable[[], None] = lambda: None,
        on_round: Callable[[], None] = lambda: None,
        should_stop: Callable[[], bool] = lambda: False,
        pool: RayPool | None = None,
    ) -> None:
        """Plays the missing games, by the workers of a pool if there is one. Blocks.

        Calls `on_game` after each game and `on_round` after each round of moves in all running
        games; stops then if `should_stop` says so. OSError if a game cannot be written to the log;
        it counts nevertheless.
        """
        session = MatchSession(self.log.path, should_stop)

        def watch(game: RunningGame | None) -> None:
            self.longest_running = game
            on_round()
            session.update(lambda: self._progress(game))

        match = Match(
            self.players,
            self.openings,
            self.settings.seed,
            self.settings.max_plies,
            self.settings.adjudicate_pawns,
            watch=watch,
        )
        missing = [n for n in range(self.settings.games) if n not in self.log.games]
        player = match if pool is None else ClusterMatch(pool, match, watch)
        try:
            for game in player.play([] if self._score.decided else missing):
                if game.forfeit and should_stop():  # its engine was ended with us
                    raise StopRequestedError
                self.log.add(game)
                self._score.count()
                on_game()
                if self._score.decided:
                    break
        except StopRequestedError:
            self.stopped = True
        finally:
            self.longest_running = None
            session.finish(self._progress(None))
            self.log.close()

    def games(self) -> list[PlayedGame]:
        """The games that count: all, or with SPRT the pairs up to the decision."""
        return self._score.counted()

    def report(self) -> MatchReport:
        """The report of the games that count so far."""
        return self._score.report()

    def _progress(self, game: RunningGame | None) -> Progress:
        return match_plan(self.settings.games, self.settings.sprt) | {
            "playing": game
            and {
                "number": game.number,
                "fen": game.opening.fen,
                "moves": list(game.board.moves),
            }
        }


def match_plan(games: int, sprt: Sprt | None) -> Progress:
    """How long a match is to be: in its progress file, because it may change from one session to
    the next."""
    bounds = sprt and [sprt.elo0, sprt.elo1, sprt.alpha, sprt.beta]
    return {"games": games, "sprt": bounds}


def _openings(settings: MatchSettings) -> list[Opening]:
    if settings.chess960 and settings.openings:
        raise ValueError("a match has openings of a file or starts of Chess960, not both")
    if settings.chess960:
        return shuffled(chess960_openings(), settings.seed)
    openings = read_openings(settings.openings) if settings.openings else shipped_openings()
    return shuffled(openings, settings.seed)


@dataclass(frozen=True, kw_only=True)
class MatchConditions:
    """All that decides the games of a match. Their number is not part of it, so that a match can
    be extended."""

    players: tuple[str, str]  # full names
    openings: str  # digest of the openings in their order
    seed: int
    max_plies: int
    adjudicate_pawns: int | None = None

    def digest(self) -> str:
        return sha256(json.dumps(asdict(self)).encode()).hexdigest()[:12]


def match_conditions(players: tuple[str, str], settings: MatchSettings) -> MatchConditions:
    """The conditions of a match between two players with these full names."""
    return MatchConditions(
        players=players,
        openings=digest_of(_openings(settings)),
        seed=settings.seed,
        max_plies=settings.max_plies,
        adjudicate_pawns=settings.adjudicate_pawns,
    )


def digest_of(openings: list[Opening]) -> str:
    """Short digest of openings and their order."""
    text = "\n".join(f"{opening.fen} {' '.join(opening.moves)}" for opening in openings)
    return sha256(text.encode()).hexdigest()[:12]


def log_path(folder: Path, conditions: MatchConditions) -> Path:
    return folder / f"{conditions.digest()}.jsonl"


class MatchLog:
    """The games of a match, one JSON object a line after a first line with the conditions.

    The file is append-only and locked while it is open: ValueError if another process has it.
    """

    def __init__(self, path: Path, conditions: MatchConditions, resume: bool) -> None:
        """Without `resume` the log starts anew. A last line that was cut off is dropped."""
        self.path = path
        self.games: dict[int, PlayedGame] = {}
        self.notice: str | None = None  # a sentence about games without a checksum
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file: IO[bytes] = path.open("a+b")
        try:
            kept_bytes = self._read(conditions, resume)
            self._file.truncate(kept_bytes)
            if not kept_bytes:
                self._write({"agreement": _as_json(conditions)})
        except BaseException:
            self.close()
            raise

    def add(self, game: PlayedGame) -> None:
        """Logs a game; it is on disk when this returns."""
        self.games[game.number] = game
        self._write(asdict(game))

    def close(self) -> None:
        with suppress(OSError):  # what a full disk did not take was reported when it was written
            self._file.close()

    def _read(self, conditions: MatchConditions, resume: bool) -> int:
        """Locks the file and fills `games`; returns how many bytes of the file to keep."""
        if not take(self._file.fileno()):
            raise ValueError(f"this match is being played by another process: {self.path}")
        if not resume:
            return 0
        self._file.seek(0)
        kept_bytes, reader = 0, LineReader(str(self.path))
        for number, line in enumerate(self._file, start=1):
            if not line.endswith(b"\n"):
                break
            try:
                entry = reader.read(line)
                found = entry["agreement"] if number == 1 else _replayed(entry)
            except (KeyError, TypeError, ValueError, RecursionError) as error:
                reason = fault_of(error)
                raise ValueError(f"{self.path}, line {number} is damaged: {reason}") from error
            if isinstance(found, PlayedGame):
                self.games[found.number] = found
            elif found != _as_json(conditions):
                raise ValueError(f"{self.path} is the log of another match: {str(found)[:200]}")
            kept_bytes += len(line)
        self.notice = reader.unchecked_notice()
        return kept_bytes

    def _write(self, entry: dict[str, Any]) -> None:
        try:
            self._file.write(checked_line(entry))
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.path)) from error


def _as_json(conditions: MatchConditions) -> Any:
    """As they read back from JSON, where tuples are lists."""
    return json.loads(json.dumps(asdict(conditions)))


def parse_conditions(entry: dict[str, Any]) -> MatchConditions:
    """The first line of a log; KeyError, TypeError or ValueError if it is not one."""
    fields = entry["agreement"]
    a, b = fields["players"]
    return MatchConditions(**fields | {"players": (str(a), str(b))})


def parse_game(entry: dict[str, Any]) -> PlayedGame:
    """Any other line of a log; KeyError, TypeError or ValueError if it is not one."""
    opening = entry["opening"]
    if entry["result"] not in (1, 0, -1):
        raise ValueError(f"the result is {str(entry['result'])[:20]}, not 1, 0 or -1")
    return PlayedGame(
        number=int(entry["number"]),
        opening=Opening(opening["fen"], tuple(opening["moves"])),
        moves=tuple(entry["moves"]),
        result=int(entry["result"]),
        reason=str(entry["reason"]),
        forfeit=bool(entry["forfeit"]),
        comments=tuple(map(str, entry.get("comments", ()))),
    )


def _replayed(entry: dict[str, Any]) -> PlayedGame:
    """As `parse_game`; its moves can be played."""
    game = parse_game(entry)
    board = Board(game.opening.fen)
    for move in game.moves:
        board.push(move, past_draw=True)
    return game


def fault_of(error: Exception) -> str:
    """What is wrong with a line, in words."""
    match error:
        case KeyError():
            return f"it has no {error}"
        case TypeError():
            return "a value is of the wrong kind"
        case _:
            return str(error)


class StopRequestedError(Exception):
    """The session was asked to stop."""


class MatchSession:
    """One process at work on a match or a rating, which others can watch and stop.

    `path` is the match's log or the rating's pool, which the process has locked.
    """

    def __init__(self, path: Path, should_stop: Callable[[], bool] = lambda: False) -> None:
        """`should_stop` is asked beside the file with which other processes stop the session."""
        self._path, self._should_stop = path, should_stop
        self._updated_at = -math.inf
        stop_path(path).unlink(missing_ok=True)  # a request that came too late for the last session

    def update(self, progress: Callable[[], Progress]) -> None:
        """Writes the progress file a few times a second, however often it is called.

        StopRequestedError when the session should stop.
        """
        if self._should_stop():
            raise StopRequestedError
        now = time.monotonic()
        if now - self._updated_at < SECONDS_BETWEEN_UPDATES:
            return
        self._updated_at = now
        self._write(progress())
        if stop_path(self._path).exists():
            raise StopRequestedError

    def finish(self, progress: Progress) -> None:
        self._write(progress)
        stop_path(self._path).unlink(missing_ok=True)

    def _write(self, progress: Progress) -> None:
        with suppress(OSError):  # no game is given up because nobody can watch it
            write_progress(self._path, progress)


def progress_path(path: Path) -> Path:
    return path.with_suffix(".json")


def stop_path(path: Path) -> Path:
    return path.with_suffix(".stop")


def write_progress(path: Path, progress: Progress) -> None:
    replace_file(progress_path(path), pretty(progress), durable=False)


def read_progress(path: Path) -> Progress:
    """What the last session wrote; empty if there is no progress file, or a damaged one."""
    try:
        return parse(read_plain(progress_path(path), MAX_PROGRESS_BYTES), progress_path(path).name)
    except CorruptError:
        return {}


def request_stop(path: Path) -> None:
    """Asks the session that works on a log or pool to stop."""
    stop_path(path).touch()
