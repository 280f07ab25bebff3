"""`selfmate collect`: a teacher's games and judgements, as NDJSON by position or as PGN."""

import json
import sys
import time
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from selfmate.cli.cluster import Cluster, optional_pool
from selfmate.cli.console import (
    LARGEST_SEED,
    Actors,
    JobFailedError,
    LiveLine,
    RayAddress,
    between,
    duration,
    reading_input,
    say,
    time_left,
    whole,
)

if TYPE_CHECKING:
    from selfmate.cluster.pool import RayPool
    from selfmate.data.collection import Collection
    from selfmate.data.teacher_games import Plan, Score, TeacherGames
    from selfmate.players import Scoring

MIXES = ("random", "endgames", "few_pieces")
DEFAULT_TEACHER = "teacher:depth=2"
CAN_RESUME = "the games written so far are good, --resume continues"


def live_line(collection: "Collection", games: int, pool: "RayPool | None") -> LiveLine:
    """Games, positions, speed, time left, and what the workers of a cluster do; to be updated after
    every ply of all games."""
    first = collection.next
    if first:
        print(f"resuming at game {first:,} of {games:,}", file=sys.stderr)

    def line(seconds: float) -> str:
        stats, done = collection.stats, collection.next
        left = seconds * (games - done) / (done - first) if done > first else None
        return (
            f"{done:,} of {games:,} games  {stats.scored:,} positions scored  "
            f"{stats.scored / seconds:,.0f} positions/s  {time_left(left)}"
            + (f"  {pool.text()}" if pool else "")
        )

    return LiveLine(line)


def summary_of(collection: "Collection", seconds: float) -> dict[str, Any]:
    stats = collection.stats
    positions = stats.repeats.total()
    return {
        "file": str(collection.path),
        "games": collection.next,
        "positions": positions,
        "unique_share": len(stats.repeats) / positions if positions else None,
        "played_now": stats.games,
        "white_wins": stats.results[1],
        "black_wins": stats.results[-1],
        "no_winner": stats.results[0],
        "dropped": stats.dropped,
        "ends": dict(stats.reasons.most_common()),
        "mean_plies": stats.plies / stats.games if stats.games else None,
        "positions_per_s": stats.scored / seconds,
        "seconds": seconds,
    }


def print_summary(summary: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=summary["file"], title_justify="left", show_header=False)
    for label, value in _rows(summary):
        table.add_row(label, value)
    Console(highlight=False).print(table)


def _rows(summary: dict[str, Any]) -> list[tuple[str, str]]:
    rows = [("positions", f"{summary['positions']:,} of {summary['games']:,} games")]
    if summary["unique_share"] is not None:
        rows.append(("unique", f"{summary['unique_share']:.1%}"))
    if summary["played_now"]:
        dropped = f", {summary['dropped']:,} of them dropped" if summary["dropped"] else ""
        rows += [
            (
                "won by White, by Black, no winner",
                f"{summary['white_wins']:,}, {summary['black_wins']:,}, "
                f"{summary['no_winner']:,}{dropped}",
            ),
            ("ended by", ", ".join(f"{why} {count}" for why, count in summary["ends"].items())),
            ("mean length", f"{summary['mean_plies']:.0f} plies"),
            ("speed", f"{summary['positions_per_s']:,.0f} positions/s"),
        ]
    return [*rows, ("time", duration(summary["seconds"]))]


def collect(
    out: Annotated[
        Path,
        typer.Option(
            metavar="FILE",
            help="The file to write: .ndjson, or .pgn; with .gz or .zst, compressed.",
        ),
    ],
    games: Annotated[
        int, typer.Option(parser=whole(1, 10**7), metavar="N", help="Games to play.")
    ] = 1000,
    depth: Annotated[
        int | None,
        typer.Option(
            parser=whole(1, 6),
            metavar="D",
            help="Search depth of the teacher, in plies.",
            show_default="2",
        ),
    ] = None,
    topk: Annotated[
        int,
        typer.Option(
            parser=whole(1, 218), metavar="K", help="The teacher chooses among its K best moves."
        ),
    ] = 5,
    tau: Annotated[
        float,
        typer.Option(
            parser=between(0.01, 100), metavar="T", help="Temperature of the choice, in pawns."
        ),
    ] = 1.0,
    tau_end: Annotated[
        float | None,
        typer.Option(
            parser=between(0.01, 100),
            metavar="T",
            help="Temperature of the last game, reached linearly.",
            show_default="as --tau",
        ),
    ] = None,
    max_plies: Annotated[
        int, typer.Option(parser=whole(1, 10**5), metavar="N", help="Longer games are truncated.")
    ] = 160,
    max_repeats: Annotated[
        int,
        typer.Option(
            parser=whole(1, 10**9),
            metavar="N",
            help="Maximum copies of a position, clocks ignored.",
        ),
    ] = 2,
    drop_draws: Annotated[
        float,
        typer.Option(
            parser=between(0, 1), metavar="F", help="Fraction of games without a winner to drop."
        ),
    ] = 0.0,
    teacher: Annotated[
        str | None,
        typer.Option(
            metavar="PLAYER",
            help="The teacher: any player that scores its moves, such as stockfish:nodes=2000, "
            "uci:path=PROGRAM or the run of a Q-net.",
            show_default=DEFAULT_TEACHER,
        ),
    ] = None,
    openings: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Start positions: EPD, FEN or PGN.",
            show_default="the start position",
        ),
    ] = None,
    mix: Annotated[
        str,
        typer.Option(
            metavar="NAME=F,...",
            help="Fractions of games against a random player (random), from won endgames "
            "(endgames), and with few pieces on both sides (few_pieces).",
        ),
    ] = "",
    seed: Annotated[
        int, typer.Option(parser=whole(0, LARGEST_SEED), metavar="N", help="Same seed, same games.")
    ] = 1,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the same file after an interruption.")
    ] = False,
    ray: RayAddress = None,
    actors: Actors = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Let a teacher play, and write its judgement of every position, as JSON lines.

    The teacher samples its moves from softmax(score / tau) over the best ones.
    Any player that scores its moves can be the teacher. A .pgn has whole games
    instead, with the teacher's evaluations and best moves as comments.

    After a stop or a kill, --resume completes the file. The result is the same,
    except for time stamps.
    """
    from selfmate.data.collection import Collection, CollectionFilter
    from selfmate.data.teacher_games import Plan

    cluster = Cluster.of(ray, actors)
    with reading_input():
        fractions = _parse_mix(mix)
        plan = Plan(
            games=games,
            top_k=topk,
            tau=tau,
            tau_end=tau_end,
            max_plies=max_plies,
            seed=seed,
            starts=_starts(openings),
            random_share=fractions["random"],
            endgame_share=fractions["endgames"],
            few_pieces_share=fractions["few_pieces"],
        )
        scoring = load_teacher(_teacher_name(teacher, depth), topk)
    with closing(scoring), optional_pool(cluster) as pool:
        with reading_input():
            collection = Collection(
                _games(plan, scoring, topk, pool),
                CollectionFilter(max_repeats=max_repeats, drop_draws=drop_draws),
                out,
                teacher=scoring.name,
                resume=resume,
            )
        started = time.perf_counter()
        stopped_by = _run(collection, games, pool)
    summary = summary_of(collection, time.perf_counter() - started)
    if as_json:
        print(json.dumps(summary))
    else:
        print_summary(summary)
    if stopped_by is not None:
        raise typer.Exit(128 + stopped_by)


def _parse_mix(text: str) -> dict[str, float]:
    """Fractions by name, 0 if not given."""
    fractions = dict.fromkeys(MIXES, 0.0)
    for part in text.split(",") if text else []:
        name, _, fraction = part.partition("=")
        try:
            fractions[name] = between(0, 1)(fraction)
        except typer.BadParameter as error:
            raise ValueError(f"bad --mix {text!r}: {error.message}") from error
    if len(fractions) > len(MIXES) or sum(fractions.values()) > 1:
        raise ValueError(
            f"bad --mix {text!r}: it is a list such as random=0.2,endgames=0.1, of "
            f"{', '.join(MIXES)}, with fractions that sum to at most 1"
        )
    return fractions


def _teacher_name(player: str | None, depth: int | None) -> str:
    if player is not None and depth is not None:
        raise ValueError(
            "--depth is for the default teacher; with --teacher, its name says the depth"
        )
    return player or (DEFAULT_TEACHER if depth is None else f"teacher:depth={depth}")


def load_teacher(teacher: str, topk: int) -> "Scoring":
    from selfmate.players import load_scoring
    from selfmate.players.engine_process import EngineFaultError

    try:
        return load_scoring(teacher, topk)
    except EngineFaultError as fault:
        raise JobFailedError(f"{teacher} cannot teach, it failed: {fault}") from fault


def scoring_of(teacher: str, topk: int) -> "tuple[Score, int]":
    """A teacher as workers use it, and how many games it plays in parallel."""
    scoring = load_teacher(teacher, topk)
    return scoring.score, scoring.parallel_games


def _games(plan: "Plan", scoring: "Scoring", topk: int, pool: "RayPool | None") -> "TeacherGames":
    from selfmate.data.cluster_games import ClusterTeacherGames
    from selfmate.data.teacher_games import TeacherGames

    if pool is None:
        return TeacherGames(plan, scoring.score, scoring.parallel_games)
    return ClusterTeacherGames(plan, scoring.name, partial(scoring_of, scoring.name, topk), pool)


def _starts(openings: Path | None) -> tuple[str, ...]:
    from selfmate.arena.openings import read_openings
    from selfmate.rules import Board

    if openings is None:
        return (Board().fen(),)
    return tuple(opening.board().fen() for opening in read_openings(openings))


def _run(collection: "Collection", games: int, pool: "RayPool | None") -> int | None:
    """Collects until all games are played or a signal stops it; returns the signal."""
    from selfmate.players.engine_process import EngineFaultError
    from selfmate.runs import RunFailedError, StopSignals

    signals = StopSignals(say=say, ends_process=True)
    try:
        with signals, live_line(collection, games, pool) as view:
            try:
                for _ in collection.run():
                    view.update()
                    if signals.received is not None:
                        break
            finally:
                collection.save()
    except EngineFaultError as fault:
        raise JobFailedError(f"{collection.teacher} failed: {fault}; {CAN_RESUME}") from fault
    except RunFailedError as error:
        raise JobFailedError(f"{error}; {CAN_RESUME}") from error
    except OSError as error:
        raise JobFailedError(
            f"cannot write {collection.path}: {error.strerror}; {CAN_RESUME}"
        ) from error
    finally:
        collection.close()
    return signals.received
