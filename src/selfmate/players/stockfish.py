"""Stockfish as an opponent, of full or limited strength."""

from selfmate.players.engine_client import Margins
from selfmate.players.engine_seat import Engine
from selfmate.players.external import ExternalPlayer
from selfmate.players.names import PlayerName, check_settings, whole_setting
from selfmate.players.player import Limits
from selfmate.players.programs import find_program

# Setting -> what is allowed. Elo as Stockfish 14 and 15 know it; later ones know more.
RANGES = {"elo": (1350, 2850), "skill": (0, 20), "nodes": (1, 10_000_000)}
# Clearing the hash between games takes longer than a small search: it is no larger than needed.
SMALL_HASH_MB, HASH_MB = 1, 16
SMALL_DEPTH, SMALL_NODES = 8, 50_000
# Low levels answer within milliseconds; this ends the long searches from about 2500 on.
LIMITED_MS = 1000


def make_stockfish(name: PlayerName, margins: Margins | None = None) -> ExternalPlayer:
    """A player like `stockfish:elo=1500`."""
    check_settings(name, tuple(RANGES))
    if len(name.settings) != 1:
        raise ValueError(f"player {str(name)!r} needs exactly one of elo=, skill=, nodes=")
    (key,) = name.settings
    value = whole_setting(name, key, *RANGES[key])
    assert value is not None
    limits, options = _strength(key, value)
    engine = Engine(path=_program(name), limits=limits, options=_common(limits) | options)
    return ExternalPlayer(f"stockfish:{key}={value}", engine, margins)


def _strength(key: str, value: int) -> tuple[Limits, dict[str, str]]:
    if key == "elo":
        options = {"UCI_LimitStrength": "true", "UCI_Elo": str(value)}
        return Limits(depth=pick_depth(value), time_ms=LIMITED_MS), options
    if key == "skill":
        return Limits(depth=1 + value, time_ms=LIMITED_MS), {"Skill Level": str(value)}
    return Limits(nodes=value), {}


def _common(limits: Limits) -> dict[str, str]:
    small = (limits.depth or 0) <= SMALL_DEPTH and (limits.nodes or 0) <= SMALL_NODES
    return {"Threads": "1", "Hash": str(SMALL_HASH_MB if small else HASH_MB)}


def pick_depth(elo: int) -> int:
    """The depth at which Stockfish picks its move, however long it goes on to think.

    From its sources (search.cpp, Skill): versions up to 15.1 and from 16 on have different
    levels for one Elo. The larger depth serves both: it costs time, and the pick stays the same.
    """
    until_15 = max(0.0, (elo - 1346.6) / 143.4) ** (1 / 0.806)
    share = (elo - 1320) / (3190 - 1320)
    since_16 = ((37.2473 * share - 40.8525) * share + 22.2943) * share - 0.311438
    return 1 + min(20, int(max(0.0, until_15, since_16)))


def _program(name: PlayerName) -> str:
    path = find_program("stockfish")
    if path is None:
        raise ValueError(
            f"player {str(name)!r} needs Stockfish, which is not on PATH; "
            "Debian: apt install stockfish, others: https://stockfishchess.org/download"
        )
    return path
