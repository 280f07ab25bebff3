"""`selfmate demo`: from nothing to a chess engine, explained step by step."""

import json
import textwrap
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from selfmate.cli.board_view import draw_board
from selfmate.cli.console import (
    LARGEST_SEED,
    LOADING,
    BadInputError,
    JobFailedError,
    LiveLine,
    counted,
    duration,
    progress,
    reading_input,
    time_left,
    whole,
)
from selfmate.cli.stopping import command_of, same_command

if TYPE_CHECKING:
    from rich.console import Console

    from selfmate.arena.match import PlayedGame
    from selfmate.runs import Activity, Progress

    Games = Sequence[PlayedGame]


GAMES = "match.pgn"
MIX = 0.15  # fraction of games against a random player, and as many from won endgames


def play_matches(
    console: "Console", trained: Path, pretrained: Path, games: int, seed: int
) -> None:
    from selfmate.arena.match import write_match_pgn

    console.print(f"[bold]5.[/] Is it any good? It plays {games} games against each of these, each")
    console.print("   opening twice with colours swapped; Elo with its 95 % interval:\n")
    opponents = {
        "itself, untrained": f"{pretrained}:version=0",
        "itself, before self-play": str(pretrained),
        "random moves": "random",
        "greedy, takes what it can": "greedy",
        "the teacher, one ply ahead": "teacher:depth=1",
    }
    played: dict[str, Games] = {}
    with (
        (trained / GAMES).open("w", encoding="utf-8") as file,
        progress("playing", games * len(opponents), "games") as bar,
    ):
        for label, name in opponents.items():
            played[label] = _match(str(trained), name, games, seed, bar.advance)
            names = (str(trained), name)
            write_match_pgn(played[label], names, file, date="????.??.??", seed=seed)
    _print_table(console, played)
    _show_a_mate(console, [game for match in played.values() for game in match])
    console.print(f"   All games: [bold]{trained / GAMES}[/]")


def _match(
    name: str, opponent: str, games: int, seed: int, advance: Callable[[float], None]
) -> "Games":
    from selfmate.arena.match import Match
    from selfmate.arena.openings import shipped_openings, shuffled
    from selfmate.players import load_player

    played = []
    with closing(load_player(name)) as player, closing(load_player(opponent)) as other:
        match = Match((player, other), shuffled(shipped_openings(), seed), seed)
        for game in match.play(range(games)):
            played.append(game)
            advance(1)
    return sorted(played, key=lambda game: game.number)


def _print_table(console: "Console", played: "Mapping[str, Games]") -> None:
    from rich.table import Table

    from selfmate.arena.match import make_report

    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("   against")
    for column in ("won", "drawn", "lost", "score"):
        table.add_column(column, justify="right")
    table.add_column("Elo")
    for label, games in played.items():
        report = make_report(games)
        if report.illegal_moves:
            raise JobFailedError(f"{report.illegal_moves} illegal moves were played")
        numbers = (report.wins, report.draws, report.losses)
        score = f"[green]{report.score:.0%}[/]" if report.score > 0.5 else f"{report.score:.0%}"
        table.add_row(f"   {label}", *map(str, numbers), score, report.elo_text())
    console.print(table)


def _show_a_mate(console: "Console", games: "Games") -> None:
    """The net's quickest mate, if it gave one."""
    mates = [game for game in games if game.reason == "checkmate" and game.points_of_a == 1]
    if not mates:
        console.print()
        return
    from selfmate.rules import Board

    quickest = min(mates, key=lambda game: (len(game.moves), game.number))
    board, line = Board(quickest.opening.fen), list[str]()
    for move in quickest.moves:
        line.append(board.san(move))
        board.push(move)
    console.print(f"\n   Its quickest mate, after {counted(len(line), 'ply', 'plies')}:\n")
    console.print(draw_board(board, indent=6))
    console.print(f"\n{textwrap.indent(textwrap.fill(' '.join(line), 70), ' ' * 6)}\n")


def collect(console: "Console", games: int, seed: int, path: Path) -> Path:
    """Collects the teacher's games, in place of an earlier demo's."""
    from selfmate.data.collection import Collection, CollectionFilter, settings_path
    from selfmate.data.teacher_games import Plan, TeacherGames
    from selfmate.rules import available_cores
    from selfmate.searches.teacher import score_moves

    console.print(f"[bold]2.[/] A teacher plays {games:,} games. It looks at every move and every")
    console.print("   reply, and labels each position with its choice of moves and who is better.")
    for old in (path, settings_path(path)):
        old.unlink(missing_ok=True)
    started = time.monotonic()
    scoring = partial(score_moves, depth=2, threads=available_cores())
    plan = Plan(games=games, seed=seed, random_share=MIX, endgame_share=MIX)
    teacher = TeacherGames(plan, scoring, 512)
    collection = Collection(
        teacher, CollectionFilter(), path, teacher="teacher:depth=2", resume=False
    )
    with progress("playing", games, "games") as bar:
        done = 0
        for stats in collection.run():
            bar.advance(stats.games - done)
            done = stats.games
    collection.save()
    collection.close()
    positions, seconds = collection.stats.repeats.total(), time.monotonic() - started
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
    from selfmate.runs import RunDirectory

    console.print(
        "[bold]4.[/] Now it plays against itself and others, and learns from the results:"
    )
    console.print("   Double DQN, where mate is worth 1 and the teacher helps less and less.")
    weights = RunDirectory(pretrained).checkpoint().weights
    run_learner(
        "dqn", [f"cycles={cycles}", f"teacher_anneal_cycles={cycles}"], seed, out, load=weights
    )
    lines = _metrics(out)
    games = sum(line["games"] for line in lines)
    console.print(f"   {games:,.0f} games and {lines[-1]['updates']:,} updates: [bold]{out}[/]\n")
    return out


def run_learner(name: str, sets: list[str], seed: int, directory: Path, load: Any = None) -> None:
    """Trains a new run in the directory, in place of an earlier demo's."""
    from selfmate.learners.config import read_config
    from selfmate.learners.registry import LEARNERS
    from selfmate.runs import CONFIG, STOPPING, Session, delete_run

    if (directory / CONFIG).exists():
        delete_run(directory)
    learner = LEARNERS[name]
    config = read_config(learner, sets=sets, seed=seed)
    doing = LOADING

    def watch_step(now: "Activity") -> None:
        nonlocal doing
        doing = now.text()
        view.update()

    def say(notice: str) -> None:
        """A run's other notices are for those who train."""
        if notice == STOPPING:
            view.say(notice)

    def watch(now: "Progress") -> None:
        nonlocal doing
        done = f"learning: {now.done:,} of {now.total:,} {now.unit}"
        doing = f"{done}, {time_left(now.seconds_left)}"
        view.update()

    with (
        LiveLine(lambda _: doing) as view,
        learner.open_run(
            config,
            directory,
            Session(watch=watch, watch_step=watch_step, load=load, say=say, ends_process=True),
        ) as run,
    ):
        learner.train(config, run)
    if run.stopped_by is not None:
        typer.echo(f"the demo was stopped; it begins anew with: {same_command()}", err=True)
        raise typer.Exit(128 + run.stopped_by)


def _metrics(directory: Path) -> list[dict[str, Any]]:
    from selfmate.runs import RunDirectory

    return list(RunDirectory(directory).metrics())


@dataclass(frozen=True, kw_only=True)
class DemoSettings:
    """A table of presets/demo.toml."""

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
    out: Annotated[Path, typer.Option(metavar="DIR", help="The directory of the run.")] = Path(
        "runs/demo"
    ),
    quick: Annotated[
        bool, typer.Option("--quick", help="Takes seconds, and learns little.")
    ] = False,
) -> None:
    """From nothing to a chess engine in three minutes: pretrain, train, and test in matches."""
    from rich.console import Console

    from selfmate.presets import load_preset

    settings = DemoSettings(**load_preset("demo")["quick" if quick else "full"])
    imitation = out.with_name(f"{out.name}-imitation")
    with reading_input():
        out.mkdir(parents=True, exist_ok=True)
        _check_replaceable(out, imitation)
    started = time.monotonic()
    console = Console(highlight=False)
    console.print("[bold]Selfmate[/], a laboratory for chess engines that teach themselves.\n")
    _check_rules(console, settings)
    teacher = out.with_name(f"{out.name}-teacher.ndjson.zst")
    data = collect(console, settings.teacher_games, seed, teacher)
    pretrained = imitate(console, data, settings.epochs, seed, imitation)
    fine_tune(console, pretrained, settings.cycles, seed, out)
    play_matches(console, out, pretrained, settings.match_games, seed)
    console.print(f"   All this took {duration(time.monotonic() - started)}.\n")
    _print_next(console, out)


def _check_replaceable(out: Path, imitation: Path) -> None:
    """An earlier demo is replaced, and nothing else."""
    from selfmate.runs import CONFIG

    if (out / CONFIG).exists() and not imitation.exists():
        raise BadInputError(f"{out} is a run, but not of a demo: choose another --out")
    if not (out / CONFIG).exists() and any(out.iterdir()):
        raise BadInputError(f"{out} holds files but no run: delete it, or choose another --out")


def _print_next(console: "Console", run: Path) -> None:
    from rich.markup import escape

    where = [] if run.parent == Path("runs") else ["--runs", str(run.parent)]
    for arguments, purpose in (
        (["play", str(run)], "to play against it here,"),
        (["lab", *where], "to play, train and analyse in the browser,"),
        (["uci", str(run)], "to use it in a chess program,"),
        (["train", "dqn", "--load", str(run)], "to train it further,"),
        (["inspect", str(run)], "to see how it learned."),
    ):
        start = "Next: " if arguments[0] == "play" else "      "
        console.print(f"{start}[bold]{escape(command_of(*arguments))}[/] {purpose}")


def _check_rules(console: "Console", settings: DemoSettings) -> None:
    from selfmate.rules import Board
    from selfmate.rules.perft import PERFT_POSITIONS

    console.print("[bold]1.[/] Are the rules right? We count all positions some moves ahead and")
    console.print("   compare with the known numbers. One wrong rule would change them.")
    started = time.perf_counter()
    nodes = 0
    with progress("counting", len(PERFT_POSITIONS), "positions") as bar:
        for position in PERFT_POSITIONS:
            counted = Board(position.fen).perft(settings.perft_depth)
            if counted != position.nodes[settings.perft_depth - 1]:
                raise JobFailedError(f"the rules are wrong: perft of {position.fen} gave {counted}")
            nodes += counted
            bar.advance(1)
    rate = nodes / (time.perf_counter() - started)
    console.print(
        f"   [green]Right[/] in {len(PERFT_POSITIONS)} positions: {nodes:,} nodes, ", end=""
    )
    console.print(f"{rate / 1e6:,.0f} million per second.\n")
