"""The command line: one module per verb. Only the module of the verb that runs is imported."""

import atexit
import os
import signal
import sys
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from typing import Annotated, NoReturn

import typer
from typer._click.exceptions import ClickException

from selfmate.cli.console import BadInputError, JobFailedError, printable, sentence_of
from selfmate.extras import extra_of, missing_sentence

INTERRUPTED, TERMINATED = 130, 143  # the exit codes that shells give to Ctrl-C and SIGTERM

# The verbs and their summaries in `selfmate --help`, in this order.
VERBS = {
    "demo": "Train a chess engine from nothing in three minutes, and test it in matches.",
    "collect": "Let a teacher play games and label every position, for pretraining.",
    "annotate": "Add a teacher's evaluations and best moves to PGN games.",
    "import": "Turn PGN games into shuffled chunks of training positions.",
    "pretrain": "Train a learner on data: a teacher's labels or recorded games.",
    "finetune": "Make a net play like somebody: train it on games of a player.",
    "train": "Train a learner by playing: one run, new or resumed.",
    "presets": "List settings that ship: what they do and how long they take.",
    "runs": "List the runs of a folder, or delete one.",
    "inspect": "Show a run: settings, metrics, notes, checkpoints, replay buffer.",
    "lab": "Train, play, match and analyse in the browser.",
    "play": "Play a game in the terminal against any player.",
    "match": "Play a match with paired openings; Elo difference with a 95 % interval.",
    "rate": "Rate players against a ladder of opponents.",
    "strength": "Measure what each learner reaches in 5, 15, 60 minutes on this machine.",
    "calibrate": "Measure which settings make a net how strong, for UCI_Elo.",
    "puzzles": "Solve Lichess puzzles; score by rating and theme.",
    "mine": "Make puzzles of games: positions in which one move alone is good.",
    "conversion": "Play out won endgames; compare with the exact distance to mate.",
    "endgame": "The mini-chess laboratory: king and queen against a lone king, solved exactly.",
    "uci": "Run a player as a UCI engine, for chess programs.",
    "export": "Write a net as an ONNX file, for other programs.",
    "perft": "Count leaf nodes of the move tree, the classic test of move generation.",
    "bench": "Measure speed side by side with other programs, as ratios.",
    "models": "List the nets that ship: how they were trained, how strong they are.",
    "doctor": "Check the installation and what this machine provides.",
}
GROUPS = ("runs", "endgame", "models")  # verbs with subcommands
# Modules and functions that are not named after their verb.
MODULES = {"import": "import_games", "pretrain": "train"}
FUNCTIONS = {"import": "import_games"}


def make_app(wanted: str | None) -> typer.Typer:
    """The command line: all verbs are listed, only the `wanted` one is imported and can run."""
    app = typer.Typer(
        name="selfmate",
        help="A laboratory for chess engines that teach themselves.",
        epilog="Exit codes: 0 success, 1 the job failed, 2 bad input. New here? Try: selfmate demo",
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for verb, summary in VERBS.items():
        if verb != wanted:
            app.command(verb, help=summary)(_listed)
            continue
        module = import_module(f"selfmate.cli.{MODULES.get(verb, verb)}")
        found = getattr(module, FUNCTIONS.get(verb, verb))
        if verb in GROUPS:
            app.add_typer(found, name=verb)
        else:
            app.command(verb)(found)
    return app


def _listed() -> None:
    """Placeholder of a verb that does not run this time."""


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"selfmate {version('selfmate')}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    pass


def main() -> None:
    """The `selfmate` command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that cannot show a character shows a ?
            stream.reconfigure(errors="replace")
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
    try:
        code = _run(sys.argv[1:] or ["--help"])
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads our output, such as `head`, has had enough
        code = 1
        _drop_output()
    except OSError as error:
        where = "" if error.filename else "the output cannot be written: "
        code = _print_error(f"{where}{sentence_of(error)}", 1)
        _drop_output()
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # another Ctrl-C would only disturb the end
    if code in (INTERRUPTED, TERMINATED):
        _leave(code)
    sys.exit(code)


def _interrupt(*_: object) -> NoReturn:
    """The first Ctrl-C raises; another one ends the process at once, without a traceback."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    raise KeyboardInterrupt


def _run(arguments: list[str]) -> int:
    wanted = next((word for word in arguments if not word.startswith("-")), None)
    try:
        app = make_app(wanted)
        code: int = app(arguments, prog_name="selfmate", standalone_mode=False) or 0
    except (ClickException, BadInputError) as error:
        return _print_error(
            error.format_message() if isinstance(error, ClickException) else error, 2
        )
    except JobFailedError as error:
        return _print_error(error, 1)
    except ModuleNotFoundError as error:
        extra = extra_of(error.name or "")
        if extra is None:
            raise
        return _print_error(missing_sentence(extra), 2)
    if code == INTERRUPTED:
        _print_error("interrupted", code)
    return code


def _leave(code: int) -> NoReturn:
    """Ends the process at once. Python would wait for threads that still compute, and take down its
    modules, which takes seconds with torch on a busy machine."""
    atexit._run_exitfuncs()  # such as those that end engines
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    os._exit(code)


def _drop_output() -> None:
    """Drops what cannot be written, which Python would try to write again at its end."""
    with suppress(OSError):
        sys.stdout.flush()
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_error(message: object, code: int) -> int:
    line = printable(" ".join(str(message).split()))
    print(f"selfmate: {line}", file=sys.stderr)
    return code
