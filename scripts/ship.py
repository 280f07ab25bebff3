"""Ships the net of a run: copies its weights into the package, with a model card."""

import argparse
import json
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from selfmate.runs import Arrays, RunDirectory, pack
from selfmate.runs.files import replace_file
from selfmate.runs.lines import CheckedLines
from selfmate.runs.metrics import TIMINGS
from selfmate.weights import card_path, weights_path
from selfmate.weights.card import ModelCard, Rating

MAX_BYTES = 4_000_000
PATH_SETTINGS = ("data", "load", "masters", "puzzles")  # left out: they name local files


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """What the run itself does not record."""

    about: str
    data: str  # what the net learned from, in words
    commands: tuple[str, ...]  # that made the net, in order
    ratings: tuple[Rating, ...]
    minutes_before: float = 0.0  # training time of the net it was loaded from
    half: bool = False  # store weights in 16 bits


def ship(run: RunDirectory, version: str, name: str, provenance: Provenance) -> ModelCard:
    """Writes weights and card of a checkpoint; raises ValueError if they are too large to ship."""
    found = run.checkpoint(version)
    weights = pack(_in_16_bits(found.weights) if provenance.half else found.weights)
    if len(weights) > MAX_BYTES:
        raise ValueError(f"{len(weights):,} bytes of weights are more than {MAX_BYTES:,}")
    card = ModelCard(
        name=name,
        about=provenance.about,
        learner=run.learner,
        commands=provenance.commands,
        seed=int(run.config["seed"]),
        data=provenance.data,
        minutes=round(provenance.minutes_before + _seconds(run, found.card.step) / 60, 1),
        figures=_last_metrics(run, found.card.step),
        settings={name: value for name, value in run.config.items() if name not in PATH_SETTINGS},
        ratings=provenance.ratings,
        player=dict(found.card.player),
        weights_bytes=len(weights),
        weights_sha256=sha256(weights).hexdigest(),
    )
    Path(weights_path(name)).parent.mkdir(exist_ok=True)
    replace_file(Path(weights_path(name)), weights)
    replace_file(Path(card_path(name)), f"{card.model_dump_json(indent=2)}\n".encode())
    return card


def _in_16_bits(arrays: Arrays) -> Arrays:
    """ValueError if a weight is too large for 16 bits: it would become infinite."""
    with np.errstate(over="raise"):
        try:
            return {name: array.astype(np.float16) for name, array in arrays.items()}
        except FloatingPointError as error:
            raise ValueError("a weight is too large for 16 bits: ship without --half") from error


def _seconds(run: RunDirectory, step: int) -> float:
    """Duration of all steps up to this one."""
    lines = (line for _, line in CheckedLines(run.path / TIMINGS))
    return sum(float(line["seconds"]) for line in lines if int(line["step"]) <= step)


def _last_metrics(run: RunDirectory, step: int) -> dict[str, float]:
    """The last value of each metric up to this step."""
    metrics: dict[str, float] = {}
    for line in run.metrics():
        if line["step"] <= step:
            metrics |= line
    del metrics["step"]
    return metrics


def ratings_of(report: dict[str, Any], name: str) -> tuple[Rating, ...]:
    """The ratings of a player in the output of `selfmate rate --json`, strongest first."""
    return tuple(
        Rating(
            player=player,
            elo=round(found["elo"], 1),
            low=None if found["low"] is None else round(found["low"], 1),
            high=None if found["high"] is None else round(found["high"], 1),
            games=found["games"],
            scale=report["scale"],
        )
        for player, found in report["ratings"].items()
        if player.split(":")[0] == name
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("name")
    parser.add_argument("--version", default="last", help="checkpoint of the run")
    parser.add_argument("--about", required=True)
    parser.add_argument("--data", required=True, help="what the net learned from, in words")
    parser.add_argument(
        "--command", action="append", default=[], help="command that made the net; repeat in order"
    )
    parser.add_argument(
        "--minutes-before",
        type=float,
        default=0.0,
        help="training time before the run",
    )
    parser.add_argument("--half", action="store_true", help="store weights in 16 bits")
    parser.add_argument("--ratings", type=Path, help="output of selfmate rate --json")
    arguments = parser.parse_args()
    report = json.loads(arguments.ratings.read_text("utf-8")) if arguments.ratings else None
    provenance = Provenance(
        about=arguments.about,
        data=arguments.data,
        commands=tuple(arguments.command),
        ratings=ratings_of(report, arguments.name) if report else (),
        minutes_before=arguments.minutes_before,
        half=arguments.half,
    )
    card = ship(RunDirectory(arguments.run), arguments.version, arguments.name, provenance)
    print(f"{card.name}: {card.weights_bytes:,} bytes, {card.minutes:g} minutes of training")


if __name__ == "__main__":
    main()
