"""The rules of chess as Python sees them: boards, batches of games, game records, PGN."""

from selfmate._core import (
    Board,
    GameBatch,
    GameRecords,
    Outcome,
    move_text,
    random_games,
    reason_names,
)
from selfmate.rules.pgn import read_pgn, write_pgn

# Why games end, by the codes in GameRecords.reasons.
REASONS = tuple(reason_names())

__all__ = [
    "REASONS",
    "Board",
    "GameBatch",
    "GameRecords",
    "Outcome",
    "move_text",
    "random_games",
    "read_pgn",
    "write_pgn",
]
