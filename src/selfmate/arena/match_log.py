"""The games of a match on disk, so that it can go on after an interruption.

One JSON object a line: first what was agreed on, then each game as it ended. A last line that was
cut off is forgotten; its game is played again. Whoever plays holds the lock on the file.
"""

import json
import os
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from selfmate.arena.match import PlayedGame
from selfmate.arena.openings import Opening
from selfmate.runs.lock import take


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """What decides the games of a match; their number is free, so that a match can be extended."""

    players: tuple[str, str]
    openings: str  # digest
    seed: int
    max_plies: int
    adjudicate_pawns: int | None = None

    def digest(self) -> str:
        return sha256(json.dumps(asdict(self)).encode()).hexdigest()[:12]


def digest_of(openings: list[Opening]) -> str:
    """Short digest of openings and their order."""
    text = "\n".join(f"{opening.fen} {' '.join(opening.moves)}" for opening in openings)
    return sha256(text.encode()).hexdigest()[:12]


class MatchLog:
    """Append-only; who opens it without resuming starts it anew. ValueError when another process
    has it open."""

    def __init__(self, path: Path, agreement: Agreement, resume: bool) -> None:
        self.path = path
        self.games: dict[int, PlayedGame] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file: IO[bytes] = path.open("a+b")
        try:
            kept = self._open(agreement, resume)
        except BaseException:
            self._file.close()
            raise
        self._file.truncate(kept)
        if not kept:
            self._write({"agreement": _plain(agreement)})

    def add(self, game: PlayedGame) -> None:
        self.games[game.number] = game
        self._write(asdict(game))

    def close(self) -> None:
        self._file.close()

    def _open(self, agreement: Agreement, resume: bool) -> int:
        """How many bytes of the file stay."""
        if not take(self._file.fileno()):
            raise ValueError(f"this match is being played by another process: {self.path}")
        if not resume:
            return 0
        self._file.seek(0)
        return _read(self._file, self.path, agreement, self.games)

    def _write(self, entry: dict[str, Any]) -> None:
        self._file.write(json.dumps(entry).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())


def _plain(agreement: Agreement) -> Any:
    return json.loads(json.dumps(asdict(agreement)))


def _read(file: IO[bytes], path: Path, agreement: Agreement, games: dict[int, PlayedGame]) -> int:
    """Fills `games` and returns how many bytes of the file are whole lines."""
    kept = 0
    for number, line in enumerate(file):
        if not line.endswith(b"\n"):
            break
        try:
            if number == 0:
                _check_agreement(path, agreement, json.loads(line))
            else:
                game = parse_game(line)
                games[game.number] = game
        except (KeyError, TypeError, json.JSONDecodeError) as error:
            raise ValueError(f"{path}, line {number + 1} is damaged: {error!r}") from error
        kept += len(line)
    return kept


def _check_agreement(path: Path, agreement: Agreement, entry: dict[str, Any]) -> None:
    if entry["agreement"] != _plain(agreement):
        raise ValueError(f"{path} is the log of another match: {entry['agreement']}")


def parse_agreement(line: bytes) -> Agreement:
    """The first line of a log; KeyError, TypeError or ValueError when it is none."""
    fields = json.loads(line)["agreement"]
    a, b = fields["players"]
    return Agreement(**fields | {"players": (str(a), str(b))})


def parse_game(line: bytes) -> PlayedGame:
    """Any other line of a log; KeyError, TypeError or ValueError when it is none."""
    entry = json.loads(line)
    opening = entry["opening"]
    return PlayedGame(
        number=int(entry["number"]),
        opening=Opening(opening["fen"], tuple(opening["moves"])),
        moves=tuple(entry["moves"]),
        result=int(entry["result"]),
        reason=str(entry["reason"]),
        forfeit=bool(entry["forfeit"]),
        comments=tuple(map(str, entry.get("comments", ()))),
    )
