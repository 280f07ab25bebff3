"""`selfmate calibrate`: the settings that make a net as strong as a rating says."""

from pathlib import Path
from typing import Annotated

import typer

from selfmate.cli.console import LARGEST_SEED, JobFailedError, reading_input, whole


def calibrate(
    player: Annotated[
        str, typer.Argument(help="A net without settings: a model, or a run, also with version=.")
    ],
    games: Annotated[
        int, typer.Option(parser=whole(2, 10**5), metavar="N", help="Games of each setting in all.")
    ] = 80,
    max_simulations: Annotated[
        int,
        typer.Option(
            parser=whole(0, 10**6), metavar="N", help="Settings with more simulations are left out."
        ),
    ] = 800,
    out: Annotated[
        Path | None,
        typer.Option(help="The file to write.", show_default="beside the card, or in the run"),
    ] = None,
    pool: Annotated[Path, typer.Option(help="The file of all results.")] = Path("runs/pool.jsonl"),
    seed: Annotated[
        int,
        typer.Option(parser=whole(0, LARGEST_SEED), metavar="N", help="Same seed, same games."),
    ] = 1,
) -> None:
    """Measure which settings make a net how strong, for UCI_Elo and players like NET:elo=1200.

    Rates the policy alone at several temperatures, and tree searches of more and
    more simulations, as `selfmate rate` does. If it is interrupted, the same
    command continues: the pool keeps all results.
    """
    from selfmate.arena.calibration import plan_calibration, write_calibration
    from selfmate.arena.ladder import Ladder
    from selfmate.cli.rate import rate

    with reading_input():
        plan = plan_calibration(player, max_simulations)
        path = plan.path if out is None else out
        if not path.parent.is_dir():
            raise ValueError(f"there is no folder {str(path.parent)!r} for {path.name}")
    rate(list(plan.players), games=games, movetime=None, pool=pool, seed=seed, as_json=False)
    try:
        left_out = write_calibration(plan, Ladder(pool, seed), path)
    except (OSError, ValueError) as error:
        raise JobFailedError(f"no calibration was written: {error}") from error
    for name in left_out:
        print(f"{name} is left out: it is no stronger than a weaker setting, or has no bound.")
    print(f"Wrote {path}. Now: selfmate uci {player}, with UCI_LimitStrength and UCI_Elo.")
