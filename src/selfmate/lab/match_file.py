"""A match read from its log while the match may still be running, in whatever process."""

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from typing_extensions import TypedDict

from selfmate.arena.elo import UNIT_POINTS_A, score_interval
from selfmate.arena.match import MatchScore, PlayedGame
from selfmate.arena.match_run import (
    MatchConditions,
    Progress,
    fault_of,
    parse_conditions,
    parse_game,
    read_progress,
)
from selfmate.arena.sprt import Sprt
from selfmate.rules import RESULT_TEXTS, Board, sans_of
from selfmate.runs.files import open_plain
from selfmate.runs.lines import LineReader

MAX_NUMBER = 2**31  # of a game
MAX_POINTS = 200  # of a score curve
SINGLE_GAMES = 5  # where units of single games begin, after the five of pairs
UNITS = 8

# ---- games with all their positions, because the page knows no rules


class GameRow(TypedDict):
    """A game in a list."""

    number: int
    result: str
    points: float
    reason: str
    forfeit: bool
    plies: int


class BoardPosition(TypedDict):
    fen: str
    check: bool
    move: tuple[str, str] | None  # squares of the move that led to it


class GameRecord(GameRow):
    opening_plies: int
    positions: list[BoardPosition]  # the start, and after each move
    moves: list[str]
    sans: list[str]


class LiveGame(BoardPosition):
    number: int
    plies: int


def game_row(game: PlayedGame) -> GameRow:
    return {
        "number": game.number,
        "result": RESULT_TEXTS[game.result],
        "points": game.points_of_a,
        "reason": game.reason.replace("_", " "),
        "forfeit": bool(game.forfeit),
        "plies": len(game.moves),
    }


def game_record(game: PlayedGame) -> GameRecord:
    """ValueError when its moves cannot be played: somebody changed the log."""
    try:
        board = Board(game.opening.fen)
        sans = sans_of(board, game.moves)
        positions = [_position(board, None)]
        for move in game.moves:
            board.push(move, past_draw=True)
            positions.append(_position(board, move))
    except ValueError as error:
        raise ValueError(f"game {game.number + 1} is damaged: {error}") from error
    return {
        **game_row(game),
        "opening_plies": len(game.opening.moves),
        "positions": positions,
        "moves": list(game.moves),
        "sans": sans,
    }


def last_position(fen: str, moves: Sequence[str]) -> BoardPosition:
    """ValueError when a move is illegal."""
    board = Board(fen)
    for move in moves:
        board.push(move, past_draw=True)
    return _position(board, moves[-1] if moves else None)


def _position(board: Board, move: str | None) -> BoardPosition:
    squares = None if move is None else (move[:2], move[2:4])
    return {"fen": board.fen(), "check": board.is_check(), "move": squares}


# ---- the score after each game


class ScoreCurve(TypedDict):
    """Score and its 95 % interval after so many games."""

    games: list[int]
    score: list[float]
    low: list[float]
    high: list[float]


class ScoreHistory:
    """Games are added in the order in which they ended."""

    def __init__(self) -> None:
        self._points: dict[int, float] = {}  # by number
        self._units = [0] * UNITS
        self._rows: list[tuple[int, ...]] = []  # the units after each game

    def add(self, game: PlayedGame) -> None:
        other = self._points.get(game.number ^ 1)
        if other is None:
            self._units[SINGLE_GAMES + round(2 * game.points_of_a)] += 1
        else:
            self._units[SINGLE_GAMES + round(2 * other)] -= 1
            self._units[round(2 * (other + game.points_of_a))] += 1
        self._points[game.number] = game.points_of_a
        self._rows.append(tuple(self._units))

    def curve(self) -> ScoreCurve:
        """Thinned to `MAX_POINTS`; the newest point is always there."""
        if not self._rows:
            return {"games": [], "score": [], "low": [], "high": []}
        many = len(self._rows)
        chosen = np.unique(np.linspace(0, many - 1, min(many, MAX_POINTS)).round().astype(int))
        counts = np.array([self._rows[i] for i in chosen], dtype=np.float64)
        low, high = score_interval(counts)
        games = chosen + 1
        score = (counts @ UNIT_POINTS_A) / games
        return {
            "games": games.tolist(),
            "score": score.round(4).tolist(),
            "low": low.round(4).tolist(),
            "high": high.round(4).tolist(),
        }


# ---- the log


class MatchFile:
    """`refresh` reads what is new. ValueError when the file is not the log of a match."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._busy = threading.Lock()
        self._progress: Progress = {}
        self._reset()
        self.refresh()

    def _reset(self) -> None:
        self._read_bytes, self._read_lines = 0, 0
        self._reader = LineReader(self.path.name)
        self.damage: str | None = None  # a sentence about the line at which reading ended
        self._conditions: MatchConditions | None = None
        self.games: dict[int, PlayedGame] = {}
        self.order: list[int] = []  # numbers of the games as they ended
        self.history = ScoreHistory()
        self._score: MatchScore | None = None

    def refresh(self) -> None:
        with self._busy:
            progress = read_progress(self.path)
            self._read()
            if self._conditions is None:
                raise ValueError(f"{self.path.name} is not the log of a match")
            if self._score is None or _plan(progress) != _plan(self._progress):
                self._progress = progress
                self._score = MatchScore(self.games, self.total, self.sprt)
            self._progress = progress
            self._score.count()

    @property
    def conditions(self) -> MatchConditions:
        assert self._conditions is not None
        return self._conditions

    @property
    def score(self) -> MatchScore:
        assert self._score is not None
        return self._score

    @property
    def total(self) -> int:
        """Games to be played; those in the log where no plan is known."""
        planned = self._progress.get("games")
        return planned if isinstance(planned, int) else self.known

    @property
    def known(self) -> int:
        """Games that were begun, in pairs."""
        return 2 * (max(self.games, default=1) // 2 + 1)

    @property
    def sprt(self) -> Sprt | None:
        bounds = self._progress.get("sprt")
        try:
            return Sprt(*map(float, bounds)) if isinstance(bounds, list) else None
        except (TypeError, ValueError):
            return None

    @property
    def begun(self) -> bool:
        """Whether the process that plays has reported a game since it started."""
        return "playing" in self._progress

    def live_game(self) -> LiveGame | None:
        """One of the games that are being played, up to its last reported move."""
        game: Any = self._progress.get("playing")
        try:
            number, moves = int(game["number"]), game["moves"]
            position = last_position(game["fen"], moves)
        except (KeyError, TypeError, ValueError):
            return None
        return {**position, "number": number, "plies": len(moves)}

    def _read(self) -> None:
        with open_plain(self.path) as file:
            if os.fstat(file.fileno()).st_size < self._read_bytes:  # the match was restarted
                self._reset()
            file.seek(self._read_bytes)
            self.damage = None
            for line in file:
                if not line.endswith(b"\n"):
                    break
                try:
                    self._take(line)
                except (KeyError, TypeError, ValueError, OverflowError) as error:
                    self.damage = self._damage_at(self._read_lines + 1, error)
                    break
                self._read_bytes += len(line)
                self._read_lines += 1

    def _damage_at(self, line: int, error: Exception) -> str:
        where = f"line {line} of the log {self.path.name}"
        return f"{where} is damaged: {fault_of(error)[:100]}. It and what follows it is not shown."

    def _take(self, line: bytes) -> None:
        """KeyError, TypeError, ValueError or OverflowError when the line is damaged."""
        entry = self._reader.read(line)
        if self._conditions is None:
            self._conditions = parse_conditions(entry)
            return
        game = parse_game(entry)
        _check(game)
        if game.number not in self.games:
            self.order.append(game.number)
            self.history.add(game)
        self.games[game.number] = game


def _check(game: PlayedGame) -> None:
    """Types and ranges only: moves are played when a game is looked at."""
    if not 0 <= game.number < MAX_NUMBER:
        raise ValueError(f"the number of a game is {str(game.number)[:20]}")
    if not all(isinstance(text, str) for text in (game.opening.fen, *game.moves)):
        raise TypeError("a position or a move is not a text")


def _plan(progress: Progress) -> tuple[Any, Any]:
    return progress.get("games"), progress.get("sprt")
