"""`selfmate demo`: the main job, explained step by step."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from selfmate.cli.demo_proof import prove
from selfmate.cli.demo_school import collect, fine_tune, imitate
from selfmate.cli.errors import JobFailedError, reading_input
from selfmate.cli.figures import duration
from selfmate.cli.numbers import LARGEST_SEED, whole
from selfmate.cli.progress import progress

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True, kw_only=True)
class DemoSettings:
    perft_depth: int
    teacher_games: int
    epochs: int
    cycles: int
    match_games: int


def demo(
    seed: Annotated[
        int,
        typer.Option(parser=whole(0, LARGEST_SEED), metavar="N", help="Same seed, same games."),
    ] = 1,
    out: Annotated[Path, typer.Option(help="Where everything is saved.")] = Path("runs/demo"),
    quick: Annotated[bool, typer.Option("--quick", help="Seconds, and it learns little.")] = False,
) -> None:
    """From nothing to a chess engine in three minutes: taught, trained by playing, and proved."""
    from rich.console import Console

    from selfmate.presets import load_preset

    settings = DemoSettings(**load_preset("demo")["quick" if quick else "full"])
    with reading_input():
        out.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    console = Console(highlight=False)
    console.print("[bold]Selfmate[/], a laboratory for chess engines that teach themselves.\n")
    _check_rules(console, settings)
    data = collect(console, settings.teacher_games, seed, out / "teacher.ndjson.zst")
    pretrained = imitate(console, data, settings.epochs, seed, out / "imitation")
    trained = fine_tune(console, pretrained, settings.cycles, seed, out / "dqn")
    prove(console, trained, pretrained, settings.match_games, seed, out)
    console.print(f"   All that in {duration(time.monotonic() - started)}.\n")
    console.print(f"Next: [bold]selfmate uci {trained}[/] to play it from a chess program,")
    console.print(f"      [bold]selfmate match {trained} teacher:depth=1[/] for more matches,")
    console.print(f"      [bold]selfmate train dqn --load {trained}[/] to train it further,")
    console.print(f"      [bold]selfmate inspect {trained}[/] to see how it learned.")


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
