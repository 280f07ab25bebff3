"""`selfmate endgame solve`: the exact answers, in words and as a file."""

import json
from pathlib import Path

import numpy as np
from rich.markup import escape

from selfmate.cli.default_run import RUNS
from selfmate.cli.endgame_board import Screen, ranked_moves
from selfmate.cli.errors import JobFailedError, reading_input
from selfmate.cli.progress import progress
from selfmate.endgame.game import Game, compile_game
from selfmate.endgame.solve import PARTS, Solution, save_solution, solve


def solve_and_save(
    size: int, gamma: float, draw_reward: float, out: Path | None, as_json: bool
) -> None:
    path = out or RUNS / "endgame" / f"solution-{size}-{gamma:g}-{draw_reward:g}.safetensors"
    with reading_input():
        _make_room(path)
    with progress("solving", PARTS, "parts") as bar:
        game = compile_game(size)
        solution = solve(game, gamma, draw_reward, on_part=lambda: bar.advance(1))
    try:
        save_solution(solution, path)
    except OSError as error:
        raise JobFailedError(f"the solution could not be saved: {error}") from error
    if as_json:
        print(json.dumps(solution.figures() | {"file": str(path)}))
    else:
        _explain(game, solution, path)


def _make_room(path: Path) -> None:
    if path.is_dir():
        raise ValueError(f"{path} is a directory, not a file to write to")
    path.parent.mkdir(parents=True, exist_ok=True)


def _explain(game: Game, solution: Solution, path: Path) -> None:
    screen = Screen(game)
    size, starts = game.size, int((game.start_probabilities > 0).sum())
    screen.console.print(f"[bold]King and queen against king on {size} x {size}, solved.[/]\n")
    for figure, meaning in (
        (f"{game.states:,}", f"positions to move in can arise, {starts:,} of them at the start"),
        (f"{solution.random_mate_probability:.4%}", "of games are won by moving at random,"),
        (f"{solution.random_mean_moves:.4f}", "moves a game on average; the rest are stalemates"),
        (f"{solution.best_mate_probability:.4%}", "of games are won by perfect play,"),
        (f"{solution.optimal_mean_moves:.4f}", "moves a game on average against random replies;"),
        (f"{solution.worst_case_moves}", "moves force mate from any start, whatever the replies"),
        (f"{solution.optimal_value:.4f}", "is what a game is worth to perfect play: a mate is"),
        ("", f"worth 1, a draw {solution.draw_reward:g}, {solution.gamma:g} of it a move later"),
    ):
        screen.console.print(f"  [bold]{figure:>9}[/]  {meaning}")
    _show_longest(screen, game, solution)
    screen.console.print(f"What every move is worth: [bold]{escape(str(path))}[/]")
    screen.console.print(f"Try it yourself: [bold]selfmate endgame play --size {size}[/]")


def _show_longest(screen: Screen, game: Game, solution: Solution) -> None:
    """The start from which perfect play takes longest."""
    moves = np.where(game.start_probabilities > 0, solution.least_moves, 0)
    state = int(moves.argmax())
    screen.console.print("\nA start from which perfect play takes longest, ", end="")
    screen.console.print(f"{moves[state]:.4f} moves on average:")
    screen.show(state, solution.q_values)
    _, best, value = ranked_moves(game, state, solution.q_values)[0]
    screen.console.print(f"The best move is [bold]{best}[/], worth {value:.4f}.\n")
