"""`selfmate collect`: the teacher's games, position by position, as NDJSON."""

import json
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from selfmate.cli.collect_view import live_line, print_summary, summary_of
from selfmate.cli.errors import JobFailedError, reading_input
from selfmate.cli.numbers import LARGEST_SEED, between, whole

if TYPE_CHECKING:
    from selfmate.data.collection import Collection
    from selfmate.players.scoring import Scoring

MIXES = ("random", "endgames")
DEFAULT_TEACHER = "teacher:depth=2"
GOES_ON = "what is there is good, --resume goes on"


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
        typer.Option(
            metavar="PLAYER",
            help="Who teaches: a player that scores its moves, such as stockfish:nodes=2000, "
            "uci:path=PROGRAM or the run of a Q-net.",
            show_default=DEFAULT_TEACHER,
        ),
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

    It samples from its probabilities, softmax(score / tau) over the best moves. Any player can
    teach that scores its moves.

    Stopped or killed, it goes on with --resume to the same file, time stamps aside.
    """
    from selfmate.data.collection import Choosiness, Collection
    from selfmate.data.teacher_games import Plan, TeacherGames

    with reading_input():
        shares = _parse_mix(mix)
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
        scoring = _load_scoring(_teacher_name(teacher, depth), topk)
    with closing(scoring):
        with reading_input():
            collection = Collection(
                TeacherGames(plan, scoring.score, scoring.games_at_once),
                Choosiness(max_repeats=max_repeats, drop_draws=drop_draws),
                out,
                teacher=scoring.name,
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


def _teacher_name(player: str | None, depth: int | None) -> str:
    if player is not None and depth is not None:
        raise ValueError("--depth is for the usual teacher; with --teacher its name says the depth")
    return player or (DEFAULT_TEACHER if depth is None else f"teacher:depth={depth}")


def _load_scoring(teacher: str, topk: int) -> "Scoring":
    from selfmate.players.engine_process import EngineFaultError
    from selfmate.players.scoring import load_scoring

    try:
        return load_scoring(teacher, topk)
    except EngineFaultError as fault:
        raise JobFailedError(f"{teacher} cannot teach, it failed: {fault}") from fault


def _starts(openings: Path | None) -> tuple[str, ...]:
    from selfmate.arena.openings import read_openings
    from selfmate.rules import Board

    if openings is None:
        return (Board().fen(),)
    return tuple(opening.board().fen() for opening in read_openings(openings))


def _run(collection: "Collection", games: int) -> int | None:
    """Collects until all is there or until a signal, whose number is returned."""
    from selfmate.players.engine_process import EngineFaultError
    from selfmate.runs.stop_signals import StopSignals

    signals = StopSignals()
    try:
        with signals, live_line(collection, games) as view:
            try:
                for _ in collection.run():
                    view.update()
                    if signals.received is not None:
                        break
            finally:
                collection.save()
    except EngineFaultError as fault:
        raise JobFailedError(f"{collection.teacher} failed: {fault}; {GOES_ON}") from fault
    except OSError as error:
        raise JobFailedError(
            f"cannot write {collection.path}: {error.strerror}; {GOES_ON}"
        ) from error
    finally:
        collection.close()
    return signals.received
