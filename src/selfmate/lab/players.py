"""The players that the lab offers, with their ratings, found by name and never by path."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from fastapi import APIRouter

from selfmate.arena.ladder import Ladder, shipped_ruler
from selfmate.arena.rating import SCALE
from selfmate.lab.runs_folder import RunsFolder, player_card
from selfmate.players import (
    EXACT,
    Player,
    about_plugin,
    can_search,
    load_player,
    parse_name,
    plugin_names,
)
from selfmate.players.engine import STOCKFISH_SKILL_ELOS, find_program
from selfmate.runs import Checkpoints, Json, RunDirectory
from selfmate.weights import folder_of, model_names
from selfmate.weights.calibration import read_calibration
from selfmate.weights.card import Rating, read_card

KINDS = ("random", "greedy", "teacher", "stockfish")
POOL = "pool.jsonl"  # results of rated players, in the runs folder
SEED = 1  # that of `selfmate rate`
RUNS = "runs/"  # prefix of a run's name in the lab, wherever the folder is
MINICHESS = "minichess"
EXACT_ENDINGS = f"terminal={EXACT}"  # the last setting of a full name


@dataclass(frozen=True)
class Strength:
    name: str  # of the player, settings included
    title: str
    elo: float | None = None  # None: it is not rated


@dataclass(frozen=True, kw_only=True)
class Offer:
    """A player to choose, in one or more strengths."""

    title: str
    about: str
    strengths: tuple[Strength, ...]
    ships: bool = False  # a net that ships
    trained: bool = True  # False: a run that has not learned anything yet
    scale: str = SCALE  # of the ratings
    # The lowest and highest rating that `NAME:elo=N` can choose; None: it was not calibrated.
    elo_range: tuple[int, int] | None = None


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
        Strength(f"stockfish:skill={level}", f"skill level {level}")
        for level in range(len(STOCKFISH_SKILL_ELOS))
    ),
    elo_range=(STOCKFISH_SKILL_ELOS[0], STOCKFISH_SKILL_ELOS[-1]),
)

BEST_VERSION = "version=best"
# Settings of trained players and their titles, by the kind in the checkpoint's card.
POLICY_STRENGTHS = {
    "": "best move",
    "temperature=0.7": "more variety",
    "terminal=off": "by the net alone",
}
SEARCHING_STRENGTHS = {
    "sims=400": "searches 400 positions",
    "sims=2000": "searches 2,000 positions",
}
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
    "sparse_net": {
        "sims=2000": "searches 2,000 positions",
        "sims=20000": "searches 20,000 positions",
        "sims=200": "searches 200 positions",
        "sims=200,temperature=0.7": "searches 200, more variety",
        "sims=0": "by its policy alone",
        "by=value": "by its value alone",
    },
}


class LabPlayers:
    def __init__(self, runs: RunsFolder) -> None:
        self._runs = runs
        folder = runs.path.absolute()
        self._folder = f"{folder}/".replace("//", "/")
        self._prefixes = (self._folder, f"{folder.name}/")
        shipped_ruler()  # fitted now, so that nobody's first request waits for it

    def offers(self) -> Iterator[Offer]:
        """Trained ones first, the newest at the top."""
        elos = self._elos()
        newest_first = sorted(self._runs.runs(), key=lambda run: run.status().updated, reverse=True)
        yield from filter(None, (_run_offer(run, elos) for run in newest_first))
        yield from (_model_offer(name, elos) for name in model_names())
        stockfish = (STOCKFISH,) if find_program("stockfish") else ()
        others = (*BUILT_IN, *stockfish, *self._plugins)
        yield from (_rated(offer, elos.get) for offer in others)

    @cached_property
    def _plugins(self) -> tuple[Offer, ...]:
        """Of the packages that are installed; to look through all of them takes long."""
        return tuple(filter(None, map(_plugin_offer, plugin_names())))

    def _elos(self) -> dict[str, float]:
        """All known ratings by the players' names in the lab. If the pool is damaged, those that
        ship: the Ladder view says what is wrong with it."""
        elos = {f"stockfish:skill={n}": float(elo) for n, elo in enumerate(STOCKFISH_SKILL_ELOS)}
        elos |= {self.shown(rating.player): rating.elo for rating in shipped_ratings()}
        try:
            ratings = Ladder(self._runs.path / POOL, SEED).ratings()
        except (ValueError, OSError):
            ruler = shipped_ruler()
            return elos | {name: ruler.elo(name) for name in ruler.names}
        return elos | {self.shown(name): rating.elo for name, rating in ratings.items()}

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
            _check_offered(name)
            return name
        run, settings = _split(name.removeprefix(RUNS))
        return f"{self._runs.run(run).path.absolute()}{settings}"

    def shown(self, full_name: str) -> str:
        """The player's name in the lab, from one with the absolute path of a run or with one as it
        is typed in the folder above the runs. What every net has unless it says otherwise, exact
        endings, is left out."""
        if full_name.endswith(EXACT_ENDINGS):
            full_name = full_name.removesuffix(EXACT_ENDINGS)[:-1]
        for prefix in self._prefixes:
            if full_name.startswith(prefix):
                return f"{RUNS}{full_name.removeprefix(prefix)}"
        return full_name


def shipped_ratings() -> list[Rating]:
    """The ratings on the cards of the nets that ship."""
    return [rating for name in model_names() for rating in read_card(name).ratings]


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


def _run_offer(run: RunDirectory, elos: Mapping[str, float]) -> Offer | None:
    """None for a run that does not play chess, or has no checkpoint yet."""
    player = player_card(run.path)
    if player is None or player.get("kind") == MINICHESS:
        return None
    name, best = f"{RUNS}{run.path.name}", run.best()
    newest = max(Checkpoints(run.path).steps(), default=0)
    settings = _settings_of(player)
    if best is not None:
        settings = settings | {BEST_VERSION: "at its best so far"}

    def elo(lab_name: str) -> float | None:
        """Each checkpoint has a rating of its own."""
        setting = lab_name.removeprefix(name).removeprefix(":")
        if best is not None and setting == BEST_VERSION:
            return elos.get(f"{name}:version={best.step}")
        return elos.get(f"{name}:version={newest},{setting}".rstrip(","))

    offer = Offer(
        title=run.path.name,
        about=f"learned by {run.learner}" if newest else f"not trained yet, {run.learner}",
        strengths=_strengths(name, settings),
        trained=newest > 0,
    )
    return _rated(offer, elo)


def _model_offer(name: str, elos: Mapping[str, float]) -> Offer:
    card = read_card(name)
    calibration = read_calibration(folder_of(name), card.weights_sha256)
    offer = Offer(
        title=name,
        about=card.about,
        strengths=_strengths(name, _settings_of(card.player)),
        ships=True,
        elo_range=None if calibration is None else (calibration.lowest, calibration.highest),
    )
    return _rated(offer, elos.get)


def _plugin_offer(kind: str) -> Offer | None:
    """A player of another package, as it plays without settings; None if it cannot be imported."""
    try:
        about = about_plugin(kind)
    except ValueError:
        return None
    return Offer(title=kind, about=about, strengths=(Strength(kind, "as it is"),))


def _check_offered(name: str) -> None:
    """Settings of another package's player might be paths: it plays without any, or by its full
    name."""
    ours, kind = (*KINDS, *model_names()), parse_name(name).kind
    if kind in ours:
        return
    if kind not in plugin_names():
        names = ", ".join([*ours, *plugin_names()])
        raise ValueError(f"the lab has no player {name[:80]!r}: {names}, or {RUNS}NAME")
    player = load_player(kind)
    player.close()
    if name not in (kind, player.name):
        raise ValueError(f"the lab knows {kind!r} without settings only, not {name[:80]!r}")


def _settings_of(player: Mapping[str, Json]) -> dict[str, str]:
    """The settings that a net is offered with, the first of them by default."""
    kind = str(player.get("kind"))
    settings = STRENGTHS.get(kind, POLICY_STRENGTHS)
    if kind in ("se_resnet", "sparse_net") or not can_search(player):
        return settings
    return SEARCHING_STRENGTHS | settings


def _rated(offer: Offer, elo: Callable[[str], float | None]) -> Offer:
    return replace(
        offer, strengths=tuple(replace(one, elo=elo(one.name)) for one in offer.strengths)
    )


def _strengths(name: str, settings: Mapping[str, str]) -> tuple[Strength, ...]:
    return tuple(
        Strength(f"{name}:{setting}" if setting else name, title)
        for setting, title in settings.items()
    )


class CommandLineNames:
    """Names of players and files as they are typed in the folder above the runs.

    Matches and ratings run as if they were typed there, so the lab and the command line use the
    same names and the same files."""

    def __init__(self, runs: Path, players: LabPlayers) -> None:
        self._players = players
        self.folder = runs.absolute().parent

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
        return self._players.shown(full_name)
