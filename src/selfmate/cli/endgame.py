"""`selfmate endgame`: the mini-chess laboratory; `play` has a module of its own."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from selfmate.cli.console import (
    LARGEST_SEED,
    JobFailedError,
    between,
    escape,
    progress,
    reading_input,
    whole,
)
from selfmate.cli.endgame_play import Screen, load_trained_run, ranked_moves
from selfmate.cli.runs import RUNS
from selfmate.minichess.evaluation import Evaluation, evaluate_policy
from selfmate.minichess.game import Game, compile_game
from selfmate.minichess.solver import PARTS, Solution, least_moves, save_solution, worst_moves
from selfmate.minichess.solver import solve as solve_game

if TYPE_CHECKING:
    from selfmate.minichess.reference_tables import Table as ReferenceTable
    from selfmate.minichess.reproduction import Reproduction
    from selfmate.runs import Json


def reproduce(
    tables: Annotated[
        list[str] | None,
        typer.Option(
            "--table", metavar="I..IX", help="A table of the reference design; may be repeated."
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All nine tables.")] = False,
    episodes: Annotated[
        int, typer.Option(parser=whole(1, 10**9), metavar="N", help="Games per training.")
    ] = 100_000,
    grid: Annotated[
        list[str] | None,
        typer.Option(
            "--grid", metavar="KEY=A,B,...", help="Other settings for the table's last agent."
        ),
    ] = None,
    seeds: Annotated[
        list[int] | None,
        typer.Option(
            "--seed",
            parser=whole(0, LARGEST_SEED),
            metavar="N",
            help="Random seed; may be repeated, for means and spread.",
            show_default="2022",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting of all agents."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Runs, tables, curves.", show_default="runs/reproduce-EPISODES"
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Train the agents of the reference design's tables, and print its results beside ours.

    Trainings run on all cores and are kept: after Ctrl-C the same command resumes them.
    Full length takes hours, 2,000 episodes take minutes.
    """
    from selfmate.minichess.reference_tables import TABLES
    from selfmate.minichess.reproduction import DEFAULT_SEED, Reproduction

    with reading_input():
        plan = Reproduction(
            tables=chosen_tables(
                TABLES if every else tuple(tables or ()), grid or [], settings or []
            ),
            episodes=episodes,
            directory=out or Path("runs") / f"reproduce-{episodes}",
            seeds=tuple(dict.fromkeys(seeds or [DEFAULT_SEED])),
        )
        plan.check()
    _train(plan)
    texts = write_tables(plan)
    if as_json:
        print(json.dumps(_report(plan)))
        return
    print("\n\n".join(texts))
    print(f"\nTables and curves are in {plan.directory}.")


def chosen_tables(
    numbers: tuple[str, ...], grid: list[str], settings: list[str]
) -> "tuple[ReferenceTable, ...]":
    from selfmate.minichess.reference_tables import REFERENCE_TABLES, TABLES
    from selfmate.minichess.reproduction import with_grid, with_settings

    allowed = f"there are {', '.join(TABLES)}, and --all"
    if not numbers:
        raise ValueError(f"say which tables: --table III, or --all; {allowed}")
    for number in numbers:
        if number not in REFERENCE_TABLES:
            raise ValueError(f"the reference design has no table {number!r}; {allowed}")
    pairs = dict(_grid_values("--set", text) for text in settings)
    fixed: dict[str, Json] = {key: ",".join(values) for key, values in pairs.items()}
    unique = dict.fromkeys(numbers)
    tables = tuple(with_settings(REFERENCE_TABLES[number], fixed) for number in unique)
    if not grid:
        return tables
    values = dict(_grid_values("--grid", text) for text in grid)
    return tuple(with_grid(table, values) for table in tables)


def _grid_values(option: str, text: str) -> tuple[str, list[str]]:
    key, equals, values = text.partition("=")
    if not (key and equals and all(values.split(","))):
        raise ValueError(f"{option} {text!r} is not of the form key=a,b,...")
    return key, values.split(",")


def _train(plan: "Reproduction") -> None:
    from selfmate.minichess.reproduction import TrainingFailedError, run_trainings
    from selfmate.rules import available_cores

    trainings = plan.trainings()
    total = len(trainings) * plan.episodes
    done = sum(training.done() for training in trainings)
    with progress(f"{len(trainings)} trainings", total - done, "games") as bar:

        def advance() -> None:
            nonlocal done
            now = sum(training.done() for training in trainings)
            bar.advance(now - done)
            done = now

        try:
            if done < total:
                run_trainings(trainings, available_cores(), advance)
        except TrainingFailedError as error:
            raise JobFailedError(str(error)) from error


def write_tables(plan: "Reproduction") -> list[str]:
    """Writes tables and curves to files; returns the tables."""
    from selfmate.minichess.curves import svg_of
    from selfmate.minichess.reference_tables import as_markdown

    plan.directory.mkdir(parents=True, exist_ok=True)
    texts = []
    for table in plan.tables:
        ours = [plan.results_of(column) for column in table.columns]
        texts.append(as_markdown(table, ours, plan.episodes))
        curves = plan.curves_of(table)
        if curves and not table.is_about_time:
            picture = plan.directory / f"table-{table.number}.svg"
            picture.write_text(svg_of(table.title, curves), encoding="utf-8")
    (plan.directory / "tables.md").write_text("\n\n".join(texts) + "\n", encoding="utf-8")
    return texts


def _report(plan: "Reproduction") -> dict[str, object]:
    return {
        "episodes": plan.episodes,
        "seeds": plan.seeds,
        "tables": [
            {
                "table": table.number,
                "title": table.title,
                "columns": [
                    {
                        "agent": column.label,
                        "reference": asdict(column.reference),
                        "ours": [asdict(results) for results in plan.results_of(column)],
                    }
                    for column in table.columns
                ],
            }
            for table in plan.tables
        ],
    }


def evaluate_run(run: Path, version: str, as_json: bool) -> None:
    """Prints the exact evaluation of a checkpoint beside perfect play."""
    trained = load_trained_run(run, version)
    found = evaluate_policy(
        trained.game, trained.actions, gamma=trained.gamma, draw_reward=trained.draw_reward
    )
    least = _optimal_mean_moves(trained.game)
    if as_json:
        report = {"run": str(run), "step": trained.step, "size": trained.game.size}
        print(json.dumps(report | asdict(found) | {"optimal_mean_moves": least}))
        return
    console = Console(highlight=False)
    starts = int((trained.game.start_probabilities > 0).sum())
    console.print(f"[bold]{escape(str(run))}[/], checkpoint {trained.step}: ", end="")
    console.print(f"the greedy policy, from each of {starts:,} starts.\n")
    console.print(_table(found, least))


def _optimal_mean_moves(game: Game) -> float:
    return float(game.start_probabilities @ least_moves(game, enough=worst_moves(game)))


def _table(found: Evaluation, least: float) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("")
    for column in ("this run", "perfect play"):
        table.add_column(column, justify="right")
    moves = "some never end" if found.mean_moves is None else f"{found.mean_moves:.4f}"
    for name, ours, perfect in (
        ("games won by mate", f"{found.mate_percent:.2f} %", "100 %"),
        ("games drawn by stalemate", f"{found.draw_percent:.2f} %", "0 %"),
        ("games that never end", f"{found.never_ending_percent:.2f} %", "0 %"),
        ("mean moves per game", moves, f"{least:.4f}"),
        ("optimal moves, of all states it reaches", f"{found.optimal_move_percent:.2f} %", "100 %"),
        ("regret: reward lost per game", f"{found.regret:.4f}", "0"),
    ):
        table.add_row(name, ours, perfect)
    return table


def solve_and_save(
    size: int, gamma: float, draw_reward: float, out: Path | None, as_json: bool
) -> None:
    """Solves the game, saves the values of all moves and prints the results."""
    path = out or RUNS / "endgame" / f"solution-{size}-{gamma:g}-{draw_reward:g}.safetensors"
    with reading_input():
        _prepare(path)
    with progress("solving", PARTS, "parts") as bar:
        game = compile_game(size)
        solution = solve_game(game, gamma, draw_reward, on_part=lambda: bar.advance(1))
    try:
        save_solution(solution, path)
    except OSError as error:
        raise JobFailedError(f"the solution could not be saved: {error}") from error
    if as_json:
        print(json.dumps(solution.scalars() | {"file": str(path)}))
    else:
        _explain(game, solution, path)


def _prepare(path: Path) -> None:
    if path.is_dir():
        raise ValueError(f"{path} is a directory, not a file to write to")
    path.parent.mkdir(parents=True, exist_ok=True)


def _explain(game: Game, solution: Solution, path: Path) -> None:
    screen = Screen(game)
    size, starts = game.size, int((game.start_probabilities > 0).sum())
    screen.console.print(f"[bold]King and queen against king on {size} x {size}, solved.[/]\n")
    for number, meaning in (
        (
            f"{game.states:,}",
            f"positions to move in can arise, {starts:,} of them at the start",
        ),
        (f"{solution.random_mate_probability:.4%}", "of games are won by moving at random,"),
        (f"{solution.random_mean_moves:.4f}", "moves per game on average; the rest are stalemates"),
        (f"{solution.best_mate_probability:.4%}", "of games are won by perfect play,"),
        (f"{solution.optimal_mean_moves:.4f}", "moves per game on average against random replies;"),
        (f"{solution.worst_case_moves}", "moves force mate from any start, whatever the replies"),
        (f"{solution.optimal_value:.4f}", "is the value of a game under perfect play: a mate is"),
        ("", f"worth 1, a draw {solution.draw_reward:g}, {solution.gamma:g} of it a move later"),
    ):
        screen.console.print(f"  [bold]{number:>9}[/]  {meaning}")
    _show_longest(screen, game, solution)
    screen.console.print(f"The values of all moves: [bold]{escape(str(path))}[/]")
    screen.console.print(f"Try it yourself: [bold]selfmate endgame play --size {size}[/]")


def _show_longest(screen: Screen, game: Game, solution: Solution) -> None:
    """Prints a start from which perfect play takes longest."""
    moves = np.where(game.start_probabilities > 0, solution.least_moves, 0)
    state = int(moves.argmax())
    screen.console.print("\nA start from which perfect play takes longest, ", end="")
    screen.console.print(f"{moves[state]:.4f} moves on average:")
    screen.show(state, solution.q_values)
    _, best, value = ranked_moves(game, state, solution.q_values)[0]
    screen.console.print(f"The best move is [bold]{best}[/], worth {value:.4f}.\n")


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
            help="Discount factor per move, 0 to 0.999.",
        ),
    ] = 0.85,
    draw_reward: Annotated[
        float,
        typer.Option(
            parser=between(-1, 1), metavar="R", help="Reward of a stalemate, -1 to 1; a mate is 1."
        ),
    ] = -1.0,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File for the values of all moves.",
            show_default="runs/endgame/solution-N-G-R.safetensors",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compute exactly what random and perfect play achieve, and the value of every move."""
    solve_and_save(size or 4, gamma, draw_reward, out, as_json)


@endgame.command()
def evaluate(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Directory of a run, such as runs/x.")],
    version: Annotated[
        str, typer.Option(metavar="V", help="Checkpoint: last, best or a step.")
    ] = "last",
    as_json: AsJson = False,
) -> None:
    """Compare a trained run with perfect play, exactly: from every start, without sampling."""
    evaluate_run(run, version, as_json)


@endgame.command()
def play(
    size: Size = None,
    run: Annotated[
        Path | None,
        typer.Option(metavar="RUN", help="Trained run to watch or to consult."),
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Watch the perfect player, or RUN, instead.")
    ] = False,
    seed: Annotated[
        int | None,
        typer.Option(
            parser=whole(0, LARGEST_SEED),
            metavar="S",
            help="Random seed: same seed, same start and replies.",
            show_default="random",
        ),
    ] = None,
) -> None:
    """Play king and queen against a king that moves at random, or watch."""
    from selfmate.cli.endgame_play import play_one_game

    play_one_game(size, run, watch, seed)
