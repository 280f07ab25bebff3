"""`selfmate demo`: from nothing to a chess engine, explained step by step."""

import textwrap
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
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
from selfmate.extras import check_extra

if TYPE_CHECKING:
    from rich.console import Console

    from selfmate.arena.match import PlayedGame
    from selfmate.runs import Activity, Progress

    Games = Sequence[PlayedGame]


GAMES = "match.pgn"
SIMULATIONS = 400
OPPONENTS = {
    "random moves": "random",
    "greedy, takes what it can": "greedy",
    "the teacher, one ply ahead": "teacher:depth=1",
    "its own teacher, two plies": "teacher:depth=2",
    "the teacher, three plies": "teacher:depth=3",
}
SWIFT_SIMULATIONS = 5000
SWIFT_OPPONENTS = {
    "the teacher, three plies": "teacher:depth=3",
    "the teacher, four plies": "teacher:depth=4",
}


def play_matches(
    console: "Console", trained: Path, pretrained: Path, settings: "DemoSettings", seed: int
) -> None:
    """Matches of the net alone and with a search, as a table; all games are saved."""
    console.print("[bold]4.[/] Is it any good? It plays each opening twice, with colours swapped:")
    console.print("   the move it likes best, and then, with the same net, the best move of a")
    console.print(f"   search of {SIMULATIONS} positions.\n")
    searching = f"{trained}:sims={SIMULATIONS}"
    matches = [(str(trained), "itself, untrained", f"{pretrained}:version=0")]
    matches += [(str(trained), label, name) for label, name in OPPONENTS.items()]
    matches += [(searching, label, name) for label, name in OPPONENTS.items()]
    played = _play(trained, matches, settings, seed)
    _print_table(console, played, str(trained), searching)
    _show_a_mate(console, [game for match in played.values() for game in match])
    console.print(f"   All games: [bold]{trained / GAMES}[/]")
    found = {name: played[searching, label] for label, name in OPPONENTS.items()}
    console.print(f"   With its search it is worth {_worth(found)}\n")


def play_swift(console: "Console", settings: "DemoSettings", seed: int, out: Path) -> None:
    """A sparse net learns from the teacher, too, and plays with a search of thousands."""
    console.print("[bold]5.[/] Another kind of net is so small that a search can ask it a hundred")
    console.print("   thousand times a second. It takes the same lessons, and plays by a search")
    console.print(f"   of {SWIFT_SIMULATIONS:,} positions.\n")
    started = time.monotonic()
    sets = [f"positions={settings.swift_positions}", f"batch_size={settings.batch_size}"]
    run_learner("pretrain-alphazero", sets, seed, out, preset="swift")
    took = duration(time.monotonic() - started)
    searching = f"{out}:sims={SWIFT_SIMULATIONS}"
    matches = [(searching, label, name) for label, name in SWIFT_OPPONENTS.items()]
    played = _play(out, matches, settings, seed)
    for label in SWIFT_OPPONENTS:
        results, score = _cells(played[searching, label])
        console.print(f"   {label:26} {results:>12}  {score}")
    found = {name: played[searching, label] for label, name in SWIFT_OPPONENTS.items()}
    console.print(f"\n   After {took} of learning it is worth {_worth(found)}\n")


def _play(
    run: Path, matches: Sequence[tuple[str, str, str]], settings: "DemoSettings", seed: int
) -> dict[tuple[str, str], "Games"]:
    """Plays matches of (player, label, opponent), and saves all games with the run. The games are
    by player and label."""
    from selfmate.arena.match import write_match_pgn

    played: dict[tuple[str, str], Games] = {}
    total = sum(settings.games(name) for name, _, _ in matches)
    with (
        (run / GAMES).open("w", encoding="utf-8") as file,
        progress("playing", total, "games") as bar,
    ):
        for name, label, opponent in matches:
            games = _match(name, opponent, settings.games(name), seed, bar.advance)
            played[name, label] = games
            write_match_pgn(games, (name, opponent), file, date="????.??.??", seed=seed)
    return played


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


def _print_table(
    console: "Console", played: "Mapping[tuple[str, str], Games]", alone: str, searching: str
) -> None:
    """A line per opponent: won, drawn, lost and score of the net alone, and of its search."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("   against")
    for column in ("the net alone", "score", "with search", "score"):
        table.add_column(column, justify="right")
    for label in ("itself, untrained", *OPPONENTS):
        cells = [text for name in (alone, searching) for text in _cells(played.get((name, label)))]
        table.add_row(f"   {label}", *cells)
    console.print(table)


def _cells(games: "Games | None") -> tuple[str, str]:
    """Won, drawn and lost games, and the score."""
    from selfmate.arena.match import make_report

    if games is None:
        return "", ""
    report = make_report(games)
    if report.illegal_moves:
        raise JobFailedError(f"{report.illegal_moves} illegal moves were played")
    score = f"[green]{report.score:.0%}[/]" if report.score > 0.5 else f"{report.score:.0%}"
    return f"+{report.wins} ={report.draws} -{report.losses}", score


def _worth(played: "Mapping[str, Games]") -> str:
    """What a player is worth, from its games against rungs of the ladder, by their names."""
    from selfmate.arena.ladder import shipped_ruler
    from selfmate.arena.match import pair_counts
    from selfmate.arena.rating import SCALE, Pairing

    ruler = shipped_ruler()
    rating = ruler.place(
        [
            Pairing("demo", name, pair_counts(games))
            for name, games in played.items()
            if name in ruler.names
        ]
    )
    return f"[bold]{rating.text()}[/] Elo\n   ({SCALE})."


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


def imitate(console: "Console", settings: "DemoSettings", seed: int, directory: Path) -> Path:
    from selfmate.runs import RunDirectory

    console.print(
        "[bold]2.[/] A net that knows nothing watches a teacher, who looks at every move and"
    )
    console.print(
        "   every reply, and says of each move what it is worth. The net learns to choose"
    )
    console.print("   as the teacher does, in the teacher's games and in its own.")
    # All checkpoints are kept: the proof meets the net as it was before.
    sets = [
        f"positions={settings.positions}",
        f"batch_size={settings.batch_size}",
        f"evaluation_games={settings.evaluation_games}",
        "keep_last=1000",
    ]
    run_learner("pretrain-dqn", sets, seed, directory)
    validated = [line for line in _metrics(directory) if "match1" in line]
    before, after = validated[0]["match1"], validated[-1]["match1"]
    positions = RunDirectory(directory).status().done
    console.print(f"   After {positions:,} positions it finds the teacher's own choice in")
    console.print(f"   [green]{after:.0%}[/] of positions of new games; before, {before:.0%}.\n")
    return directory


def fine_tune(console: "Console", pretrained: Path, cycles: int, seed: int, out: Path) -> Path:
    from selfmate.runs import RunDirectory

    console.print(
        "[bold]3.[/] Now it plays against itself and others, and learns from the results:"
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


def run_learner(
    name: str,
    sets: list[str],
    seed: int,
    directory: Path,
    load: Any = None,
    preset: str | None = None,
) -> None:
    """Trains a new run in the directory, in place of an earlier demo's."""
    from selfmate.learners.config import read_config
    from selfmate.learners.registry import LEARNERS
    from selfmate.runs import CONFIG, STOPPING, Session, delete_run

    if (directory / CONFIG).exists():
        delete_run(directory)
    learner = LEARNERS[name]
    config = read_config(learner, preset=preset, sets=sets, seed=seed)
    doing, overall = LOADING, ""

    def watch_step(now: "Activity") -> None:
        nonlocal doing
        doing = f"{overall}{now.text()}"
        view.update()

    def say(notice: str) -> None:
        """A run's other notices are for those who train."""
        if notice == STOPPING:
            view.say(notice)

    def watch(now: "Progress") -> None:
        nonlocal overall
        overall = f"{now.done / now.total:.0%}, {time_left(now.seconds_left)}; "

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
    positions: int
    batch_size: int
    evaluation_games: int
    cycles: int
    match_games: int
    search_games: int
    swift_positions: int

    def games(self, name: str) -> int:
        """The games of a player's match."""
        return self.search_games if "sims=" in name else self.match_games


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
    imitation, swift = (out.with_name(f"{out.name}-{part}") for part in ("imitation", "swift"))
    with reading_input():
        check_extra("train")
        out.mkdir(parents=True, exist_ok=True)
        _check_replaceable(out, imitation, swift)
    started = time.monotonic()
    console = Console(highlight=False)
    console.print("[bold]Selfmate[/], a laboratory for chess engines that teach themselves.\n")
    _check_rules(console, settings)
    pretrained = imitate(console, settings, seed, imitation)
    fine_tune(console, pretrained, settings.cycles, seed, out)
    play_matches(console, out, pretrained, settings, seed)
    play_swift(console, settings, seed, swift)
    console.print(f"   All this took {duration(time.monotonic() - started)}.\n")
    _print_next(console, out, swift)


def _check_replaceable(out: Path, imitation: Path, swift: Path) -> None:
    """An earlier demo is replaced, and nothing else."""
    from selfmate.runs import CONFIG

    if (swift / CONFIG).exists() and not imitation.exists():
        raise BadInputError(f"{swift} is a run, but not of a demo: choose another --out")
    if (out / CONFIG).exists() and not imitation.exists():
        raise BadInputError(f"{out} is a run, but not of a demo: choose another --out")
    if not (out / CONFIG).exists() and any(out.iterdir()):
        raise BadInputError(f"{out} holds files but no run: delete it, or choose another --out")


def _print_next(console: "Console", run: Path, swift: Path) -> None:
    from rich.markup import escape

    where = [] if run.parent == Path("runs") else ["--runs", str(run.parent)]
    start = "Next: "
    for arguments, purpose in (
        (["play", f"{run}:sims={SIMULATIONS}"], "to play against the first one here,"),
        (["play", str(swift)], "against the second,"),
        (["lab", *where], "to play, train and analyse in the browser,"),
        (["uci", str(swift)], "to use it in a chess program,"),
        (["train", "dqn", "--load", str(run)], "to train the first one further,"),
        (["inspect", str(run)], "to see how it learned."),
    ):
        console.print(f"{start}[bold]{escape(command_of(*arguments))}[/] {purpose}")
        start = "      "


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
