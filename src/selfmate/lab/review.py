"""The Review view: a game evaluated move by move, with the moves that lost most.

A review runs in a thread of its own and is a topic, so the page shows it while it grows. It is
named after its game: the same game asked for twice is evaluated once.
"""

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from hashlib import sha256
from threading import Event, Lock, Thread
from typing import Literal

from fastapi import APIRouter
from typing_extensions import TypedDict

from selfmate.lab.analysis import MAX_LINE, Line
from selfmate.lab.errors import BusyError, NotFoundError
from selfmate.lab.game_record import Side
from selfmate.lab.opening_names import opening_of
from selfmate.lab.opponent import judgement, value_of
from selfmate.lab.players import LabPlayers
from selfmate.players import Player, SearchRequest
from selfmate.players.engine import find_program
from selfmate.rules import Board, sans_of
from selfmate.weights import strongest

MAX_REVIEWS = 20
MAX_RUNNING = 2
ID_DIGITS = 16
STOCKFISH = "stockfish:nodes=100000"
SIMULATIONS = 400
TEACHER = "teacher:depth=3"  # where nothing ships
# From which loss of expected points on a move has a mark, the worst first.
MARKS: tuple[tuple[float, "Mark"], ...] = (
    (0.20, "blunder"),
    (0.10, "mistake"),
    (0.05, "inaccuracy"),
)

Mark = Literal["blunder", "mistake", "inaccuracy"]


class BestMove(TypedDict):
    move: str
    san: str
    line: list[str]
    judgement: str | None


class ReviewedPosition(TypedDict):
    """A position of the game, after `move`; the start has none."""

    move: str | None
    san: str | None
    fen: str
    check: bool
    white_points: float | None  # expected points of White, from 0 to 1; None: not evaluated yet
    best: BestMove | None  # None at the end of the game, and before the evaluation
    loss: float | None  # expected points that the move lost for who made it
    mark: Mark | None


class SideSummary(TypedDict):
    moves: int  # that were evaluated
    average_loss: float | None
    inaccuracies: int
    mistakes: int
    blunders: int


class ReviewData(TypedDict):
    """The topic `review:ID`."""

    id: str
    by: str
    done: int  # positions
    problem: str | None
    opening: str | None
    positions: list[ReviewedPosition]
    white: SideSummary
    black: SideSummary


@dataclass(frozen=True)
class Evaluation:
    points: float  # expected by the side to move
    best: BestMove | None


def evaluate(player: Player, board: Board, stop: Event) -> Evaluation:
    """ValueError when the player does not judge positions."""
    outcome = board.outcome()
    if outcome is not None:
        points = 0.5 if outcome.winner is None else float(outcome.winner == board.turn)
        return Evaluation(points, None)
    analysis = player.analyse(SearchRequest(board=board, seed=0, stop=stop))
    value = value_of(analysis)
    if value is None:
        raise ValueError(f"{player.name} does not judge positions")
    best: BestMove = {
        "move": analysis.best,
        "san": board.san(analysis.best),
        "line": sans_of(board, analysis.line[:MAX_LINE]),
        "judgement": judgement(analysis),
    }
    return Evaluation((1 + value) / 2, best)


def loss_of(before: Evaluation, after: Evaluation, move: str) -> float:
    """Points that the mover lost; none by the best move, whatever the next search thinks of it."""
    if before.best is not None and before.best["move"] == move:
        return 0.0
    return max(0.0, before.points - (1 - after.points))


def mark_of(loss: float) -> Mark | None:
    return next((mark for least, mark in MARKS if loss >= least), None)


class Review:
    """One game's review, and a topic."""

    def __init__(self, name: str, line: Line, by: str) -> None:
        """ValueError when a move is illegal."""
        self.name, self._by = name, by
        board = Board(line.start)
        self._boards = [board.copy()]
        for move in line.moves:
            board.push(move, past_draw=True)
            self._boards.append(board.copy())
        self._moves = board.moves
        self._sans = sans_of(self._boards[0], self._moves)
        self._opening = opening_of(board)
        self._found: list[Evaluation] = []
        self._problem: str | None = None
        self._changes = 0
        self._lock = Lock()
        self._stop = Event()
        self._thread: Thread | None = None

    @property
    def runs(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    @property
    def has_failed(self) -> bool:
        return self._problem is not None

    def start(self, player: Player) -> None:
        self._thread = Thread(target=self._evaluate, args=(player,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()

    def version(self) -> Hashable:
        return self._changes

    def data(self) -> ReviewData:
        with self._lock:
            found, problem = list(self._found), self._problem
        positions = [self._position(ply, found) for ply in range(len(self._boards))]
        return {
            "id": self.name,
            "by": self._by,
            "done": len(found),
            "problem": problem,
            "opening": self._opening,
            "positions": positions,
            "white": self._summary(positions, "white"),
            "black": self._summary(positions, "black"),
        }

    def _evaluate(self, player: Player) -> None:
        """In a thread of its own."""
        try:
            for board in self._boards:
                evaluation = evaluate(player, board, self._stop)
                if self._stop.is_set():
                    return
                with self._lock:
                    self._found.append(evaluation)
                    self._changes += 1
        except Exception as error:  # a player may fail in any way
            with self._lock:
                self._problem = f"{self._by} could not go on: {error}"
                self._changes += 1
        finally:
            player.close()

    def _position(self, ply: int, found: list[Evaluation]) -> ReviewedPosition:
        board = self._boards[ply]
        move = self._moves[ply - 1] if ply else None
        known = found[ply] if ply < len(found) else None
        loss = None
        if move is not None and known is not None:
            loss = loss_of(found[ply - 1], known, move)
        return {
            "move": move,
            "san": self._sans[ply - 1] if ply else None,
            "fen": board.fen(),
            "check": board.is_check(),
            "white_points": None if known is None else _for_white(board, known.points),
            "best": None if known is None else known.best,
            "loss": loss,
            "mark": None if loss is None else mark_of(loss),
        }

    def _summary(self, positions: list[ReviewedPosition], side: Side) -> SideSummary:
        own = [
            after
            for board, after in zip(self._boards[:-1], positions[1:], strict=True)
            if board.turn == side and after["loss"] is not None
        ]
        losses = [one["loss"] or 0.0 for one in own]
        marks = [one["mark"] for one in own]
        return {
            "moves": len(own),
            "average_loss": sum(losses) / len(losses) if losses else None,
            "inaccuracies": marks.count("inaccuracy"),
            "mistakes": marks.count("mistake"),
            "blunders": marks.count("blunder"),
        }


def _for_white(board: Board, points: float) -> float:
    return points if board.turn == "white" else 1 - points


def reviewer() -> str:
    """Stockfish if it is installed, else the strongest net that ships."""
    if find_program("stockfish"):
        return STOCKFISH
    net = strongest()
    return TEACHER if net is None else f"{net}:sims={SIMULATIONS}"


class Reviews:
    """The least recently used ones are dropped."""

    def __init__(self, players: LabPlayers, by: str | None = None) -> None:
        self._players, self._by = players, by or reviewer()
        self._reviews: OrderedDict[str, Review] = OrderedDict()
        self._lock = Lock()

    def open(self, line: Line) -> Review:
        """ValueError when the game cannot be played."""
        name = _name_of(line)
        with self._lock:
            known = self._reviews.get(name)
            if known is not None and not known.has_failed:
                return known
            if sum(one.runs for one in self._reviews.values()) >= MAX_RUNNING:
                raise BusyError(f"{MAX_RUNNING} games are being reviewed: wait for one of them")
            review = Review(name, line, self._by)
            review.start(self._players.load(self._by))
            self._reviews[name] = review
            while len(self._reviews) > MAX_REVIEWS:
                self._reviews.popitem(last=False)[1].stop()
        return review

    def find(self, name: str) -> Review:
        with self._lock:
            if name not in self._reviews:
                raise NotFoundError("this review is no longer there")
            self._reviews.move_to_end(name)
            return self._reviews[name]

    def close(self) -> None:
        with self._lock:
            for review in self._reviews.values():
                review.stop()
            self._reviews.clear()


def _name_of(line: Line) -> str:
    text = "\n".join([Board(line.start).fen(), *line.moves])
    return sha256(text.encode()).hexdigest()[:ID_DIGITS]


def review_routes(reviews: Reviews) -> APIRouter:
    router = APIRouter(prefix="/api/reviews")

    @router.post("")
    def review(line: Line) -> ReviewData:
        return reviews.open(line).data()

    return router
