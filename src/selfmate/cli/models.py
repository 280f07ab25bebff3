"""`selfmate models`: the nets that ship, compared, and verified."""

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from selfmate.cli.console import (
    BadInputError,
    JobFailedError,
    LiveLine,
    counted,
    escape,
    reading_input,
)

if TYPE_CHECKING:
    from selfmate.arena.checks import Replay
    from selfmate.weights.card import Check, Figures, ModelCard, Rating

WORDS = {"tactics": "tactics", "queen": "KQ-K", "rook": "KR-K", "bishops": "KBB-K"}

models = typer.Typer(
    help="List the nets that ship, with their training and ratings. Each is a player by its name.",
    invoke_without_command=True,
)


@models.callback()
def list_all(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    if context.invoked_subcommand is not None:
        return
    cards = _cards()
    if as_json:
        print(json.dumps({card.name: card.model_dump(mode="json") for card in cards}))
        return
    if not cards:
        print("no net ships with this version; list those you trained with: selfmate runs")
    for card in cards:
        _print(card)
        print()
    if cards:
        print(
            "Side by side: selfmate models compare. Are they what they say? selfmate models verify"
        )


@models.command()
def compare(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show ratings, tactics and won endgames of all nets and of the teacher in one table."""
    rows = list(comparison())
    if as_json:
        print(json.dumps({"players": rows}))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, padding=(0, 1, 0, 0))
    table.add_column("player", no_wrap=True)
    for title in ("rating", "puzzles", *WORDS.values()):
        table.add_column(title, justify="right", no_wrap=True)
    for row in rows:
        name, _, settings = row["player"].partition(":")
        player = f"{escape(name)}\n  {escape(settings)}" if settings else escape(name)
        table.add_row(player, row["rating"], row["puzzles"], *(row[kind] for kind in WORDS))
    console = Console(highlight=False)
    console.print(table)
    console.print(
        "\nPuzzles: 1,000 of the Lichess database. Tactics: the puzzles of the lab.\n"
        "KQ-K, KR-K, KBB-K: won endgames against the longest defence.\n"
        "Ratings: Stockfish skill scale, 100 ms a move, ±100 absolute."
    )


def comparison() -> Iterator[dict[str, str]]:
    """A row for each way of playing that was measured, strongest first; every cell is a text."""
    from selfmate.weights.card import read_baseline

    rows = []
    for figures in (*_cards(), read_baseline()):
        for player in dict.fromkeys(check.player for check in figures.checks):
            own = figures.of(player)
            elo = own.ratings[0].elo if own.ratings else 0.0
            rows.append((elo, {"player": player, **_cells(own)}))
    return (row for _, row in sorted(rows, key=lambda one: -one[0]))


def _cells(figures: "Figures") -> dict[str, str]:
    points = dict[str, str]()
    for check in figures.checks:
        points[check.kind] = f"{check.points:g}/{check.games}"
    bands = figures.puzzle_bands
    solved, puzzles = sum(band.solved for band in bands), sum(band.puzzles for band in bands)
    return {
        "rating": _range_text(figures.ratings[0]) if figures.ratings else "-",
        "puzzles": f"{solved / puzzles:.0%}" if puzzles else "-",
        **{kind: points.get(kind, "-") for kind in WORDS},
    }


@models.command()
def verify(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Default: all that ship.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Check the weights against their cards, and play the cards' quick figures again.

    A figure may differ a little on a processor that rounds sums in another order. Exit code 1 if
    one differs by more than chance explains, or if weights are not those of the card.
    """
    cards = _named(names or [])
    damaged = [card.name for card in cards if not has_its_weights(card)]
    results: list[Replay] = []
    for card in cards:
        if not as_json:
            state = "damaged" if card.name in damaged else "the weights are those of the card"
            print(f"{card.name}: {state}", flush=True)
        if card.name not in damaged:
            results += _replayed(card, as_json)
    wrong = [result for result in results if not result.agrees]
    if as_json:
        print(json.dumps({"damaged": damaged, "checks": [_as_dict(one) for one in results]}))
    if damaged or wrong:
        raise JobFailedError(
            f"{counted(len(damaged), 'net is', 'nets are')} damaged, and "
            f"{counted(len(wrong), 'figure is', 'figures are')} not as on the card"
        )
    if not as_json:
        exact = sum(result.is_exact for result in results)
        print(f"{counted(len(results), 'figure')}, {exact} of them exactly as on the card")


def has_its_weights(card: "ModelCard") -> bool:
    """Whether the weights are those that the card describes."""
    from hashlib import sha256
    from pathlib import Path

    from selfmate.weights import weights_path

    data = Path(weights_path(card.name)).read_bytes()
    return sha256(data).hexdigest() == card.weights_sha256


def _replayed(card: "ModelCard", quietly: bool) -> "list[Replay]":
    from selfmate.arena.checks import replay

    results = []
    for check in card.checks:
        with LiveLine(lambda _, check=check: f"  {_title(check)} ...") as view:  # type: ignore[misc]
            view.update()
            results.append(replay(check))
        if not quietly:
            print(f"  {_title(check)}: {_result_text(results[-1])}", flush=True)
    return results


def _named(names: Sequence[str]) -> "list[ModelCard]":
    cards = {card.name: card for card in _cards()}
    for name in names:
        if name not in cards:
            raise BadInputError(f"{name!r} does not ship; these do: {', '.join(cards)}")
    return [card for card in cards.values() if not names or card.name in names]


def _cards() -> "list[ModelCard]":
    from selfmate.weights import model_names
    from selfmate.weights.card import read_card

    with reading_input():
        return [read_card(name) for name in model_names()]


def _title(check: "Check") -> str:
    if check.kind == "match":
        return f"{check.player} against {check.opponent}, {check.games} games"
    return f"{check.player}, {WORDS[check.kind]}"


def _result_text(result: "Replay") -> str:
    check = result.check
    found = f"{result.points:g} of {check.games}"
    if result.is_exact:
        return f"{found}, as on the card"
    state = "close to" if result.agrees else "NOT"
    return f"{found}, {state} the card's {check.points:g}"


def _as_dict(result: "Replay") -> dict[str, object]:
    found = {"points_now": result.points, "exact": result.is_exact, "agrees": result.agrees}
    return result.check.model_dump(mode="json") | found


def _print(card: "ModelCard") -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_row("about", escape(card.about))
    table.add_row("size", f"{card.weights_bytes / 1e6:.1f} MB")
    table.add_row("training", f"{card.learner}, {card.minutes:.0f} minutes, seed {card.seed}")
    table.add_row("data", escape(card.data))
    for rating in card.ratings:
        table.add_row("rating", f"about {_range_text(rating)}: {rating.player}")
    if card.ratings:
        table.add_row("scale", card.ratings[0].scale)
    if card.weaknesses:
        table.add_row("weak at", escape(card.weaknesses))
    table.add_row("play", f"selfmate lab, or selfmate uci {card.name}")
    console = Console(highlight=False)
    console.print(f"[bold]{card.name}[/]")
    console.print(table)


def _range_text(rating: "Rating") -> str:
    low, high = ("?" if bound is None else f"{bound:.0f}" for bound in (rating.low, rating.high))
    return f"{rating.elo:.0f} ({low} to {high})"
