"""The matches of the lab: those logged in its runs folder, whoever started them. Each one that is
being played is a process of its own, which outlives the lab."""

import threading
from collections.abc import Hashable
from dataclasses import astuple, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from selfmate.arena.match_log import MatchLog
from selfmate.arena.run_match import MatchSettings, agree, log_path, plan_news
from selfmate.arena.sitting import ask_to_stop, news_path, write_news
from selfmate.lab.errors import BusyError, NotThereError
from selfmate.lab.job import Job
from selfmate.lab.match.match_file import MatchFile
from selfmate.lab.outside import Outside
from selfmate.runs.lock import is_taken

MOST_AT_ONCE = 4
MOST_LISTED = 100
MOST_FOLLOWED = 16  # whose games are kept in memory


class Matches:
    """A topic as well: `matches`, the newest first."""

    def __init__(self, folder: Path, outside: Outside) -> None:
        self.folder, self._outside = folder, outside
        self._jobs: dict[str, Job] = {}
        self._files: dict[str, MatchFile] = {}
        self._rows: dict[str, tuple[Hashable, dict[str, Any]]] = {}
        self._starting = threading.Lock()

    def start(self, a: str, b: str, settings: MatchSettings, *, new_seed: bool) -> str:
        """The match's name. One that was played in part goes on; with `new_seed` it is one that
        has not been played at all."""
        players = (self._outside.name(a), self._outside.name(b))
        with self._starting:
            agreement = agree(players, settings)
            while new_seed and log_path(self.folder, agreement).exists():
                settings = replace(settings, seed=settings.seed + 1)
                agreement = agree(players, settings)
            path = log_path(self.folder, agreement)
            self._check_free(path.stem)
            MatchLog(path, agreement, resume=True).close()
            self._play(path.stem, settings)
        return path.stem

    def go_on(self, name: str, games: int | None) -> None:
        """With what is missing, or with more games than were planned."""
        match = self.file(name)
        agreement = match.agreement
        settings = MatchSettings(
            games=games or match.total,
            seed=agreement.seed,
            max_plies=agreement.max_plies,
            adjudicate_pawns=agreement.adjudicate_pawns,
            sprt=match.sprt,
        )
        a, b = (self._outside.name(self._outside.shown(player)) for player in agreement.players)
        if agree((a, b), settings) != agreement:
            raise ValueError(
                "this match was begun elsewhere, with other openings or players; go on with it by "
                "selfmate match --resume"
            )
        with self._starting:
            self._check_free(name)
            self._play(name, settings)

    def stop(self, name: str) -> None:
        path = self.path(name)
        job = self._jobs.get(name)
        if is_taken(path):
            ask_to_stop(path)
        elif job is not None and job.runs:
            job.end()

    def file(self, name: str) -> MatchFile:
        """As it is now. NotThereError when there is no such match."""
        path = self.path(name)
        match = self._files.get(name)
        if match is not None:
            match.refresh()
            return match
        match = self._files[name] = MatchFile(path)
        for oldest in list(self._files)[:-MOST_FOLLOWED]:
            self._files.pop(oldest, None)
        return match

    def state(self, match: MatchFile) -> str:
        if is_taken(match.path):
            return "running"
        if self._starts(match):
            return "starting"
        if match.tally.over:
            return "finished"
        return "failed" if self.problem(match) else "stopped"

    def _starts(self, match: MatchFile) -> bool:
        """Whether a process of ours is about to play, loading its players."""
        job = self._jobs.get(match.path.stem)
        return job is not None and job.runs and not match.begun

    def problem(self, match: MatchFile) -> str | None:
        job = self._jobs.get(match.path.stem)
        return job.problem() if job is not None else None

    def shown(self, match: MatchFile) -> list[str]:
        return [self._outside.shown(name) for name in match.agreement.players]

    def change(self, path: Path) -> Hashable:
        """Another one whenever something about a match has changed."""
        job = self._jobs.get(path.stem)
        return (
            *(_stamp(file) for file in (path, news_path(path))),
            is_taken(path),
            job is not None and job.runs,
        )

    def version(self) -> Hashable:
        return tuple((path.stem, self.change(path)) for path in self._newest())

    def data(self) -> list[dict[str, Any]]:
        rows = []
        for path in self._newest():
            change = self.change(path)
            known = self._rows.get(path.stem)
            if known is None or known[0] != change:
                try:
                    known = (change, self._row(path.stem))
                except (ValueError, LookupError, OSError):  # no log, or gone by now
                    continue
                self._rows[path.stem] = known
            rows.append(known[1])
        return rows

    def _row(self, name: str) -> dict[str, Any]:
        watched = name in self._files
        match = self.file(name)
        if not watched and self.state(match) not in ("running", "starting"):
            self._files.pop(name, None)  # its games need not stay in memory
        report = match.tally.report()
        return {
            "id": name,
            "players": self.shown(match),
            "state": self.state(match),
            "done": len(match.games),
            "total": match.total,
            "wins": report.wins,
            "draws": report.draws,
            "losses": report.losses,
            "updated": datetime.fromtimestamp(match.path.stat().st_mtime, UTC).isoformat(),
        }

    def _newest(self) -> list[Path]:
        if not self.folder.is_dir():
            return []
        found = self.folder.glob("*.jsonl")
        logs = ((_stamp(path), path) for path in found if path.stem.isprintable())
        return [path for _, path in sorted(logs, reverse=True)[:MOST_LISTED]]

    def path(self, name: str) -> Path:
        """A name is no path, so it leads nowhere else."""
        for path in self.folder.glob("*.jsonl") if self.folder.is_dir() else ():
            if path.stem == name:
                return path
        raise NotThereError(f"there is no match {name[:80]!r}")

    def _check_free(self, name: str) -> None:
        """Waits for a process that is only closing its players."""
        job = self._jobs.get(name)
        if job is not None or is_taken(self.folder / f"{name}.jsonl"):
            match = self.file(name)
            if is_taken(match.path) or self._starts(match):
                raise BusyError("this match is being played already")
        if job is not None:
            job.wait()
        if sum(job.runs for job in self._jobs.values()) >= MOST_AT_ONCE:
            raise BusyError(f"{MOST_AT_ONCE} matches are being played: wait for one, or stop it")

    def _play(self, name: str, settings: MatchSettings) -> None:
        path = self.folder / f"{name}.jsonl"
        match = self.file(name)
        settings = replace(settings, games=max(settings.games, match.known))
        write_news(path, plan_news(settings.games, settings.sprt))
        a, b = match.agreement.players
        self._jobs[name] = Job(
            [*("match", a, b, "--log", self._outside.path(self.folder)), *_options(settings)],
            self._outside.folder,
        )


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
