"""The part of the demo in which a net is taught, and then teaches itself."""

import json
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfmate.cli.progress import progress

if TYPE_CHECKING:
    from rich.console import Console

    from selfmate.runs.on_disk import Session
    from selfmate.runs.progress import Progress

MIX = 0.15  # share of games against a random mover, and as many from won endgames


def collect(console: "Console", games: int, seed: int, path: Path) -> Path:
    """The teacher's games, in place of an earlier demo's."""
    from selfmate.data.agreement import agreement_path
    from selfmate.data.collection import Choosiness, Collection
    from selfmate.data.teacher_games import Plan, TeacherGames
    from selfmate.rules.cores import available_cores
    from selfmate.search.teacher import score_moves

    console.print(f"[bold]2.[/] A teacher plays {games:,} games. It looks at every move and every")
    console.print("   reply, and says of each position what it would play and who is better.")
    for old in (path, agreement_path(path)):
        old.unlink(missing_ok=True)
    started = time.monotonic()
    scoring = partial(score_moves, depth=2, threads=available_cores())
    plan = Plan(games=games, seed=seed, random_share=MIX, endgame_share=MIX)
    teacher = TeacherGames(plan, scoring, 512)
    collection = Collection(teacher, Choosiness(), path, teacher="teacher:depth=2", resume=False)
    with progress("playing", games, "games") as bar:
        done = 0
        for tally in collection.run():
            bar.advance(tally.games - done)
            done = tally.games
    collection.save()
    collection.close()
    positions, seconds = collection.tally.repeats.total(), time.monotonic() - started
    console.print(f"   {positions:,} positions in {seconds:.0f} s: [bold]{path}[/]\n")
    return path


def imitate(console: "Console", data: Path, epochs: int, seed: int, directory: Path) -> Path:
    console.print(
        "[bold]3.[/] A net that knows nothing imitates the teacher, position by position."
    )
    # All checkpoints are kept: the proof meets the net as it was before.
    sets = [f"data={json.dumps([str(data)])}", f"epochs={epochs}", "keep_last=1000"]
    run_learner("pretrain-dqn", sets, seed, directory)
    validated = [line for line in _metrics(directory) if "match1" in line]
    before, after = validated[0]["match1"], validated[-1]["match1"]
    console.print("   In games it has never seen it finds the teacher's own choice in")
    console.print(f"   [green]{after:.0%}[/] of positions; before, {before:.0%}.\n")
    return directory


def fine_tune(console: "Console", pretrained: Path, cycles: int, seed: int, out: Path) -> Path:
    from selfmate.runs.directory import RunDirectory

    console.print("[bold]4.[/] Now it plays, itself and others, and learns from what comes of it:")
    console.print("   Double DQN, mate is worth 1, and the teacher looks over its shoulder.")
    weights = RunDirectory(pretrained).checkpoint().weights
    run_learner("dqn", [f"cycles={cycles}", f"help_cycles={cycles}"], seed, out, load=weights)
    lines = _metrics(out)
    games = sum(line["games"] for line in lines)
    console.print(f"   {games:,.0f} games and {lines[-1]['updates']:,} updates: [bold]{out}[/]\n")
    return out


def run_learner(name: str, sets: list[str], seed: int, directory: Path, load: Any = None) -> None:
    """A new run in the directory, in place of an earlier demo's."""
    from selfmate.learners import LEARNERS
    from selfmate.learners.config import read_config
    from selfmate.runs.listing import delete_run

    if directory.exists():
        delete_run(directory)
    learner = LEARNERS[name]
    config = read_config(learner, sets=sets, seed=seed)
    with (
        _Bar(learner.unit) as bar,
        learner.open_run(config, directory, _session(bar, load)) as run,
    ):
        learner.train(config, run)


def _session(bar: "_Bar", load: Any) -> "Session":
    from selfmate.runs.on_disk import Session

    return Session(watch=bar.watch, load=load, say=lambda _: None)


class _Bar:
    """A bar whose length is known after the first step."""

    def __init__(self, unit: str) -> None:
        self._unit, self._done = unit, 0
        self._progress: Any = None
        self._bar: Any = None

    def __enter__(self) -> "_Bar":
        return self

    def __exit__(self, *error: object) -> None:
        if self._progress is not None:
            self._progress.__exit__(*error)

    def watch(self, now: "Progress") -> None:
        if self._progress is None:
            self._progress = progress("learning", now.total, self._unit)
            self._bar = self._progress.__enter__()
        self._bar.advance(now.done - self._done)
        self._done = now.done


def _metrics(directory: Path) -> list[dict[str, Any]]:
    from selfmate.runs.directory import RunDirectory

    return list(RunDirectory(directory).metrics())
