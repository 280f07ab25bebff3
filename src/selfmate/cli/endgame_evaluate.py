"""`selfmate endgame evaluate`: a trained run beside perfect play."""

import json
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from selfmate.cli.endgame_run import load_trained_run
from selfmate.endgame.evaluate import Evaluation, evaluate_policy
from selfmate.endgame.game import Game
from selfmate.endgame.optimal import least_moves, worst_moves


def evaluate_run(run: Path, version: str, as_json: bool) -> None:
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
    console.print(f"the move it values most, from each of {starts:,} starts.\n")
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
        ("moves a game, on average", moves, f"{least:.4f}"),
        ("best moves, of all states it comes to", f"{found.optimal_move_percent:.2f} %", "100 %"),
        ("regret: reward it misses a game", f"{found.regret:.4f}", "0"),
    ):
        table.add_row(name, ours, perfect)
    return table
