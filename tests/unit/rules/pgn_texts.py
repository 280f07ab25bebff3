"""PGN texts as the core reads them."""

from selfmate._core import GameRecords, PgnReader
from selfmate.rules.pgn import DroppedGame


def parse(text: str | bytes, **limits: int) -> tuple[GameRecords, list[DroppedGame]]:
    reader = PgnReader(1, **limits)
    reader.feed(text.encode() if isinstance(text, str) else text)
    reader.finish()
    return reader.take(), [DroppedGame(*fields) for fields in reader.take_dropped()]


def lines(records: GameRecords) -> list[str]:
    return [" ".join(records.san(game)) for game in range(len(records))]
