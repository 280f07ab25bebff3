"""A match read from its log, by this lab's processes or anybody's, while it may grow."""

import os
import threading
from pathlib import Path
from typing import Any

from selfmate.arena.match import PlayedGame
from selfmate.arena.match_log import Agreement, parse_agreement, parse_game
from selfmate.arena.sitting import News, read_news
from selfmate.arena.sprt import Sprt
from selfmate.arena.tally import Tally
from selfmate.lab.match.game_record import last_position
from selfmate.lab.match.score_history import ScoreHistory
from selfmate.runs.files import open_plain

DECIDED = (1, 0, -1)


class MatchFile:
    """`refresh` reads what is new. ValueError when the file is no log."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._busy = threading.Lock()
        self._news: News = {}
        self._forget()
        self.refresh()

    def _forget(self) -> None:
        self._read_bytes = 0
        self._agreement: Agreement | None = None
        self.games: dict[int, PlayedGame] = {}
        self.order: list[int] = []  # as they ended
        self.history = ScoreHistory()
        self._tally: Tally | None = None

    def refresh(self) -> None:
        with self._busy:
            news = read_news(self.path)
            self._read()
            if self._agreement is None:
                raise ValueError(f"{self.path.name} is not the log of a match")
            if self._tally is None or _plan(news) != _plan(self._news):
                self._news = news
                self._tally = Tally(self.games, self.total, self.sprt)
            self._news = news
            self._tally.count()

    @property
    def agreement(self) -> Agreement:
        assert self._agreement is not None
        return self._agreement

    @property
    def tally(self) -> Tally:
        assert self._tally is not None
        return self._tally

    @property
    def total(self) -> int:
        """Games to be played; where nobody has said it, those that are there."""
        said = self._news.get("games")
        return said if isinstance(said, int) else self.known

    @property
    def known(self) -> int:
        """Games that were begun, in pairs."""
        return 2 * (max(self.games, default=1) // 2 + 1)

    @property
    def sprt(self) -> Sprt | None:
        bounds = self._news.get("sprt")
        try:
            return Sprt(*map(float, bounds)) if isinstance(bounds, list) else None
        except (TypeError, ValueError):
            return None

    @property
    def begun(self) -> bool:
        """Whether who plays has told something in this sitting."""
        return "playing" in self._news

    def playing(self) -> dict[str, Any] | None:
        """One of the games that go on, as far as was told."""
        game = self._news.get("playing")
        try:
            moves = game["moves"]  # type: ignore[index]
            return last_position(game["fen"], moves) | {  # type: ignore[index]
                "number": int(game["number"]),  # type: ignore[index]
                "plies": len(moves),
            }
        except (KeyError, TypeError, ValueError):
            return None

    def _read(self) -> None:
        with open_plain(self.path) as file:
            if os.fstat(file.fileno()).st_size < self._read_bytes:  # it was begun anew
                self._forget()
            file.seek(self._read_bytes)
            for line in file:
                if not line.endswith(b"\n") or not self._take(line):
                    break
                self._read_bytes += len(line)

    def _take(self, line: bytes) -> bool:
        """Whether the line made sense; what follows one that did not is not looked at."""
        try:
            if self._agreement is None:
                self._agreement = parse_agreement(line)
                return True
            game = parse_game(line)
            is_sound = game.result in DECIDED and all(isinstance(m, str) for m in game.moves)
        except (KeyError, TypeError, ValueError, RecursionError):
            return False
        if not is_sound:
            return False
        if game.number not in self.games:
            self.order.append(game.number)
            self.history.add(game)
        self.games[game.number] = game
        return True


def _plan(news: News) -> tuple[Any, Any]:
    return news.get("games"), news.get("sprt")
