"""Puts the net of a run into the package, with its card: `python -m selfmate.experiments.ship`."""

import argparse
import json
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from selfmate.runs.directory import RunDirectory
from selfmate.runs.files import replace_file
from selfmate.runs.lines import read_lines
from selfmate.runs.tensors import pack
from selfmate.runs.writer import TIMINGS
from selfmate.weights import card_path, weights_path
from selfmate.weights.card import ModelCard, Rating

MOST_BYTES = 4_000_000
PLACES = ("data", "masters", "puzzles")  # settings that name files of whoever made the net


@dataclass(frozen=True, kw_only=True)
class Told:
    """What a run does not know of itself."""

    about: str
    data: str  # what it learned from
    commands: tuple[str, ...]  # that made it, in order
    ratings: tuple[Rating, ...]
    minutes_before: float = 0.0  # of training of what it was loaded from


def ship(run: RunDirectory, version: str, name: str, told: Told) -> ModelCard:
    """Writes weights and card of a checkpoint; ValueError when they are too large to ship."""
    found = run.checkpoint(version)
    weights = pack(found.weights)
    if len(weights) > MOST_BYTES:
        raise ValueError(f"{len(weights):,} bytes of weights are more than {MOST_BYTES:,}")
    card = ModelCard(
        name=name,
        about=told.about,
        learner=run.learner,
        commands=told.commands,
        seed=int(run.config["seed"]),
        data=told.data,
        minutes=round(told.minutes_before + _seconds(run, found.card.step) / 60, 1),
        figures=_figures(run, found.card.step),
        settings={name: value for name, value in run.config.items() if name not in PLACES},
        ratings=told.ratings,
        player=dict(found.card.player),
        weights_bytes=len(weights),
        weights_sha256=sha256(weights).hexdigest(),
    )
    Path(weights_path(name)).parent.mkdir(exist_ok=True)
    replace_file(Path(weights_path(name)), weights)
    replace_file(Path(card_path(name)), f"{card.model_dump_json(indent=2)}\n".encode())
    return card


def _seconds(run: RunDirectory, step: int) -> float:
    """That its steps took, up to this one."""
    lines = (line for _, line in read_lines(run.path / TIMINGS))
    return sum(float(line["seconds"]) for line in lines if int(line["step"]) <= step)


def _figures(run: RunDirectory, step: int) -> dict[str, float]:
    """The last of each, up to this step."""
    figures: dict[str, float] = {}
    for line in run.metrics():
        if line["step"] <= step:
            figures |= line
    del figures["step"]
    return figures


def ratings_of(report: dict[str, Any], name: str) -> tuple[Rating, ...]:
    """Those of a player in what `selfmate rate --json` printed, the strongest first."""
    tied = report["stockfish_scale"] or {}
    return tuple(
        Rating(
            player=player,
            elo=found["elo"],
            low=found["low"],
            high=found["high"],
            games=found["games"],
            stockfish_scale=tied[player]["elo"] if player in tied else None,
        )
        for player, found in report["ratings"].items()
        if player.split(":")[0] == name
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("name")
    parser.add_argument("--version", default="last", help="of the run")
    parser.add_argument("--about", required=True)
    parser.add_argument("--data", required=True, help="what it learned from, in words")
    parser.add_argument("--command", action="append", default=[], help="that made it; in order")
    parser.add_argument(
        "--minutes-before", type=float, default=0.0, help="of training what it was loaded from"
    )
    parser.add_argument("--ratings", type=Path, help="what selfmate rate --json printed")
    wanted = parser.parse_args()
    report = json.loads(wanted.ratings.read_text("utf-8")) if wanted.ratings else None
    told = Told(
        about=wanted.about,
        data=wanted.data,
        commands=tuple(wanted.command),
        ratings=ratings_of(report, wanted.name) if report else (),
        minutes_before=wanted.minutes_before,
    )
    card = ship(RunDirectory(wanted.run), wanted.version, wanted.name, told)
    print(f"{card.name}: {card.weights_bytes:,} bytes, {card.minutes:g} minutes of training")


if __name__ == "__main__":
    main()
