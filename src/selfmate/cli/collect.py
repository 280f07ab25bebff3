"""`selfmate collect`: the teacher's games, position by position, as NDJSON."""

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from selfmate.cli.collect_view import live_line, print_summary, summary_of
from selfmate.cli.errors import JobFailedError, reading_input
from selfmate.cli.numbers import LARGEST_SEED, between, whole

if TYPE_CHECKING:
    from selfmate.data.collection import Collection
    from selfmate.data.teacher_games import Score

MIXES = ("random", "endgames")
DEFAULT_TEACHER = "teacher:depth=2"
# Games at once: enough to keep the cores busy, few enough that little is lost with them.
AT_ONCE, AT_ONCE_DEEP = 256, 32


def collect(
    out: Annotated[
        Path, typer.Option(metavar="FILE", help="Ends in .ndjson, .ndjson.gz or .ndjson.zst.")
    ],
    games: Annotated[int, typer.Option(parser=whole(1, 10**7), metavar="N", help="Games.")] = 1000,
    depth: Annotated[
        int | None,
        typer.Option(
            parser=whole(1, 6), metavar="D", help="Plies the teacher looks ahead.", show_default="2"
        ),
    ] = None,
    topk: Annotated[
        int, typer.Option(parser=whole(1, 218), metavar="K", help="Moves it chooses among.")
    ] = 5,
    tau: Annotated[
        float,
        typer.Option(parser=between(0.01, 100), metavar="T", help="Temperature of it, in pawns."),
    ] = 1.0,
    tau_end: Annotated[
        float | None,
        typer.Option(
            parser=between(0.01, 100),
            metavar="T",
            help="Temperature of the last game, approached evenly.",
            show_default="as --tau",
        ),
    ] = None,
    max_plies: Annotated[
        int, typer.Option(parser=whole(1, 10**5), metavar="N", help="Longer games are cut.")
    ] = 160,
    max_repeats: Annotated[
        int, typer.Option(parser=whole(1, 10**9), metavar="N", help="Of a position, clocks aside.")
    ] = 2,
    drop_draws: Annotated[
        float,
        typer.Option(
            parser=between(0, 1), metavar="F", help="Share of games without a winner to leave out."
        ),
    ] = 0.0,
    teacher: Annotated[
        str | None,
        typer.Option(metavar="PLAYER", help="Who teaches.", show_default=DEFAULT_TEACHER),
    ] = None,
    openings: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="EPD, FEN or PGN.", show_default="the usual start"),
    ] = None,
    mix: Annotated[
        str,
        typer.Option(
            metavar="random=F,endgames=F",
            help="Shares of games against a random mover and from won endgames.",
        ),
    ] = "",
    seed: Annotated[
        int, typer.Option(parser=whole(0, LARGEST_SEED), metavar="N", help="Same seed, same games.")
    ] = 1,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the same file after an interruption.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Let the teacher play, and write what it thinks of every position, one JSON object a line.

    It samples from its probabilities, softmax(score / tau) over the best moves.

    Stopped or killed, it goes on with --resume to the same file, time stamps aside.
    """
    from selfmate.data.collection import Choosiness, Collection
    from selfmate.data.teacher_games import Plan, TeacherGames

    with reading_input():
        shares = _parse_mix(mix)
        depth = _teacher_depth(teacher, depth)
        plan = Plan(
            games=games,
            top_k=topk,
            tau=tau,
            tau_end=tau_end,
            max_plies=max_plies,
            seed=seed,
            starts=_starts(openings),
            random_share=shares["random"],
            endgame_share=shares["endgames"],
        )
        collection = Collection(
            TeacherGames(plan, _scoring(depth), AT_ONCE if depth <= 2 else AT_ONCE_DEEP),
            Choosiness(max_repeats=max_repeats, drop_draws=drop_draws),
            out,
            teacher=f"teacher:depth={depth}",
            resume=resume,
        )
    started = time.perf_counter()
    stopped_by = _run(collection, games)
    summary = summary_of(collection, time.perf_counter() - started)
    if as_json:
        print(json.dumps(summary))
    else:
        print_summary(summary)
    if stopped_by is not None:
        raise typer.Exit(128 + stopped_by)


def _parse_mix(text: str) -> dict[str, float]:
    """Shares by name, 0 where not given."""
    shares = dict.fromkeys(MIXES, 0.0)
    for part in text.split(",") if text else []:
        name, _, share = part.partition("=")
        try:
            shares[name] = between(0, 1)(share)
        except typer.BadParameter as error:
            raise ValueError(f"bad --mix {text!r}: {error.message}") from error
    if len(shares) > len(MIXES) or sum(shares.values()) > 1:
        raise ValueError(
            f"bad --mix {text!r}: it is random=F,endgames=F with shares that sum to 1 at most"
        )
    return shares


def _teacher_depth(player: str | None, depth: int | None) -> int:
    """The depth of a teacher that is named, or the depth that is given."""
    from selfmate.players import check_name
    from selfmate.players.names import check_settings, whole_setting
    from selfmate.search.teacher import MOST_DEPTH

    if player is not None and depth is not None:
        raise ValueError("--depth is for the usual teacher; with --teacher its name says the depth")
    name = check_name(player or DEFAULT_TEACHER)
    if name.kind != "teacher":
        raise ValueError(
            f"{player} does not score every move, so it cannot teach; teacher:depth=1..6 can"
        )
    check_settings(name, ("depth",))
    return depth or whole_setting(name, "depth", 1, MOST_DEPTH) or 2


def _starts(openings: Path | None) -> tuple[str, ...]:
    from selfmate.arena.openings import read_openings
    from selfmate.rules import Board

    if openings is None:
        return (Board().fen(),)
    return tuple(opening.board().fen() for opening in read_openings(openings))


def _scoring(depth: int) -> "Score":
    from functools import partial

    from selfmate.rules.cores import available_cores
    from selfmate.search.teacher import score_moves

    return partial(score_moves, depth=depth, threads=available_cores())


def _run(collection: "Collection", games: int) -> int | None:
    """Collects until all is there or until a signal, whose number is returned."""
    from selfmate.runs.stop_signals import StopSignals

    signals = StopSignals()
    try:
        with signals, live_line(collection, games) as view:
            for _ in collection.run():
                view.update()
                if signals.received is not None:
                    break
            collection.save()
    except OSError as error:
        raise JobFailedError(
            f"cannot write {collection.path}: {error.strerror}; what is there is good, "
            "--resume goes on"
        ) from error
    finally:
        collection.close()
    return signals.received
