"""The Match view: matches in the runs folder, whichever process started them.

Each match that runs is a process of its own, which outlives the lab.
"""

import io
import threading
from collections.abc import Hashable, Iterator
from dataclasses import astuple, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import APIRouter
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from selfmate.arena.match import DEFAULT_MAX_PLIES, MatchReport, PlayedGame, write_match_pgn
from selfmate.arena.match_run import (
    MatchLog,
    MatchSettings,
    log_path,
    match_conditions,
    match_plan,
    progress_path,
    request_stop,
    write_progress,
)
from selfmate.arena.sprt import parse_sprt
from selfmate.lab.errors import BusyError, NotFoundError
from selfmate.lab.job import Job
from selfmate.lab.match_file import (
    GameRecord,
    GameRow,
    LiveGame,
    MatchFile,
    ScoreCurve,
    game_record,
    game_row,
)
from selfmate.lab.players import CommandLineNames
from selfmate.runs import is_taken

MAX_RUNNING = 4
MAX_LISTED = 100
MAX_IN_MEMORY = 16  # matches whose games are kept
NEWEST_GAMES = 30
MAX_GAMES = 10_000
MAX_ROWS = 200
MAX_SEED = 2**63 - 1

MatchState = Literal["running", "starting", "finished", "failed", "stopped"]


class MatchRow(TypedDict):
    """A match in the list, topic `matches`."""

    id: str
    players: tuple[str, str]
    state: MatchState
    done: int
    total: int
    wins: int
    draws: int
    losses: int
    updated: str
    damage: str | None  # a sentence about a line of its log that cannot be read


class MatchData(TypedDict):
    """The topic `match:ID`."""

    id: str
    players: tuple[str, str]
    seed: int
    max_plies: int
    state: MatchState
    problem: str | None
    damage: str | None
    done: int
    total: int
    report: MatchReport
    history: ScoreCurve
    newest: list[GameRow]
    playing: LiveGame | None


class Matches:
    """A topic as well: `matches`, the newest first."""

    def __init__(self, folder: Path, names: CommandLineNames) -> None:
        self.folder, self._names = folder, names
        self._jobs: dict[str, Job] = {}
        self._files: dict[str, MatchFile] = {}
        self._rows: dict[str, tuple[Hashable, MatchRow]] = {}
        self._starting = threading.Lock()

    # ---- starting and stopping

    def start(self, a: str, b: str, settings: MatchSettings, *, new_seed: bool) -> str:
        """The match's name. A match that was played in part is resumed; with `new_seed` the first
        seed is taken that these two have not played yet."""
        players = (self._names.name(a), self._names.name(b))
        with self._starting:
            conditions = match_conditions(players, settings)
            while new_seed and log_path(self.folder, conditions).exists():
                settings = replace(settings, seed=settings.seed + 1)
                conditions = match_conditions(players, settings)
            path = log_path(self.folder, conditions)
            self._check_free(path.stem)
            MatchLog(path, conditions, resume=True).close()
            self._play(path.stem, settings)
        return path.stem

    def resume(self, name: str, games: int | None) -> None:
        """Plays the games that are missing, or more than were planned."""
        match = self.file(name)
        conditions = match.conditions
        settings = MatchSettings(
            games=games or match.total,
            seed=conditions.seed,
            max_plies=conditions.max_plies,
            adjudicate_pawns=conditions.adjudicate_pawns,
            sprt=match.sprt,
        )
        a, b = (self._names.name(self._names.shown(player)) for player in conditions.players)
        if match_conditions((a, b), settings) != conditions:
            raise ValueError(
                "this match was started elsewhere, with other openings or players; resume it with "
                "selfmate match --resume"
            )
        with self._starting:
            self._check_free(name)
            self._play(name, settings)

    def stop(self, name: str) -> None:
        path = self.path(name)
        job = self._jobs.get(name)
        if is_taken(path):
            request_stop(path)
        elif job is not None and job.runs:
            job.end()

    def _check_free(self, name: str) -> None:
        """BusyError while it is being played. Waits for a process that is only closing players."""
        job = self._jobs.get(name)
        if job is not None or is_taken(self.folder / f"{name}.jsonl"):
            match = self.file(name)
            if is_taken(match.path) or self._is_starting(match):
                raise BusyError("this match is being played already")
        if job is not None:
            job.wait()
        if sum(job.runs for job in self._jobs.values()) >= MAX_RUNNING:
            raise BusyError(f"{MAX_RUNNING} matches are being played: wait for one, or stop it")

    def _play(self, name: str, settings: MatchSettings) -> None:
        path = self.folder / f"{name}.jsonl"
        match = self.file(name)
        settings = replace(settings, games=max(settings.games, match.known))
        write_progress(path, match_plan(settings.games, settings.sprt))
        a, b = match.conditions.players
        self._jobs[name] = Job(
            [*("match", a, b, "--log", self._names.path(self.folder)), *_options(settings)],
            self._names.folder,
        )

    # ---- one match

    def path(self, name: str) -> Path:
        """Names are looked up among the files, so that none leads out of the folder."""
        for path in self.folder.glob("*.jsonl") if self.folder.is_dir() else ():
            if path.stem == name:
                return path
        raise NotFoundError(f"there is no match {name[:80]!r}")

    def file(self, name: str) -> MatchFile:
        """The match as it is now. NotFoundError when there is none."""
        path = self.path(name)
        match = self._files.get(name)
        if match is not None:
            match.refresh()
            return match
        match = self._files[name] = MatchFile(path)
        for oldest in list(self._files)[:-MAX_IN_MEMORY]:
            self._files.pop(oldest, None)
        return match

    def state(self, match: MatchFile) -> MatchState:
        if is_taken(match.path):
            return "running"
        if self._is_starting(match):
            return "starting"
        if match.score.over:
            return "finished"
        return "failed" if self.problem(match) else "stopped"

    def _is_starting(self, match: MatchFile) -> bool:
        """Whether a process of this lab is loading the players."""
        job = self._jobs.get(match.path.stem)
        return job is not None and job.runs and not match.begun

    def problem(self, match: MatchFile) -> str | None:
        job = self._jobs.get(match.path.stem)
        return job.problem() if job is not None else None

    def shown(self, match: MatchFile) -> tuple[str, str]:
        a, b = match.conditions.players
        return self._names.shown(a), self._names.shown(b)

    def change(self, path: Path) -> Hashable:
        """Another value whenever something about a match has changed."""
        job = self._jobs.get(path.stem)
        return (
            *(_stamp(file) for file in (path, progress_path(path))),
            is_taken(path),
            job is not None and job.runs,
        )

    # ---- all matches

    def version(self) -> Hashable:
        return tuple((path.stem, self.change(path)) for path in self._newest())

    def data(self) -> list[MatchRow]:
        rows = []
        for path in self._newest():
            change = self.change(path)
            known = self._rows.get(path.stem)
            if known is None or known[0] != change:
                try:
                    known = (change, self._row(path.stem))
                except (ValueError, LookupError, OSError):  # not a log, or deleted by now
                    continue
                self._rows[path.stem] = known
            rows.append(known[1])
        return rows

    def _row(self, name: str) -> MatchRow:
        was_in_memory = name in self._files
        match = self.file(name)
        state = self.state(match)
        if not was_in_memory and state not in ("running", "starting"):
            self._files.pop(name, None)
        report = match.score.report()
        return {
            "id": name,
            "players": self.shown(match),
            "state": state,
            "done": len(match.games),
            "total": match.total,
            "wins": report.wins,
            "draws": report.draws,
            "losses": report.losses,
            "updated": datetime.fromtimestamp(match.path.stat().st_mtime, UTC).isoformat(),
            "damage": match.damage,
        }

    def _newest(self) -> list[Path]:
        if not self.folder.is_dir():
            return []
        found = self.folder.glob("*.jsonl")
        logs = ((_stamp(path), path) for path in found if path.stem.isprintable())
        return [path for _, path in sorted(logs, reverse=True)[:MAX_LISTED]]


def _options(settings: MatchSettings) -> list[str]:
    options = ["--resume", "--json", "--games", str(settings.games), "--seed", str(settings.seed)]
    options += ["--max-plies", str(settings.max_plies)]
    if settings.adjudicate_pawns is not None:
        options += ["--adjudicate", str(settings.adjudicate_pawns)]
    if settings.sprt is not None:
        options += ["--sprt", ",".join(f"{bound:g}" for bound in astuple(settings.sprt))]
    return options


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return (0, 0)
    return (found.st_mtime_ns, found.st_size)


class MatchTopic:
    def __init__(self, matches: Matches, name: str) -> None:
        self._matches, self._name = matches, name

    def version(self) -> Hashable:
        return self._matches.change(self._matches.path(self._name))

    def data(self) -> MatchData:
        match = self._matches.file(self._name)
        state = self._matches.state(match)
        return {
            "id": self._name,
            "players": self._matches.shown(match),
            "seed": match.conditions.seed,
            "max_plies": match.conditions.max_plies,
            "state": state,
            "problem": self._matches.problem(match) if state == "failed" else None,
            "damage": match.damage,
            "done": len(match.games),
            "total": match.total,
            "report": match.score.report(),
            "history": match.history.curve(),
            "newest": [game_row(match.games[n]) for n in match.order[: -NEWEST_GAMES - 1 : -1]],
            "playing": match.live_game() if state == "running" else None,
        }


# ---- requests


PlayerName = Annotated[str, Field(max_length=300)]
GameCount = Annotated[int, Field(ge=2, le=MAX_GAMES)]


class NewMatch(BaseModel):
    """Without a seed the match gets the first one that these two have not played yet."""

    model_config = ConfigDict(extra="forbid")

    a: PlayerName
    b: PlayerName
    games: GameCount
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)] | None = None
    sprt: Annotated[str, Field(max_length=80)] | None = None  # as for `selfmate match`
    max_plies: Annotated[int, Field(ge=1, le=2000)] = DEFAULT_MAX_PLIES

    def settings(self) -> MatchSettings:
        return MatchSettings(
            games=self.games + self.games % 2,
            seed=1 if self.seed is None else self.seed,
            max_plies=self.max_plies,
            sprt=parse_sprt(self.sprt) if self.sprt else None,
        )


class ResumedMatch(BaseModel):
    model_config = ConfigDict(extra="forbid")

    games: GameCount | None = None  # in total; None: as planned


class MatchId(TypedDict):
    id: str


def match_routes(matches: Matches) -> APIRouter:
    router = APIRouter(prefix="/api/matches")

    @router.get("")
    def all_matches() -> list[MatchRow]:
        return matches.data()

    @router.post("")
    def start(new: NewMatch) -> MatchId:
        name = matches.start(new.a, new.b, new.settings(), new_seed=new.seed is None)
        return {"id": name}

    @router.post("/{name}/stop")
    def stop(name: str) -> MatchId:
        matches.stop(name)
        return {"id": name}

    @router.post("/{name}/resume")
    def resume(name: str, resumed: ResumedMatch) -> MatchId:
        matches.resume(name, resumed.games and resumed.games + resumed.games % 2)
        return {"id": name}

    @router.get("/{name}/games")
    def games(name: str, older_than: int = 0) -> list[GameRow]:
        """Newest first, without the `older_than` newest ones."""
        match = matches.file(name)
        numbers = match.order[::-1][max(older_than, 0) :][:MAX_ROWS]
        return [game_row(match.games[number]) for number in numbers]

    @router.get("/{name}/games/{number}")
    def game(name: str, number: int) -> GameRecord:
        found = matches.file(name).games.get(number)
        if found is None:
            raise NotFoundError(f"there is no game {number + 1} in this match yet")
        return game_record(found)

    @router.get("/{name}/pgn")
    def pgn(name: str) -> StreamingResponse:
        return StreamingResponse(
            _pgn(matches, name),
            media_type="application/x-chess-pgn",
            headers={"Content-Disposition": f'attachment; filename="match-{quote(name)}.pgn"'},
        )

    return router


def _pgn(matches: Matches, name: str) -> Iterator[str]:
    """Games that cannot be played are left out with a comment, so that the others can be read."""
    match = matches.file(name)
    a, b = matches.shown(match)
    changed = datetime.fromtimestamp(match.path.stat().st_mtime, UTC).strftime("%Y.%m.%d")

    def text(game: PlayedGame) -> str:
        file = io.StringIO()
        try:
            write_match_pgn([game], (a, b), file, date=changed, seed=match.conditions.seed)
        except ValueError as error:
            reason = " ".join(str(error).split())
            return f"; game {game.number + 1} is left out, for it is damaged: {reason}\n\n"
        return file.getvalue()

    return map(text, match.score.counted())
