"""How strong a net plays with which settings, as `selfmate calibrate` measured it.

The file stands beside the net's card, or in the directory of the run. Nothing heavy is imported,
because the UCI engine reads it before it answers `uci`.
"""

import json
from itertools import pairwise
from typing import Any, NamedTuple


class Strength(NamedTuple):
    """Settings of a player, and its rating with them."""

    elo: float
    simulations: int | None  # None: the player does not search
    temperature: float


class Calibration(NamedTuple):
    """Settings of one net, the weakest first; there are at least two, and their Elo increases."""

    weights: str  # the first digits of the SHA-256 of the weights that were measured
    strengths: tuple[Strength, ...]

    @property
    def lowest(self) -> int:
        return round(self.strengths[0].elo)

    @property
    def highest(self) -> int:
        return round(self.strengths[-1].elo)

    def strength(self, elo: float) -> Strength:
        """The settings for a rating, between those of the neighbours that were measured: linear in
        the temperature and in the logarithm of 1 + simulations."""
        elo = min(max(elo, self.strengths[0].elo), self.strengths[-1].elo)
        above = next(n for n, one in enumerate(self.strengths) if n and elo <= one.elo)
        low, high = self.strengths[above - 1], self.strengths[above]
        part = (elo - low.elo) / (high.elo - low.elo)
        simulations = None
        if low.simulations is not None and high.simulations is not None:
            simulations = (1 + low.simulations) ** (1 - part) * (1 + high.simulations) ** part - 1
        return Strength(
            elo,
            None if simulations is None else round(simulations),
            round(low.temperature + part * (high.temperature - low.temperature), 3),
        )


def calibration_path(folder: str) -> str:
    return f"{folder}/calibration.json"


def read_calibration(folder: str, weights: str) -> Calibration | None:
    """That of a model or run; None if its folder has none, or one of other weights than those with
    this SHA-256."""
    try:
        with open(calibration_path(folder), "rb") as file:  # noqa: PTH123 - pathlib costs UCI milliseconds
            content = json.load(file)
        calibration = _parse(content)
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None
    return calibration if weights.startswith(calibration.weights) else None


def _parse(content: dict[str, Any]) -> Calibration:
    strengths = tuple(
        Strength(
            float(one["elo"]),
            None if one["sims"] is None else int(one["sims"]),
            float(one["temperature"]),
        )
        for one in content["strengths"]
    )
    elos = [one.elo for one in strengths]
    if len(elos) < 2 or any(low >= high for low, high in pairwise(elos)):
        raise ValueError("the ratings of a calibration must increase")
    return Calibration(str(content["weights"]), strengths)
