"""`selfmate finetune`: a net made to play like somebody."""

import json
import time
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from selfmate.cli.console import (
    LARGEST_SEED,
    BadInputError,
    JobFailedError,
    duration,
    reading_input,
    whole,
)
from selfmate.cli.import_games import run_import
from selfmate.cli.train_view import TrainView

if TYPE_CHECKING:
    from selfmate.data.dataset import ChunkFolder
    from selfmate.learners.finetuning import Interval, Plan, Report
    from selfmate.players.trained import Weights

SKIPPED_PLIES = 10  # memorised openings say little about a player
HELD_OUT = 0.1  # fraction of the games
LEARNERS_BY_KIND = {"se_resnet": "pretrain-alphazero", "transformer": "pretrain-searchless"}


def finetune(
    net: Annotated[
        str,
        typer.Argument(
            metavar="NET", help="A net of alphazero or searchless: alphazero-tiny, runs/x."
        ),
    ],
    pgn: Annotated[
        list[Path],
        typer.Option(metavar="FILE", help="PGN games, also as .zst or .gz; may be repeated."),
    ],
    player: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Learn only the moves of this player, by the tags White and Black.",
            show_default="all players",
        ),
    ] = "",
    epochs: Annotated[
        int, typer.Option(parser=whole(1, 1000), metavar="N", help="Passes over the games.")
    ] = 3,
    run: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The run to write.", show_default="runs/finetune-N"),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the run of --run after an interruption.")
    ] = False,
    seed: Annotated[
        int, typer.Option(parser=whole(0, LARGEST_SEED), metavar="N", help="Same seed, same net.")
    ] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Train a net on somebody's games, so that it plays like them.

    A tenth of the games is held out. The report says how often the net's first
    choice is the move that was played there, before and after, with intervals.
    The result is a run, and so a player.
    """
    from selfmate.extras import check_extra
    from selfmate.players import check_name
    from selfmate.players.trained import find_net

    started = time.perf_counter()
    with reading_input():
        check_extra("train")
        weights = find_net(check_name(net))
        _check_kind(weights)
        directory = _directory(run, resume)
    games = _imported(pgn, directory, player, seed)
    plan = _plan(weights, player, epochs, seed)
    from selfmate.learners.finetuning import make_tuning

    with reading_input():
        tuning = make_tuning(plan, games)
        tuning.load_weights(weights.arrays)
    report = _tuned(plan, tuning, weights, games, directory, resume)
    if report is None:
        return
    summary = _summary(plan, games, directory, report, time.perf_counter() - started)
    print(json.dumps(summary) if as_json else _sentences(summary, report))


def _check_kind(weights: "Weights") -> None:
    kind = weights.player.get("kind")
    if kind not in LEARNERS_BY_KIND:
        raise BadInputError(
            f"{weights.identity} is a {kind}, which does not learn from games: name a net of "
            "alphazero or searchless"
        )


def _directory(run: Path | None, resume: bool) -> Path:
    from selfmate.runs import free_name

    if run is None and resume:
        raise BadInputError("--resume needs --run: say which run continues")
    directory = run or Path("runs") / free_name(Path("runs"), "finetune-")
    if directory.exists() and not resume:
        raise BadInputError(f"{directory} exists already: choose another --run, or add --resume")
    return directory


def _imported(files: list[Path], directory: Path, player: str, seed: int) -> "ChunkFolder":
    """The games in chunks, beside the run."""
    from selfmate.data.dataset import open_chunks
    from selfmate.data.game_filter import GameFilter
    from selfmate.data.pgn_import import GameImport, ImportSettings

    game_filter = GameFilter(
        least_elo=0, unrated=True, any_start=True, skip_plies=SKIPPED_PLIES, player=player
    )
    settings = ImportSettings(game_filter=game_filter, validation=HELD_OUT, seed=seed)
    folder = directory.with_name(f"{directory.name}-games")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with reading_input():
        work = GameImport(files, folder, settings)
    with closing(work):
        stopped_by = run_import(work)
    if stopped_by is not None:
        raise typer.Exit(128 + stopped_by)
    kept = work.manifest.games.kept if work.manifest else {}
    if kept.get("validation", 0) < 2 or not kept.get("training"):
        raise JobFailedError(
            f"{sum(kept.values()):,} games are too few: a tenth of them is held out, and that "
            "must be two at least"
        )
    return open_chunks(folder, "training", "validation")


def _plan(weights: "Weights", player: str, epochs: int, seed: int) -> "Plan":
    from selfmate.learners.finetuning import Plan
    from selfmate.nets.config import read_net_config
    from selfmate.rules import available_cores

    config = read_net_config(weights.player).model_dump(mode="json")
    return Plan(
        net=str(weights.identity),
        kind=config["kind"],
        config=config,
        player=player,
        epochs=epochs,
        threads=available_cores(),
        seed=seed,
    )


def _tuned(
    plan: "Plan",
    tuning: Any,
    weights: "Weights",
    games: "ChunkFolder",
    directory: Path,
    resume: bool,
) -> "Report | None":
    """Trains to the end; None if it was stopped before."""
    from selfmate.learners.finetuning import (
        held_out_positions,
        hits,
        open_tuning,
        report_of,
        tune,
    )
    from selfmate.learners.registry import LEARNERS
    from selfmate.runs import RunDirectory, RunFailedError, RunRefusedError, Session

    held_out = held_out_positions(games)
    before = hits(tuning, held_out)
    view = TrainView(LEARNERS[LEARNERS_BY_KIND[plan.kind]], directory)
    session = Session(
        resume=resume,
        load=weights.arrays,
        say=view.say,
        watch=view.update,
        watch_step=view.update_step,
        ends_process=True,
    )
    try:
        with open_tuning(plan, tuning, directory, session) as opened:
            if not opened.finished:
                with view:
                    tune(tuning, opened, held_out)
    except RunRefusedError as error:
        raise BadInputError(str(error)) from error
    except RunFailedError as error:
        raise JobFailedError(str(error)) from error
    if opened.stopped_by is not None:
        raise typer.Exit(128 + opened.stopped_by)
    tuning.load_weights(RunDirectory(directory).checkpoint().weights)
    return report_of(before, hits(tuning, held_out), held_out.games)


def _summary(
    plan: "Plan", games: "ChunkFolder", directory: Path, report: "Report", seconds: float
) -> dict[str, Any]:
    return {
        "run": str(directory),
        "net": plan.net,
        "player": plan.player,
        "games": games.manifest.games.kept["training"],
        "positions": games.counts["training"],
        "held_out_games": report.games,
        "held_out_positions": report.positions,
        "match_before": asdict(report.before),
        "match_after": asdict(report.after),
        "gain": asdict(report.gain),
        "seconds": seconds,
    }


def _sentences(summary: dict[str, Any], report: "Report") -> str:
    who = summary["player"] or "all players"
    return (
        f"{summary['run']}: {summary['net']} learned the moves of {who} from "
        f"{summary['positions']:,} positions of {summary['games']:,} games in "
        f"{duration(summary['seconds'])}\n"
        f"on {report.positions:,} positions of {report.games:,} games held out, its first choice "
        "is the move that was played:\n"
        f"  before  {_percent(report.before)}\n"
        f"  after   {_percent(report.after)}\n"
        f"  gain    {_percent(report.gain)}\n"
        f"To play it: selfmate play {summary['run']}"
    )


def _percent(found: "Interval") -> str:
    return f"{100 * found.mean:5.1f} %  (95 %: {100 * found.low:.1f} to {100 * found.high:.1f})"
