"""`selfmate models`: the nets that ship."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from selfmate.cli.console import escape

if TYPE_CHECKING:
    from selfmate.weights.card import ModelCard, Rating


def models(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """List the nets that ship, with their training and ratings. Each is a player by its name."""
    from selfmate.weights import model_names
    from selfmate.weights.card import read_card

    cards = [read_card(name) for name in model_names()]
    if as_json:
        print(json.dumps({card.name: card.model_dump(mode="json") for card in cards}))
        return
    if not cards:
        print("no net ships with this version; list those you trained with: selfmate runs")
    for number, card in enumerate(cards):
        if number:
            print()
        _print(card)


def _print(card: "ModelCard") -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_row("about", escape(card.about))
    table.add_row("size", f"{card.weights_bytes / 1e6:.1f} MB")
    table.add_row("training", f"{card.learner}, {card.minutes:.0f} minutes, seed {card.seed}")
    table.add_row("data", escape(card.data))
    for rating in card.ratings:
        table.add_row("rating", _rating_text(rating))
    if card.ratings:
        table.add_row("scale", card.ratings[0].scale)
    table.add_row("play", f"selfmate lab, or selfmate uci {card.name}")
    console = Console(highlight=False)
    console.print(f"[bold]{card.name}[/]")
    console.print(table)


def _rating_text(rating: "Rating") -> str:
    low, high = ("?" if bound is None else f"{bound:.0f}" for bound in (rating.low, rating.high))
    return f"about {rating.elo:.0f} ({low} to {high}): {rating.player}"
