"""The part of the demo in which something learns: the mini-chess, scored exactly."""

from pathlib import Path
from typing import TYPE_CHECKING

from selfmate.cli.progress import progress

if TYPE_CHECKING:
    from rich.console import Console

    from selfmate.endgame.evaluate import Evaluation
    from selfmate.runs.progress import Progress


def show_learning(console: "Console", episodes: int, seed: int, directory: Path) -> None:
    from selfmate.endgame.game import compile_game
    from selfmate.endgame.solve import solve

    console.print(
        "\n[bold]5.[/] Let one learn, from nothing: king and queen against a lone king on"
    )
    console.print(f"   a 4x4 board. Double DQN, nobody shows it a move, {episodes:,} games.")
    train(episodes, seed, directory)
    perfect = solve(compile_game(4), gamma=0.85, draw_reward=-1.0)
    learned = score(directory)
    moves = "some never end" if learned.mean_moves is None else f"{learned.mean_moves:.2f} moves"
    console.print(f"   random play     mates {perfect.random_mate_probability:.1%}", end="")
    console.print(f", games last {perfect.random_mean_moves:.2f} moves")
    console.print(f"   [green]what it learned[/] mates {learned.mate_percent:.1f}%, {moves}")
    console.print(f"   perfect play    mates {perfect.best_mate_probability:.1%}", end="")
    console.print(f", {perfect.optimal_mean_moves:.2f} moves: all three are exact, not sampled.")


def train(episodes: int, seed: int, directory: Path) -> None:
    """A new run in the directory, in place of an earlier demo's."""
    from selfmate.learners import LEARNERS
    from selfmate.learners.config import read_config
    from selfmate.runs.listing import delete_run
    from selfmate.runs.on_disk import Session

    if directory.exists():
        delete_run(directory)
    learner = LEARNERS["ddqn"]
    config = read_config(learner, sets=[f"episodes={episodes}"], seed=seed)
    done = 0
    with progress("learning", episodes, "games") as bar:

        def watch(now: "Progress") -> None:
            nonlocal done
            bar.advance(now.done - done)
            done = now.done

        with learner.open_run(config, directory, Session(watch=watch)) as run:
            learner.train(config, run)


def score(directory: Path) -> "Evaluation":
    from selfmate.cli.endgame_run import load_trained_run
    from selfmate.endgame.evaluate import evaluate_policy

    run = load_trained_run(directory)
    return evaluate_policy(run.game, run.actions, gamma=run.gamma, draw_reward=run.draw_reward)
