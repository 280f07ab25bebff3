"""`selfmate endgame`: the mini-chess laboratory. The work is done in one file per command."""

from pathlib import Path
from typing import Annotated

import typer

from selfmate.cli.endgame_reproduce import reproduce
from selfmate.cli.numbers import LARGEST_SEED, between, whole

Size = Annotated[
    int | None,
    typer.Option(
        parser=whole(4, 8), metavar="N", help="Rows and columns, 4 to 8.", show_default="4"
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]

endgame = typer.Typer(
    help="The mini-chess laboratory: king and queen against a lone king, solved exactly.",
    invoke_without_command=True,
)


endgame.command()(reproduce)


@endgame.callback()
def explain(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


@endgame.command()
def solve(
    size: Size = None,
    gamma: Annotated[
        float,
        typer.Option(
            parser=between(0, 0.999),
            metavar="G",
            help="Worth of a reward one move later, 0 to 0.999.",
        ),
    ] = 0.85,
    draw_reward: Annotated[
        float,
        typer.Option(
            parser=between(-1, 1), metavar="R", help="Of a stalemate, -1 to 1; a mate's is 1."
        ),
    ] = -1.0,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Where the values of all moves are saved.",
            show_default="runs/endgame/solution-N-G-R.safetensors",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compute exactly what random and perfect play achieve, and what every move is worth."""
    from selfmate.cli.endgame_solve import solve_and_save

    solve_and_save(size or 4, gamma, draw_reward, out, as_json)


@endgame.command()
def evaluate(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Its directory, such as runs/x.")],
    version: Annotated[
        str, typer.Option(metavar="V", help="Which checkpoint: last, best or a step.")
    ] = "last",
    as_json: AsJson = False,
) -> None:
    """Score a trained run beside perfect play: every start is looked at, no game is sampled."""
    from selfmate.cli.endgame_evaluate import evaluate_run

    evaluate_run(run, version, as_json)


@endgame.command()
def play(
    size: Size = None,
    run: Annotated[
        Path | None, typer.Option(metavar="RUN", help="A trained run to watch or to ask.")
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Watch the perfect player, or RUN, instead.")
    ] = False,
    seed: Annotated[
        int | None,
        typer.Option(
            parser=whole(0, LARGEST_SEED),
            metavar="S",
            help="Same seed, same start and dice.",
            show_default="another each time",
        ),
    ] = None,
) -> None:
    """Play king and queen yourself against the king that moves at random, or watch."""
    from selfmate.cli.endgame_play import play_one_game

    play_one_game(size, run, watch, seed)
