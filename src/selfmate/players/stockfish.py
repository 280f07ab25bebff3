"""Stockfish as an opponent, of full or limited strength."""

from selfmate.players.engine_client import Margins
from selfmate.players.engine_seat import Engine
from selfmate.players.external import ExternalPlayer
from selfmate.players.names import PlayerName, check_settings, whole_setting
from selfmate.players.player import Limits
from selfmate.players.programs import find_program

# Strength -> what is allowed. Elo as Stockfish 14 and 15 know it; later ones know more.
STRENGTHS = {"elo": (1350, 2850), "skill": (0, 20), "nodes": (1, 10_000_000)}
MOVETIME_MS = (1, 60_000)
DEFAULT_MOVETIME_MS = 50  # for the limited strengths
COMMON = {"Threads": "1", "Hash": "16"}


def make_stockfish(name: PlayerName, margins: Margins | None = None) -> ExternalPlayer:
    """A player like `stockfish:elo=1500`, `stockfish:skill=3,movetime=100`."""
    check_settings(name, (*STRENGTHS, "movetime"))
    given = [key for key in STRENGTHS if key in name.settings]
    if len(given) != 1:
        raise ValueError(f"player {str(name)!r} needs exactly one of elo=, skill=, nodes=")
    if given == ["nodes"] and "movetime" in name.settings:
        raise ValueError(f"player {str(name)!r} has two limits; give nodes or movetime")
    value = whole_setting(name, given[0], *STRENGTHS[given[0]])
    movetime = whole_setting(name, "movetime", *MOVETIME_MS)
    assert value is not None
    limits, options = _strength(given[0], value, movetime or DEFAULT_MOVETIME_MS)
    engine = Engine(path=_program(name), limits=limits, options=COMMON | options)
    shown = f",movetime={movetime}" if movetime not in (None, DEFAULT_MOVETIME_MS) else ""
    return ExternalPlayer(f"stockfish:{given[0]}={value}{shown}", engine, margins)


def _strength(key: str, value: int, movetime_ms: int) -> tuple[Limits, dict[str, str]]:
    if key == "nodes":
        return Limits(nodes=value), {}
    if key == "skill":
        return Limits(time_ms=movetime_ms), {"Skill Level": str(value)}
    return Limits(time_ms=movetime_ms), {"UCI_LimitStrength": "true", "UCI_Elo": str(value)}


def _program(name: PlayerName) -> str:
    path = find_program("stockfish")
    if path is None:
        raise ValueError(
            f"player {str(name)!r} needs Stockfish, which is not on PATH; "
            "Debian: apt install stockfish, others: https://stockfishchess.org/download"
        )
    return path
