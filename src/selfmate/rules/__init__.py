"""The rules of chess as Python sees them: boards, batches of games, game records, PGN."""

from selfmate._core import (
    Board,
    GameBatch,
    GameRecords,
    Outcome,
    push_moves,
    random_games,
    reason_names,
    uci_code,
    uci_text,
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
    "push_moves",
    "random_games",
    "read_pgn",
    "uci_code",
    "uci_text",
    "write_pgn",
]
