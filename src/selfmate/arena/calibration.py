"""Calibration: a net rated with several settings, so that a rating can be turned into settings.

The settings go from weak to strong: the policy alone with a temperature, the policy alone, then
more and more simulations. `selfmate.weights.calibration` reads what is written here.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from selfmate.arena.ladder import Ladder, weights_digest
from selfmate.arena.rating import SCALE, Rating
from selfmate.players import (
    PLAYERS,
    PlayerName,
    can_search,
    check_name,
    is_plugin,
    number_text,
)
from selfmate.players.trained import Weights, find_weights, full_name
from selfmate.runs import Json
from selfmate.runs.files import pretty, replace_file
from selfmate.weights.calibration import calibration_path

TEMPERATURES = (1.0, 0.7, 0.5, 0.3, 0.0)
SIMULATIONS = (4, 16, 50, 200, 800)  # 100 to 200 Elo from one to the next, about


class Setting(NamedTuple):
    simulations: int | None  # None: the net does not search
    temperature: float

    def player(self, weights: Weights) -> str:
        """The full name of a net with this setting."""
        identity = weights.identity
        settings = dict(identity.settings)
        if self.simulations is not None:
            settings["sims"] = str(self.simulations)
        if self.temperature:
            settings["temperature"] = number_text(self.temperature)
        return full_name(PlayerName(identity.kind, settings), identity, weights.player)


class CalibrationPlan(NamedTuple):
    """The players to rate, the weakest first, and where their ratings belong."""

    identity: str  # which weights these are
    players: Mapping[str, Setting]  # by full name
    path: Path


def plan_calibration(text: str, max_simulations: int) -> CalibrationPlan:
    """ValueError if the player is no net, or if its name says how it plays."""
    name = check_name(text)
    if extra := name.settings.keys() - {"version"}:
        raise ValueError(f"{text} cannot be calibrated: leave out {', '.join(sorted(extra))}")
    if name.kind in PLAYERS or is_plugin(name.kind):
        raise ValueError(f"{text} cannot be calibrated: it is no net")
    weights = find_weights(name)
    settings = _settings(max_simulations if can_search(weights.player) else None)
    players = {setting.player(weights): setting for setting in settings}
    return CalibrationPlan(str(weights.identity), players, Path(calibration_path(weights.folder)))


def _settings(max_simulations: int | None) -> list[Setting]:
    """None: those of a net that does not search."""
    if max_simulations is None:
        return [Setting(None, temperature) for temperature in TEMPERATURES]
    policy = [Setting(0, temperature) for temperature in TEMPERATURES]
    return policy + [Setting(number, 0.0) for number in SIMULATIONS if number <= max_simulations]


def write_calibration(plan: CalibrationPlan, ladder: Ladder, path: Path) -> list[str]:
    """Writes the ratings of the pool. Returns the players that are left out: those whose rating is
    not above that of a weaker setting, or has no bound. ValueError if fewer than two are left."""
    known: dict[str, Rating] = {}
    for player in plan.players:
        rating, best = ladder.rating(player), max((one.elo for one in known.values()), default=None)
        if rating is None or rating.low is None or rating.high is None:
            continue
        if best is None or rating.elo > best:
            known[player] = rating
    if len(known) < 2:
        raise ValueError("fewer than two settings differ in strength; more games may help")
    replace_file(
        path,
        pretty(
            {
                "player": plan.identity,
                "weights": weights_digest(next(iter(known))),
                "scale": SCALE,
                "strengths": [
                    _strength(plan.players[player], rating) for player, rating in known.items()
                ],
            }
        ),
    )
    return [player for player in plan.players if player not in known]


def _strength(setting: Setting, rating: Rating) -> Json:
    return {
        "sims": setting.simulations,
        "temperature": setting.temperature,
        "elo": round(rating.elo, 1),
        "low": None if rating.low is None else round(rating.low, 1),
        "high": None if rating.high is None else round(rating.high, 1),
        "games": rating.games,
    }
