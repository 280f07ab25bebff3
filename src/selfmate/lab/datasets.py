"""Data for pretraining, made from the Train view: games imported from the folders that the lab may
read, and games of the teacher. Both are processes of their own, as on the command line, and end up
in the folder `datasets` of the runs.
"""

import json
import os
import re
import threading
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from selfmate.data.dataset import MANIFEST
from selfmate.lab.errors import BusyError
from selfmate.lab.job import Job
from selfmate.lab.runs_folder import RunsFolder

FOLDER = "datasets"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}")
GAME_FILES = (".pgn", ".pgn.gz", ".pgn.zst")
TEACHER_GAMES = ".ndjson"
MAX_FILES = 500  # that are listed
MAX_DEPTH = 3  # of folders below those that may be read
MAX_RUNNING = 2

Kind = Literal["games", "teacher"]
DatasetState = Literal["running", "ready", "failed", "unfinished"]


class DatasetRow(TypedDict):
    name: str
    kind: Kind  # imported games, or games of the teacher
    state: DatasetState
    problem: str | None
    path: str  # for the setting `data`; empty until it is ready


class DatasetsData(TypedDict):
    """The topic `datasets`."""

    files: list[str]  # games that can be imported, by the names of their folders
    datasets: list[DatasetRow]


class NewImport(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = Field(max_length=60)
    files: list[Annotated[str, Field(max_length=500)]] = Field(min_length=1, max_length=50)
    least_elo: int = Field(default=0, ge=0, le=4000)
    max_games: int | None = Field(default=None, ge=1, le=10**9)


class NewCollection(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = Field(max_length=60)
    games: int = Field(default=200, ge=1, le=10**6)
    depth: int = Field(default=2, ge=1, le=6)


@dataclass(frozen=True)
class _Making:
    kind: Kind
    job: Job


class Datasets:
    """A topic as well."""

    def __init__(self, runs: RunsFolder, folders: Sequence[Path]) -> None:
        self._runs, self._folders = runs, folders
        self._making: dict[str, _Making] = {}
        self._lock = threading.Lock()

    @property
    def path(self) -> Path:
        return self._runs.path.absolute() / FOLDER

    def import_games(self, new: NewImport) -> None:
        """ValueError for files that are not listed, and for names that cannot be used."""
        known = self._files()
        if missing := [name for name in new.files if name not in known]:
            raise ValueError(
                f"there are no games {missing[0][:80]!r} in a folder that this lab may read; name "
                "such folders when you start it: selfmate lab --data DIR"
            )
        files = [str(known[name]) for name in new.files]
        options = ["--least-elo", str(new.least_elo), *(["--unrated"] if not new.least_elo else [])]
        if new.max_games is not None:
            options += ["--max-games", str(new.max_games)]
        self._start(new.name, "games", ["import", *files, *options])

    def collect(self, new: NewCollection) -> None:
        options = ["--games", str(new.games), "--depth", str(new.depth)]
        self._start(new.name, "teacher", ["collect", *options])

    def version(self) -> Hashable:
        states = tuple((one["name"], one["state"]) for one in self._rows())
        return states, tuple(self._files())

    def data(self) -> DatasetsData:
        return {"files": list(self._files()), "datasets": self._rows()}

    def _start(self, name: str, kind: Kind, arguments: list[str]) -> None:
        if not NAME.fullmatch(name):
            raise ValueError(
                f"a dataset cannot be called {name[:80]!r}: a name has up to 60 letters A to Z, "
                "digits and - _"
            )
        with self._lock:
            target = self._target(name, kind)
            if target.exists() or (name in self._making and self._making[name].job.runs):
                raise BusyError(f"there is a dataset {name} already: choose another name")
            if sum(one.job.runs for one in self._making.values()) >= MAX_RUNNING:
                raise BusyError(f"{MAX_RUNNING} datasets are being made: wait for one of them")
            self.path.mkdir(parents=True, exist_ok=True)
            job = Job([*arguments, f"--out={target}"], self._runs.path.absolute().parent)
            self._making[name] = _Making(kind, job)

    def _target(self, name: str, kind: Kind) -> Path:
        return self.path / (f"{name}{TEACHER_GAMES}" if kind == "teacher" else name)

    def _rows(self) -> list[DatasetRow]:
        with self._lock:
            making = dict(self._making)
        rows = [self._row(name, one.kind, one.job) for name, one in making.items()]
        known = {(row["name"], row["kind"]) for row in rows}
        found = ((path.name.removesuffix(TEACHER_GAMES), _kind(path)) for path in self._made())
        rows += [self._row(name, kind, None) for name, kind in found if (name, kind) not in known]
        return sorted(rows, key=lambda row: row["name"])

    def _made(self) -> Iterator[Path]:
        if not self.path.is_dir():
            return
        for path in self.path.iterdir():
            name = path.name.removesuffix(TEACHER_GAMES)
            if NAME.fullmatch(name) and (path.is_dir() or path.suffix == TEACHER_GAMES):
                yield path

    def _row(self, name: str, kind: Kind, job: Job | None) -> DatasetRow:
        target = self._target(name, kind)
        problem = job.problem() if job is not None else None
        state: DatasetState = "ready" if _is_complete(target) else "unfinished"
        if state == "ready" and not _can_validate(target):
            state, problem = "failed", "none of its games was held out for validation: import more"
        if job is not None and job.runs:
            state = "running"
        elif problem is not None:
            state = "failed"
        path = f"{self._runs.path.absolute().name}/{FOLDER}/{target.name}"
        return {
            "name": name,
            "kind": kind,
            "state": state,
            "problem": problem,
            "path": path if state == "ready" else "",
        }

    def _files(self) -> dict[str, Path]:
        """Files of games by their names from their folder's on."""
        found: dict[str, Path] = {}
        for folder in self._folders:
            for path in _game_files(folder, MAX_DEPTH):
                if len(found) == MAX_FILES:
                    return found
                found[f"{folder.name}/{path.relative_to(folder)}"] = path
        return found


def _kind(path: Path) -> Kind:
    return "teacher" if path.suffix == TEACHER_GAMES else "games"


def _is_complete(target: Path) -> bool:
    return target.is_file() or (target / MANIFEST).is_file()


def _can_validate(target: Path) -> bool:
    """Whether games were held out; those of the teacher are split later."""
    manifest = target / MANIFEST
    return not manifest.is_file() or _held_out_games(manifest, manifest.stat().st_mtime_ns) > 0


@lru_cache(maxsize=100)
def _held_out_games(manifest: Path, changed_ns: int) -> int:
    return int(json.loads(manifest.read_text("utf-8"))["games"]["kept"].get("validation", 0))


def _game_files(folder: Path, depth: int) -> Iterator[Path]:
    """Links are not followed: they may lead out of the folder."""
    try:
        entries = sorted(os.scandir(folder), key=lambda one: one.name)
    except OSError:
        return
    for entry in entries:
        if entry.is_file(follow_symlinks=False) and entry.name.endswith(GAME_FILES):
            yield Path(entry.path)
        elif entry.is_dir(follow_symlinks=False) and depth > 1:
            yield from _game_files(Path(entry.path), depth - 1)


def dataset_routes(datasets: Datasets) -> APIRouter:
    router = APIRouter(prefix="/api/datasets")

    @router.post("/import")
    def import_games(new: NewImport) -> DatasetsData:
        datasets.import_games(new)
        return datasets.data()

    @router.post("/collect")
    def collect(new: NewCollection) -> DatasetsData:
        datasets.collect(new)
        return datasets.data()

    return router
