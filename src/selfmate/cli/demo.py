"""`selfmate demo`: the main job, explained step by step."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from selfmate.cli.demo_learning import show_learning
from selfmate.cli.drawing import draw_board
from selfmate.cli.errors import JobFailedError, reading_input
from selfmate.cli.numbers import LARGEST_SEED, whole
from selfmate.cli.progress import progress

if TYPE_CHECKING:
    from rich.console import Console

    from selfmate.rules import GameRecords


@dataclass(frozen=True, kw_only=True)
class DemoSettings:
    games: int
    saved_games: int
    perft_depth: int
    match_games: int
    lessons: int
    player: str
    opponent: str


def demo(
    seed: Annotated[
        int,
        typer.Option(parser=whole(0, LARGEST_SEED), metavar="N", help="Same seed, same games."),
    ] = 1,
    out: Annotated[Path, typer.Option(help="Where the games are saved.")] = Path("runs/demo"),
) -> None:
    """See what is here in half a minute: rules checked, games played, a match, and learning."""
    from rich.console import Console

    from selfmate.presets import load_preset

    settings = DemoSettings(**load_preset("demo"))
    with reading_input():
        out.mkdir(parents=True, exist_ok=True)
    console = Console(highlight=False)
    console.print("[bold]Selfmate[/], a laboratory for chess engines that teach themselves.\n")
    _check_rules(console, settings)
    games = _play(console, settings, seed)
    _show_a_mate(console, games)
    _save(console, settings, games, out / "games.pgn")
    _match(console, settings, seed, out)
    show_learning(console, settings.lessons, seed, out / "ddqn")
    console.print(
        f"\nNext: [bold]selfmate endgame play --watch --run {out / 'ddqn'}[/] to see it play,"
    )
    console.print("      [bold]selfmate train ddqn[/] to train it longer,")
    console.print("      [bold]selfmate uci[/] to play from a chess program,")
    console.print(
        "      [bold]selfmate rate[/] for the ladder, [bold]selfmate bench[/] for speeds."
    )


def _check_rules(console: "Console", settings: DemoSettings) -> None:
    from selfmate.rules import Board
    from selfmate.rules.perft_positions import PERFT_POSITIONS

    console.print("[bold]1.[/] Does it know the rules? Count all positions some moves ahead and")
    console.print("   compare with the known numbers; one wrong rule would change them.")
    started = time.perf_counter()
    nodes = 0
    with progress("counting", len(PERFT_POSITIONS), "positions") as bar:
        for position in PERFT_POSITIONS:
            counted = Board(position.fen).perft(settings.perft_depth)
            if counted != position.nodes[settings.perft_depth - 1]:
                raise JobFailedError(
                    f"the rule book is wrong: perft of {position.fen} gave {counted}"
                )
            nodes += counted
            bar.advance(1)
    rate = nodes / (time.perf_counter() - started)
    console.print(
        f"   [green]Right[/] in {len(PERFT_POSITIONS)} positions: {nodes:,} nodes, ", end=""
    )
    console.print(f"{rate / 1e6:,.0f} million a second.\n")


def _play(console: "Console", settings: DemoSettings, seed: int) -> "GameRecords":
    from selfmate.rules import random_games
    from selfmate.rules.cores import available_cores

    cores = available_cores()
    console.print(f"[bold]2.[/] Play {settings.games:,} games of random moves on {cores} cores.")
    started = time.perf_counter()
    games = random_games(settings.games, seed=seed, threads=cores)
    seconds = time.perf_counter() - started
    plies = len(games.moves)
    console.print(
        f"   {plies:,} plies in {seconds:.1f} s: {plies / seconds / 1e6:.1f} million ", end=""
    )
    console.print("a second. How they ended:")
    console.print(_endings(games))
    return games


def _endings(games: "GameRecords") -> object:
    import numpy as np
    from rich.table import Table

    from selfmate.rules import REASONS

    table = Table(box=None, padding=(0, 2), show_header=False)
    for code, count in enumerate(np.bincount(games.reasons, minlength=len(REASONS))):
        if count:
            share = count / len(games)
            bar = "█" * round(40 * share)
            table.add_row(f" {REASONS[code].replace('_', ' ')}", f"{share:.1%}", f"[cyan]{bar}[/]")
    return table


def _show_a_mate(console: "Console", games: "GameRecords") -> None:
    import numpy as np

    from selfmate.rules import REASONS, Board

    mates = np.flatnonzero(games.reasons == REASONS.index("checkmate"))
    if not len(mates):
        return
    lengths = np.diff(games.offsets)[mates]
    shortest = int(mates[np.argmin(lengths)])
    board = Board(games.start_fen(shortest))
    line = games.san(shortest)
    for san in line:
        board.push(board.parse_san(san))
    winner = "White" if games.results[shortest] > 0 else "Black"
    console.print(f"\n   The quickest mate, by chance, after {len(line)} plies ({winner} wins):\n")
    console.print(draw_board(board, indent=6))
    console.print(f"\n      {' '.join(line)}\n")


def _save(console: "Console", settings: DemoSettings, games: "GameRecords", path: Path) -> None:
    from selfmate.rules import read_pgn, write_pgn

    with path.open("w", encoding="utf-8") as file:
        write_pgn(games, file, games=range(settings.saved_games))
    read_back = sum(len(chunk.games) for chunk in read_pgn(path))
    if read_back != settings.saved_games:
        raise JobFailedError(f"{path} holds {read_back} readable games, not {settings.saved_games}")
    console.print(f"[bold]3.[/] {read_back} games saved as PGN and read back: [bold]{path}[/]")


def _match(console: "Console", settings: DemoSettings, seed: int, out: Path) -> None:
    from selfmate.arena.match_pgn import write_match_pgn
    from selfmate.arena.run_match import MatchRun, MatchSettings
    from selfmate.cli.match_view import elo_text
    from selfmate.players import load_player

    names = (settings.player, settings.opponent)
    console.print(
        f"\n[bold]4.[/] Who is stronger, {names[0]} or {names[1]}? {settings.match_games}"
    )
    console.print("   games, every opening twice with colours swapped.")
    players = (load_player(names[0]), load_player(names[1]))
    agreed = MatchSettings(games=settings.match_games, seed=seed)
    run = MatchRun(players, agreed, out / "matches", resume=False)
    with progress("playing", settings.match_games, "games") as bar:
        run.play(on_game=lambda: bar.advance(1))
    report = run.report()
    if report.illegal_moves:
        raise JobFailedError(f"{report.illegal_moves} illegal moves were played")
    console.print(f"   {report.wins} won, {report.draws} drawn, {report.losses} lost: ", end="")
    console.print(f"[bold]Elo {elo_text(report)}[/], with its 95 % interval.")
    with (out / "match.pgn").open("w", encoding="utf-8") as file:
        write_match_pgn(run.games(), names, file, date="????.??.??", seed=seed)
