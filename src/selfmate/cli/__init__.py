"""The command line: one thin file per verb. Nothing heavy is imported before a verb runs."""

import sys
from typing import Annotated

import typer
from typer._click.exceptions import ClickException

from selfmate.cli import (
    bench,
    collect,
    conversion,
    demo,
    doctor,
    endgame,
    import_games,
    inspect,
    lab,
    match,
    models,
    perft,
    pretrain,
    puzzles,
    rate,
    runs,
    train,
    uci,
)
from selfmate.cli.errors import BadInputError, JobFailedError

INTERRUPTED = 130  # what shells call the end by Ctrl-C

app = typer.Typer(
    name="selfmate",
    help="A laboratory for chess engines that teach themselves.",
    epilog="Exit codes: 0 done, 1 the job failed, 2 bad input. New here? Try: selfmate demo",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

for verb in (
    demo,
    collect,
    pretrain,
    train,
    inspect,
    lab,
    match,
    rate,
    puzzles,
    conversion,
    uci,
    perft,
    bench,
    models,
    doctor,
):
    app.command()(getattr(verb, verb.__name__.rpartition(".")[2]))
app.command("import")(import_games.import_games)
app.add_typer(runs.runs, name="runs")
app.add_typer(endgame.endgame, name="endgame")


def _print_version(wanted: bool) -> None:
    if wanted:
        from selfmate import __version__

        print(f"selfmate {__version__}")
        raise typer.Exit


@app.callback()
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
    try:
        arguments = sys.argv[1:] or ["--help"]
        code = app(arguments, prog_name="selfmate", standalone_mode=False) or 0
    except (ClickException, BadInputError) as error:
        code = _complain(error.format_message() if isinstance(error, ClickException) else error, 2)
    except JobFailedError as error:
        code = _complain(error, 1)
    if code == INTERRUPTED:
        _complain("interrupted", code)
    sys.exit(code)


def _complain(message: object, code: int) -> int:
    line = " ".join(str(message).split())
    print(f"selfmate: {line}", file=sys.stderr)
    return code
