"""The runs that the lab shows and the players they make, found by name and never by path."""

import os
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NotRequired

from fastapi import APIRouter
from typing_extensions import TypedDict

from selfmate.lab.errors import NotFoundError
from selfmate.learners.registry import LEARNERS
from selfmate.players import Player, load_player, parse_name
from selfmate.players.engine import STOCKFISH_SKILL_ELOS, find_program
from selfmate.runs import (
    CARD,
    CONFIG,
    DELETED,
    STATUS,
    Checkpoints,
    CorruptError,
    RunDirectory,
    RunRefusedError,
    is_locked,
    read_card,
)
from selfmate.weights import model_names
from selfmate.weights.card import read_card as read_model_card


class RunRow(TypedDict):
    """A run in the list, topic `runs`. One that has not begun has only the required fields."""

    name: str
    learner: str
    summary: str
    state: str
    problem: str  # why the last start failed
    step: NotRequired[int]
    done: NotRequired[float]
    total: NotRequired[float]
    unit: NotRequired[str]
    rate: NotRequired[float | None]
    seconds_left: NotRequired[float | None]
    updated: NotRequired[str]
    message: NotRequired[str]


class RunsFolder:
    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: dict[str, tuple[int, RunDirectory]] = {}  # with the time of their config

    def run(self, name: str) -> RunDirectory:
        """The run of this name. NotFoundError or ValueError when there is none."""
        self.check(name)
        changed = changed_ns(self.path / name / CONFIG)
        known = self._known.get(name)
        if known is None or known[0] != changed:
            known = self._known[name] = (changed, RunDirectory(self.path / name))
        return known[1]

    def runs(self) -> Iterator[RunDirectory]:
        """All runs; folders that are not runs are left out."""
        names = self._names()
        for deleted in self._known.keys() - set(names):
            self._known.pop(deleted, None)
        for name in names:
            try:
                yield self.run(name)
            except (NotFoundError, RunRefusedError):
                continue

    def check(self, name: str) -> None:
        """NotFoundError when there is no such run. A name with a slash is never one."""
        if not _is_name(name) or not changed_ns(self.path / name / CONFIG):
            folder = self.path.absolute().name
            raise NotFoundError(f"there is no run {name[:80]!r} in {folder}")

    def version(self) -> Hashable:
        return tuple((name, self._stamp(name)) for name in self._names())

    def data(self) -> list[RunRow]:
        """The newest first."""
        rows = [describe(run) for run in self.runs()]
        return sorted(rows, key=lambda row: row.get("updated", ""), reverse=True)

    def _stamp(self, name: str) -> Hashable:
        """The lock tells when a run was killed: then no file changes."""
        return changed_ns(self.path / name / STATUS), is_locked(self.path / name)

    def _names(self) -> list[str]:
        try:
            with os.scandir(self.path) as entries:
                names = (entry.name for entry in entries if entry.is_dir())
                return sorted(filter(_is_name, names))
        except (FileNotFoundError, NotADirectoryError):
            return []


def _is_name(name: str) -> bool:
    """Whether it can be a run's name; bytes that are not UTF-8 could not be sent to a page."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return name not in ("", ".", "..") and not name.startswith(DELETED) and not {*"/\0"} & {*name}


def describe(run: RunDirectory) -> RunRow:
    status = run.status()
    return {
        "name": run.path.name,
        "learner": run.learner,
        "summary": LEARNERS[run.learner].summary if run.learner in LEARNERS else "",
        "state": status.state,
        "problem": "",
        "step": status.step,
        "done": status.done,
        "total": status.total,
        "unit": status.unit,
        "rate": status.rate,
        "seconds_left": status.seconds_left,
        "updated": status.updated,
        "message": status.message,
    }


def changed_ns(path: Path) -> int:
    """The time of the last change, 0 for a file that does not exist."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


KINDS = ("random", "greedy", "teacher", "stockfish")
RUNS = "runs/"  # prefix of a run's name in the lab, wherever the folder is
MINICHESS = "minichess"


@dataclass(frozen=True)
class Strength:
    name: str  # of the player, settings included
    title: str


@dataclass(frozen=True, kw_only=True)
class Offer:
    """A player to choose, in one or more strengths."""

    title: str
    about: str
    strengths: tuple[Strength, ...]


BUILT_IN = (
    Offer(
        title="Random",
        about="any legal move",
        strengths=(Strength("random", "random"),),
    ),
    Offer(
        title="Greedy",
        about="takes whatever is worth most",
        strengths=(Strength("greedy", "greedy"),),
    ),
    Offer(
        title="Teacher",
        about="a small alpha-beta search",
        strengths=tuple(
            Strength(
                f"teacher:depth={depth}", f"searches {depth} {'ply' if depth == 1 else 'plies'}"
            )
            for depth in range(1, 5)
        ),
    ),
)
STOCKFISH = Offer(
    title="Stockfish",
    about="the strongest engine, at limited strength",
    strengths=tuple(
        Strength(f"stockfish:skill={level}", f"skill level {level}, about {elo}")
        for level, elo in enumerate(STOCKFISH_SKILL_ELOS)
    ),
)

# Settings of trained players and their titles, by the kind in the checkpoint's card.
POLICY_STRENGTHS = {"": "best move", "temperature=0.7": "more variety"}
STRENGTHS = {
    "move_scorer": POLICY_STRENGTHS | {"lookahead=1": "looks one move ahead"},
    "se_resnet": {
        "sims=200": "searches 200 positions",
        "sims=800": "searches 800 positions",
        "sims=50": "searches 50 positions",
        "sims=50,temperature=0.7": "searches 50, more variety",
        "sims=0": "by its policy alone",
        "by=value": "by its value alone",
    },
}


class LabPlayers:
    def __init__(self, runs: RunsFolder) -> None:
        self._runs = runs
        self._folder = f"{runs.path.absolute()}/".replace("//", "/")

    def offers(self) -> Iterator[Offer]:
        """Trained ones first, the newest at the top."""
        newest_first = sorted(self._runs.runs(), key=lambda run: run.status().updated, reverse=True)
        yield from filter(None, map(_run_offer, newest_first))
        yield from map(_model_offer, model_names())
        yield from BUILT_IN
        if find_program("stockfish"):
            yield STOCKFISH

    def load(self, name: str) -> Player:
        """ValueError or NotFoundError when the lab has no such player."""
        full_name = self.resolve(name)
        try:
            return load_player(full_name)
        except ValueError as error:
            raise ValueError(str(error).replace(self._folder, RUNS)) from error

    def resolve(self, name: str) -> str:
        """The player's name outside the lab."""
        if not name.startswith(RUNS):
            if parse_name(name).kind not in (*KINDS, *model_names()):
                names = ", ".join([*KINDS, *model_names()])
                raise ValueError(f"the lab has no player {name[:80]!r}: {names}, or {RUNS}NAME")
            return name
        run, settings = _split(name.removeprefix(RUNS))
        return f"{self._runs.run(run).path.absolute()}{settings}"

    def shown(self, full_name: str) -> str:
        """The player's name in the lab."""
        inside = full_name.startswith(self._folder)
        return f"{RUNS}{full_name.removeprefix(self._folder)}" if inside else full_name


def player_routes(players: LabPlayers) -> APIRouter:
    router = APIRouter()

    @router.get("/api/players")
    def offers() -> list[Offer]:
        return list(players.offers())

    return router


def _split(text: str) -> tuple[str, str]:
    """A run's name, and its settings with their colon."""
    name, colon, settings = text.rpartition(":")
    return (name, f":{settings}") if colon and "=" in settings else (text, "")


def _run_offer(run: RunDirectory) -> Offer | None:
    """None for a run that does not play chess, or has no checkpoint yet."""
    kind = player_kind(run.path)
    if kind is None or kind == MINICHESS:
        return None
    settings = STRENGTHS.get(kind, POLICY_STRENGTHS)
    if run.best() is not None:
        settings = settings | {"version=best": "at its best so far"}
    return Offer(
        title=run.path.name,
        about=f"learned by {run.learner}",
        strengths=_strengths(f"{RUNS}{run.path.name}", settings),
    )


def _model_offer(name: str) -> Offer:
    card = read_model_card(name)
    settings = STRENGTHS.get(str(card.player["kind"]), POLICY_STRENGTHS)
    return Offer(title=name, about=card.about, strengths=_strengths(name, settings))


def _strengths(name: str, settings: Mapping[str, str]) -> tuple[Strength, ...]:
    return tuple(
        Strength(f"{name}:{setting}" if setting else name, title)
        for setting, title in settings.items()
    )


def player_kind(run: Path) -> str | None:
    """The kind of player in the newest checkpoint's card; None without a checkpoint."""
    checkpoints = Checkpoints(run)
    steps = checkpoints.steps()
    newest = checkpoints.path(steps[-1]) if steps else None
    return None if newest is None else _kind_of(newest, changed_ns(newest / CARD))


@lru_cache(maxsize=1000)
def _kind_of(checkpoint: Path, _changed_ns: int) -> str | None:
    """Each card is read once, because checkpoints never change. None when it is corrupt."""
    try:
        return str(read_card(checkpoint).player.get("kind"))
    except CorruptError:
        return None


class CommandLineNames:
    """Names of players and files as they are typed in the folder above the runs.

    Matches and ratings run as if they were typed there, so the lab and the command line use the
    same names and the same files."""

    def __init__(self, runs: Path, players: LabPlayers) -> None:
        self._players = players
        self._runs = runs.absolute()
        self.folder = self._runs.parent

    def name(self, lab_name: str) -> str:
        """The full name of a player, the version of a trained one included. ValueError or
        NotFoundError when it cannot be loaded."""
        player = self._players.load(lab_name)
        player.close()
        return player.name.removeprefix(f"{self.folder}/".replace("//", "/"))

    def path(self, path: Path) -> str:
        """A path below the folder, as an argument."""
        return str(path.absolute().relative_to(self.folder))

    def shown(self, full_name: str) -> str:
        """A player's name in the lab."""
        for prefix in (f"{self._runs}/", f"{self._runs.name}/"):
            if full_name.startswith(prefix):
                return f"{RUNS}{full_name.removeprefix(prefix)}"
        return full_name
