"""Who can be played, matched and asked in the lab: the built-in players, Stockfish where it is
installed, and the runs of the lab's folder as `runs/NAME`. Never a program or file by its path."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from fastapi import APIRouter

from selfmate.lab.runs_folder import RunsFolder, changed_ns
from selfmate.players import Player, load_player
from selfmate.players.names import parse_name
from selfmate.players.programs import find_program
from selfmate.runs.checkpoint import CARD, read_card
from selfmate.runs.checkpoints import Checkpoints
from selfmate.runs.directory import RunDirectory
from selfmate.runs.errors import DamagedError
from selfmate.weights import model_names
from selfmate.weights.card import read_card as read_model_card

KINDS = ("random", "greedy", "teacher", "stockfish")
RUNS = "runs/"  # what their names begin with in the lab, wherever the folder is


@dataclass(frozen=True)
class Strength:
    name: str  # of the player
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
        about="a small search of our own",
        strengths=tuple(
            Strength(
                f"teacher:depth={depth}", f"looks {depth} {'ply' if depth == 1 else 'plies'} ahead"
            )
            for depth in range(1, 5)
        ),
    ),
)
STOCKFISH = Offer(
    title="Stockfish",
    about="the engine everybody knows, held back",
    strengths=tuple(
        Strength(f"stockfish:elo={elo}", f"Elo {elo}") for elo in (1350, 1500, 1700, 2000, 2500)
    ),
)

# Settings of trained players, and what they mean: by kind, the others just choose.
CHOOSING = {"": "best move", "temperature=0.7": "more variety"}
STRENGTHS = {
    "move_scorer": CHOOSING | {"lookahead=1": "looks one move ahead"},
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
        yield from filter(None, map(_trained, newest_first))
        yield from map(_shipped, model_names())
        yield from BUILT_IN
        if find_program("stockfish"):
            yield STOCKFISH

    def load(self, name: str) -> Player:
        """ValueError or NotThereError when the lab has no such player."""
        full_name = self.resolve(name)
        try:
            return load_player(full_name)
        except ValueError as error:
            raise ValueError(str(error).replace(self._folder, RUNS)) from error

    def resolve(self, name: str) -> str:
        """The name outside the lab."""
        if not name.startswith(RUNS):
            if parse_name(name).kind not in (*KINDS, *model_names()):
                there_are = ", ".join([*KINDS, *model_names()])
                raise ValueError(f"the lab has no player {name[:80]!r}: {there_are}, or {RUNS}NAME")
            return name
        run, settings = _split(name.removeprefix(RUNS))
        return f"{self._runs.run(run).path.absolute()}{settings}"

    def shown(self, full_name: str) -> str:
        """A player's own name as the lab shows it."""
        inside = full_name.startswith(self._folder)
        return f"{RUNS}{full_name.removeprefix(self._folder)}" if inside else full_name


def player_routes(players: LabPlayers) -> APIRouter:
    router = APIRouter()

    @router.get("/api/players")
    def offers() -> list[dict[str, Any]]:
        return [asdict(offer) for offer in players.offers()]

    return router


def _split(text: str) -> tuple[str, str]:
    """A run's name, and its settings with their colon."""
    name, colon, settings = text.rpartition(":")
    return (name, f":{settings}") if colon and "=" in settings else (text, "")


def _trained(run: RunDirectory) -> Offer | None:
    """None for runs that do not play chess, or not yet."""
    kind = player_kind(run.path)
    if kind is None or kind == "minichess":
        return None
    settings = STRENGTHS.get(kind, CHOOSING)
    if run.best() is not None:
        settings = settings | {"version=best": "at its best so far"}
    return Offer(
        title=run.path.name,
        about=f"learned by {run.learner}",
        strengths=_strengths(f"{RUNS}{run.path.name}", settings),
    )


def _shipped(name: str) -> Offer:
    card = read_model_card(name)
    settings = STRENGTHS.get(str(card.player["kind"]), CHOOSING)
    return Offer(title=name, about=card.about, strengths=_strengths(name, settings))


def _strengths(name: str, settings: Mapping[str, str]) -> tuple[Strength, ...]:
    return tuple(
        Strength(f"{name}:{setting}" if setting else name, title)
        for setting, title in settings.items()
    )


def player_kind(run: Path) -> str | None:
    """Of the player in the newest checkpoint, None without one; reading all would be felt."""
    checkpoints = Checkpoints(run)
    steps = checkpoints.steps()
    newest = checkpoints.path(steps[-1]) if steps else None
    return None if newest is None else _kind_of(newest, changed_ns(newest / CARD))


@lru_cache(maxsize=1000)
def _kind_of(checkpoint: Path, _changed_ns: int) -> str | None:
    """Read once, for a checkpoint never changes; None when it is damaged."""
    try:
        return str(read_card(checkpoint).player.get("kind"))
    except DamagedError:
        return None
