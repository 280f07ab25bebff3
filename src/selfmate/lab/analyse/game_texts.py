"""What people paste: a position as FEN, or games as PGN."""

import io
from typing import Any

from selfmate.rules import Board, GameRecords, read_pgn
from selfmate.rules.pgn import RESULT_TEXTS

MOST_GAMES = 200
MOST_COMPLAINTS = 5
RANKS = 8


def read_games(text: str) -> dict[str, Any]:
    """Each game's title, start and moves; `left_out` says what could not be read. ValueError says
    what is wrong where nothing can."""
    text = text.strip()
    if not text:
        raise ValueError("there is nothing to read: paste a FEN or a PGN")
    if text.split()[0].count("/") == RANKS - 1:
        return {"games": [_position(text)], "left_out": []}
    return _games(text)


def _position(text: str) -> dict[str, Any]:
    return {"title": "Position", "start": Board(" ".join(text.split())).fen(), "moves": []}


def _games(text: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = []
    left_out: list[str] = []
    for chunk in read_pgn(io.BytesIO(text.encode()), threads=1):
        found += (_game(chunk.games, number) for number in range(len(chunk.games)))
        left_out += (
            f"game {one.game} was left out: line {one.line}: {one.reason}" for one in chunk.dropped
        )
    if not found:
        raise ValueError(left_out[0] if left_out else "this is neither a FEN nor a PGN")
    if len(found) > MOST_GAMES:
        left_out.append(f"only the first {MOST_GAMES} of {len(found)} games are shown")
    return {"games": found[:MOST_GAMES], "left_out": left_out[-MOST_COMPLAINTS:]}


def _game(records: GameRecords, number: int) -> dict[str, Any]:
    tags = records.tags(number)
    white, black = tags.get("White", "?"), tags.get("Black", "?")
    result = RESULT_TEXTS[int(records.results[number])]
    date = tags.get("Date", "").partition(".")[0].strip("?")
    return {
        "title": f"{white} - {black}  {result}{f'  ({date})' if date else ''}",
        "start": records.start_fen(number),
        "moves": records.uci(number),
    }
