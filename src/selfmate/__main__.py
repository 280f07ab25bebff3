"""The `selfmate` command, also as `python -m selfmate`."""

import os
import sys


def main() -> None:
    """Runs a verb. A plain `uci` skips the command-line library, whose import takes too long."""
    verb, arguments = sys.argv[1:2], sys.argv[2:]
    if verb == ["uci"] and len(arguments) <= 1 and not "".join(arguments).startswith("-"):
        _uci(*arguments)
    else:
        from selfmate.cli import main as run_verb

        run_verb()


def _uci(player: str | None = None) -> None:
    # pydantic would look through all installed packages for plug-ins, while the GUI waits.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    from selfmate.uci import DEFAULT_PLAYER
    from selfmate.uci.engine import NoPlayerError
    from selfmate.uci.process import play

    try:
        play(DEFAULT_PLAYER if player is None else player)
    except (ValueError, NoPlayerError) as error:
        line = " ".join(str(error).split())
        print(f"selfmate: {line}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
