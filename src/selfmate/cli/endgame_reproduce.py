"""`selfmate endgame reproduce`: the mini-chess seed's tables and curves, trained again."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from selfmate.cli.errors import JobFailedError, reading_input
from selfmate.cli.numbers import LARGEST_SEED, whole
from selfmate.cli.progress import progress

if TYPE_CHECKING:
    from selfmate.experiments.reproduce import Reproduction
    from selfmate.experiments.seed_tables import Table


def reproduce(
    tables: Annotated[
        list[str] | None,
        typer.Option("--table", metavar="I..IX", help="A table of the seed; as often as you like."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All nine tables.")] = False,
    episodes: Annotated[
        int, typer.Option(parser=whole(1, 10**9), metavar="N", help="Games of each training.")
    ] = 100_000,
    grid: Annotated[
        list[str] | None,
        typer.Option(
            "--grid", metavar="KEY=A,B,...", help="Other values for the table's last agent."
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(parser=whole(0, LARGEST_SEED), metavar="N", help="Of every training.")
    ] = 2022,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Runs, tables, curves.", show_default="runs/reproduce-EPISODES"
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Train what the seed's tables compare, as its listings do, and show both beside each other.

    Trainings run on all cores and are kept: after Ctrl-C the same command goes on with them.
    Full length takes hours, 2,000 episodes minutes.
    """
    from selfmate.experiments.reproduce import Reproduction
    from selfmate.experiments.seed_tables import TABLES

    with reading_input():
        chosen = _chosen(TABLES if every else tuple(tables or ()), grid or [])
        directory = out or Path("runs") / _default_name(episodes, seed)
        plan = Reproduction(tables=chosen, episodes=episodes, directory=directory, seed=seed)
        plan.check()
    _train(plan)
    texts = _write(plan)
    if as_json:
        print(json.dumps(_report(plan)))
        return
    print("\n\n".join(texts))
    print(f"\nTables and curves are in {directory}.")


def _chosen(numbers: tuple[str, ...], grid: list[str]) -> "tuple[Table, ...]":
    from selfmate.experiments.reproduce import with_grid
    from selfmate.experiments.seed_tables import SEED_TABLES, TABLES

    allowed = f"there are {', '.join(TABLES)}, and --all"
    if not numbers:
        raise ValueError(f"say which tables: --table III, or --all; {allowed}")
    for number in numbers:
        if number not in SEED_TABLES:
            raise ValueError(f"the seed has no table {number!r}; {allowed}")
    tables = tuple(SEED_TABLES[number] for number in dict.fromkeys(numbers))
    if not grid:
        return tables
    values = dict(_grid_values(text) for text in grid)
    return tuple(with_grid(table, values) for table in tables)


def _grid_values(text: str) -> tuple[str, list[str]]:
    key, equals, values = text.partition("=")
    if not (key and equals and all(values.split(","))):
        raise ValueError(f"--grid {text!r} is not of the form key=a,b,...")
    return key, values.split(",")


def _default_name(episodes: int, seed: int) -> str:
    from selfmate.experiments.reproduce import SEED

    return f"reproduce-{episodes}" + ("" if seed == SEED else f"-seed-{seed}")


def _train(plan: "Reproduction") -> None:
    from selfmate.experiments.trainings import TrainingFailedError, run_trainings
    from selfmate.rules.cores import available_cores

    trainings = plan.trainings()
    total = len(trainings) * plan.episodes
    done = sum(training.done() for training in trainings)
    with progress(f"{len(trainings)} trainings", total - done, "games") as bar:

        def look() -> None:
            nonlocal done
            now = sum(training.done() for training in trainings)
            bar.advance(now - done)
            done = now

        try:
            if done < total:
                run_trainings(trainings, available_cores(), look)
        except TrainingFailedError as error:
            raise JobFailedError(str(error)) from error


def _write(plan: "Reproduction") -> list[str]:
    """Tables and curves as files; returns the tables."""
    from selfmate.experiments.curves import can_draw, draw_curves
    from selfmate.experiments.table_text import as_markdown

    plan.directory.mkdir(parents=True, exist_ok=True)
    texts = []
    for table in plan.tables:
        ours = [plan.figures_of(column) for column in table.columns]
        texts.append(as_markdown(table, ours, plan.episodes))
        runs = plan.runs_of(table)
        if can_draw() and runs and not table.is_about_time:
            draw_curves(table.title, runs, plan.directory / f"table-{table.number}.png")
    if not can_draw():
        typer.echo("no curves: they need matplotlib, pip install 'selfmate[plots]'", err=True)
    (plan.directory / "tables.md").write_text("\n\n".join(texts) + "\n", encoding="utf-8")
    return texts


def _report(plan: "Reproduction") -> dict[str, object]:
    return {
        "episodes": plan.episodes,
        "tables": [
            {
                "table": table.number,
                "title": table.title,
                "columns": [
                    {
                        "agent": column.label,
                        "seed": asdict(column.found),
                        "ours": asdict(plan.figures_of(column)),
                    }
                    for column in table.columns
                ],
            }
            for table in plan.tables
        ],
    }
