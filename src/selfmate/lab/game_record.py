"""The record of a game in the lab: its moves, its end and its clock."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from selfmate.lab.opponent import MoveAnalysis
from selfmate.rules import Board
from selfmate.rules.pgn import ROSTER, movetext, setup_tags, tag_text

PROMOTION_LENGTH = 5  # of a UCI move such as e7e8q


class LegalMoves(TypedDict):
    destinations: dict[str, list[str]]  # squares by the square that a piece moves from
    promotions: list[str]  # moves such as e7e8 that need a choice of piece
    legal: dict[str, str]  # SAN by UCI


def legal_moves_of(board: Board, moves: Iterable[str] | None = None) -> LegalMoves:
    """All legal moves, or those that are given."""
    legal = list(board.legal_moves() if moves is None else moves)
    destinations: dict[str, list[str]] = {}
    for move in legal:
        squares = destinations.setdefault(move[:2], [])
        if move[2:4] not in squares:  # four promotions lead to one square
            squares.append(move[2:4])
    return {
        "destinations": destinations,
        "promotions": sorted({move[:4] for move in legal if len(move) == PROMOTION_LENGTH}),
        "legal": {move: board.san(move) for move in legal},
    }


Side = Literal["white", "black"]


def opposite(side: Side) -> Side:
    return "black" if side == "white" else "white"


# ---- moves


class Ply(TypedDict):
    """A move that was made, the position after it, and the analysis of the player that made it."""

    side: Side
    move: str
    san: str
    fen: str
    check: bool
    analysis: MoveAnalysis | None


class StartPosition(TypedDict):
    fen: str
    check: bool


class LineData(LegalMoves):
    """The moves so far and those that are legal now."""

    start: StartPosition
    turn: Side
    moves: list[Ply]


class GameLine:
    def __init__(self, start: Board) -> None:
        self.board = start.copy()
        self.plies: list[Ply] = []

    def push(self, move: str, analysis: MoveAnalysis | None = None) -> None:
        """ValueError when the move is illegal or the game is over."""
        board = self.board
        side, san = board.turn, board.san(move)
        board.push(move)
        self.plies.append(
            {
                "side": side,
                "move": move,
                "san": san,
                "fen": board.fen(),
                "check": board.is_check(),
                "analysis": analysis,
            }
        )

    def truncate(self, length: int) -> None:
        """Takes back all moves after the first `length`."""
        while len(self.plies) > length:
            self.board.pop()
            self.plies.pop()

    def data(self, person: Side | None) -> LineData:
        """Legal moves are listed when it is the person's turn."""
        board = self.board
        return {
            "start": {"fen": board.start_fen, "check": Board(board.start_fen).is_check()},
            "turn": board.turn,
            "moves": list(self.plies),
            **legal_moves_of(board, None if board.turn == person else ()),
        }

    def parse_move(self, text: str) -> str:
        """The UCI text of a move as people type it: `g1f3`, `Nf3`, `nf3`, `0-0`, `e8=Q+`."""
        typed = text.strip().rstrip("+#!?").replace("0", "O")
        if typed.lower() in self.board.legal_moves():
            return typed.lower()
        for spelling in (typed, typed[:1].upper() + typed[1:], typed.upper()):
            try:
                return self.board.parse_san(spelling)
            except ValueError:
                continue
        if f"{typed.lower()}q" in self.board.legal_moves():
            raise ValueError(f"this pawn promotes: {typed.lower()}q promotes to a queen")
        raise ValueError(f"{text[:20]!r} is not possible here; moves look like Nf3 or g1f3")

    def pgn(self, tags: Mapping[str, str], result: str) -> str:
        start = self.board.start_fen
        all_tags = ROSTER | dict(tags) | {"Result": result} | setup_tags(start)
        sans = [ply["san"] for ply in self.plies]
        return f"{tag_text(all_tags)}\n{movetext(sans, result, start)}"


# ---- the end


DRAWS = {
    "agreement": "Draw by agreement.",
    "stalemate": "Draw by stalemate.",
    "insufficient_material": "Draw: neither side has enough material to mate.",
    "fifty_moves": "Draw by the fifty-move rule.",
    "threefold_repetition": "Draw by threefold repetition.",
    "time_against_bare_king": "Draw: time ran out, but against a bare king.",
}
WINS = {
    "checkmate": "by checkmate",
    "resignation": "by resignation",
    "time": "on time",
}


class EndData(TypedDict):
    score: str
    winner: Side | None
    reason: str
    words: str


@dataclass(frozen=True)
class End:
    winner: Side | None
    reason: str

    @property
    def score(self) -> str:
        return {"white": "1-0", "black": "0-1", None: "1/2-1/2"}[self.winner]

    def data(self, person: Side | None) -> EndData:
        return {
            "score": self.score,
            "winner": self.winner,
            "reason": self.reason,
            "words": self.words(person),
        }

    def words(self, person: Side | None) -> str:
        """For the person who played, or for one who watched."""
        if self.winner is None:
            return DRAWS[self.reason]
        if person is None:
            return f"{self.winner.capitalize()} won {WINS[self.reason]}."
        if self.winner == person:
            return f"You won {WINS[self.reason]}."
        return "You resigned." if self.reason == "resignation" else f"You lost {WINS[self.reason]}."


def end_on_board(board: Board) -> End | None:
    outcome = board.outcome()
    return None if outcome is None else End(outcome.winner, outcome.reason)


def end_on_time(board: Board, loser: Side) -> End:
    """A bare king cannot mate, so it does not win on time. Any other material counts as enough."""
    winner = opposite(loser)
    placement = board.fen().split()[0]
    pieces = [one for one in placement if one.isalpha() and one.isupper() == (winner == "white")]
    return End(None, "time_against_bare_king") if len(pieces) == 1 else End(winner, "time")


# ---- the clock


Seconds = Annotated[float, Field(ge=0, le=24 * 3600)]


class ClockSetting(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    minutes: Annotated[float, Field(gt=0, le=180)]
    increment_seconds: Annotated[float, Field(ge=0, le=180)] = 0
    left_seconds: tuple[Seconds, Seconds] | None = None  # White's and Black's in a resumed game

    @property
    def pgn(self) -> str:
        """The value of PGN's tag TimeControl."""
        return f"{self.minutes * 60:g}+{self.increment_seconds:g}"


class SecondsLeft(TypedDict):
    white: float
    black: float


class ClockData(TypedDict):
    left_seconds: SecondsLeft
    running: Side | None
    minutes: float
    increment_seconds: float


class GameClock:
    """Two times, of which at most one runs. `now` counts seconds. What the clock showed after each
    move is remembered, so that moves can be taken back."""

    def __init__(self, setting: ClockSetting, now: Callable[[], float]) -> None:
        self.setting = setting
        self._now = now
        full = setting.minutes * 60
        white, black = setting.left_seconds or (full, full)
        self._left: SecondsLeft = {"white": white, "black": black}
        self._running: Side | None = None
        self._since = now()
        self._readings = [self.reading()]

    @property
    def running(self) -> Side | None:
        return self._running

    def left(self, side: Side) -> float:
        """Seconds, never below zero."""
        spent = self._now() - self._since if side == self._running else 0.0
        return max(0.0, self._left[side] - spent)

    def reading(self) -> SecondsLeft:
        return {"white": self.left("white"), "black": self.left("black")}

    def fallen(self) -> Side | None:
        """The side that has run out of time."""
        running = self._running
        return running if running is not None and self.left(running) == 0 else None

    def start(self, side: Side) -> None:
        self.stop()
        self._running, self._since = side, self._now()

    def stop(self) -> None:
        self._left = self.reading()
        self._running = None

    def press(self) -> None:
        """After a move: the running time stops and grows by the increment."""
        side = self._running
        self.stop()
        if side is not None:
            self._left[side] += self.setting.increment_seconds
        self._readings.append(self.reading())

    def turn_back(self, length: int) -> None:
        """To the reading after `length` moves."""
        self._running = None
        del self._readings[length + 1 :]
        self._left = self._readings[-1].copy()

    def data(self) -> ClockData:
        return {
            "left_seconds": self.reading(),
            "running": self._running,
            "minutes": self.setting.minutes,
            "increment_seconds": self.setting.increment_seconds,
        }
