"""The part of the demo in which what was learned is proved, in matches."""

import textwrap
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from selfmate.cli.drawing import draw_board
from selfmate.cli.errors import JobFailedError
from selfmate.cli.match_view import elo_text
from selfmate.cli.progress import progress

if TYPE_CHECKING:
    from rich.console import Console

    from selfmate.arena.match import PlayedGame

    Games = Sequence[PlayedGame]


def prove(
    console: "Console", trained: Path, pretrained: Path, games: int, seed: int, out: Path
) -> None:
    from selfmate.arena.match_pgn import write_match_pgn

    console.print(f"[bold]5.[/] Is it any good? {games} games with each of these, every opening")
    console.print("   twice with colours swapped, and the 95 % interval of the difference:\n")
    opponents = {
        "itself, before any lesson": f"{pretrained}:version=0",
        "itself, before it played": str(pretrained),
        "random moves": "random",
        "greedy: takes what it can": "greedy",
        "the teacher, one ply ahead": "teacher:depth=1",
    }
    played: dict[str, Games] = {}
    with (
        (out / "match.pgn").open("w", encoding="utf-8") as file,
        progress("playing", games * len(opponents), "games") as bar,
    ):
        for label, name in opponents.items():
            played[label] = _match(str(trained), name, games, seed, bar.advance)
            names = (str(trained), name)
            write_match_pgn(played[label], names, file, date="????.??.??", seed=seed)
    _print_table(console, played)
    _show_a_mate(console, [game for match in played.values() for game in match])
    console.print(f"   All games: [bold]{out / 'match.pgn'}[/]")


def _match(
    name: str, opponent: str, games: int, seed: int, advance: Callable[[float], None]
) -> "Games":
    from selfmate.arena.match import Match
    from selfmate.arena.openings import shipped_openings, shuffled
    from selfmate.players import load_player

    played = []
    with closing(load_player(name)) as player, closing(load_player(opponent)) as other:
        match = Match((player, other), shuffled(shipped_openings(), seed), seed)
        for game in match.play(range(games)):
            played.append(game)
            advance(1)
    return sorted(played, key=lambda game: game.number)


def _print_table(console: "Console", played: "Mapping[str, Games]") -> None:
    from rich.table import Table

    from selfmate.arena.report import make_report

    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("   against")
    for column in ("won", "drawn", "lost", "score"):
        table.add_column(column, justify="right")
    table.add_column("Elo")
    for label, games in played.items():
        report = make_report(games)
        if report.illegal_moves:
            raise JobFailedError(f"{report.illegal_moves} illegal moves were played")
        numbers = (report.wins, report.draws, report.losses)
        score = f"[green]{report.score:.0%}[/]" if report.score > 0.5 else f"{report.score:.0%}"
        table.add_row(f"   {label}", *map(str, numbers), score, elo_text(report))
    console.print(table)


def _show_a_mate(console: "Console", games: "Games") -> None:
    """The quickest one that the net gave."""
    mates = [game for game in games if game.reason == "checkmate" and game.points_of_a == 1]
    if not mates:
        console.print()
        return
    from selfmate.rules import Board

    quickest = min(mates, key=lambda game: (len(game.moves), game.number))
    board, line = Board(quickest.opening.fen), list[str]()
    for move in quickest.moves:
        line.append(board.san(move))
        board.push(move)
    console.print(f"\n   Its quickest mate, after {len(line)} plies:\n")
    console.print(draw_board(board, indent=6))
    console.print(f"\n{textwrap.indent(textwrap.fill(' '.join(line), 70), ' ' * 6)}\n")
