"""docs/models.md is what the cards of the nets say."""

from collections.abc import Iterator
from pathlib import Path

from golden.golden import check_golden
from selfmate.cli.models import WORDS, comparison
from selfmate.weights import model_names
from selfmate.weights.card import ModelCard, read_baseline, read_card

PAGE = Path(__file__).parents[2] / "docs" / "models.md"
INTRODUCTION = """\
# Nets that ship

Each is a player by its name, made by the commands below, which anyone can run. `selfmate models`
lists them, `selfmate models compare` shows the table, and `selfmate models verify` checks the
weights and plays the figures of the table again. `make docs` draws this page from their cards.

Ratings are on the [Stockfish skill scale](how-to/read-ratings.md), 100 ms a move, ±100 absolute,
with their 95 % intervals. Puzzles are 1,000 of the Lichess database, drawn at random. Tactics
are the puzzles of the lab, mined from games of our nets and checked by Stockfish. Won endgames are
50 positions of king and queen (KQ-K), rook or two bishops, against the longest defence.
"""


def drawn_page() -> str:
    cards = [read_card(name) for name in model_names()]
    nets = [line for card in cards for line in _net(card)]
    return "\n".join([INTRODUCTION, *_table(), *_puzzles(cards), *nets])


def _table() -> Iterator[str]:
    yield f"| player | rating | puzzles | {' | '.join(WORDS.values())} |"
    yield "|---" * (3 + len(WORDS)) + "|"
    for row in comparison():
        player, *cells = row.values()
        yield f"| `{player}` | {' | '.join(cells)} |"
    yield ""


def _puzzles(cards: list[ModelCard]) -> Iterator[str]:
    bands = [band for figures in (*cards, read_baseline()) for band in figures.puzzle_bands]
    rows = dict[str, list[str]]()
    titles = dict.fromkeys(
        f"{band.lowest} to {band.highest}" if band.highest else f"{band.lowest} and above"
        for band in bands
    )
    for band in bands:
        rows.setdefault(band.player, []).append(f"{band.solved} of {band.puzzles}")
    yield "Puzzles by rating:\n"
    yield f"| player | {' | '.join(titles)} |"
    yield "|---" * (1 + len(titles)) + "|"
    yield from (f"| `{player}` | {' | '.join(cells)} |" for player, cells in rows.items())
    yield ""


def _net(card: ModelCard) -> Iterator[str]:
    yield f"## `{card.name}`"
    yield f"{card.about}\n"
    yield f"- **Learned from**: {card.data}."
    yield f"- **Training**: {card.minutes:.0f} minutes, seed {card.seed}."
    yield f"- **Size**: {card.weights_bytes / 1e6:.1f} MB."
    for check in card.checks:
        if check.kind == "match":
            score = f"{check.points:g} of {check.games} points"
            yield f"- `{check.player}` against `{check.opponent}`: {score}."
    if card.weaknesses:
        yield f"- **Weak at**: {card.weaknesses}"
    yield from ("", "```", *card.commands, "```", "")


def test_the_page_of_nets_is_what_their_cards_say() -> None:
    check_golden(PAGE, drawn_page())
