"""What one search is about: the moves it may choose from, and the `bestmove` it ends with."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING

from selfmate.players import Limits, Question, Thought
from selfmate.players.player import hear_nothing
from selfmate.uci.go import Go

if TYPE_CHECKING:
    from selfmate.rules import Board


@dataclass(frozen=True)
class Task:
    board: "Board"
    allowed: list[str]  # all legal moves, or some; empty when there are none
    limits: Limits
    dice: int
    temperature: float | None = None
    c_puct: float | None = None
    threads: int = 1

    def question(self, stop: Event, report: Callable[[Thought], None] = hear_nothing) -> Question:
        """As players are asked, who know nothing of allowed moves."""
        return Question(
            board=self.board,
            dice=self.dice,
            limits=self.limits,
            temperature=self.temperature,
            c_puct=self.c_puct,
            threads=self.threads,
            stop=stop,
            report=report,
        )

    @property
    def is_restricted(self) -> bool:
        return len(self.allowed) < len(self.board.legal_moves())


def allowed_moves(board: "Board", go: Go) -> list[str]:
    """The legal moves, or those that `searchmoves` names. Never empty unless there are none."""
    legal = board.legal_moves()
    wanted = [move for move in legal if move in go.searchmoves]
    illegal = [move for move in go.searchmoves if move not in legal]
    if illegal:
        go.complaints.append(f"go: not legal here and left out: {' '.join(illegal)}")
    return wanted or legal


def bestmove(task: Task, thought: Thought | None) -> str:
    """The last line of a search: by chance without a thought, and without moves as
    Stockfish has it."""
    if not task.allowed:
        return "bestmove (none)"
    if thought is None:
        return f"bestmove {task.allowed[task.dice % len(task.allowed)]}"
    reply = _expected_reply(task.board, thought)
    return f"bestmove {thought.best}" + (f" ponder {reply}" if reply else "")


def _expected_reply(board: "Board", thought: Thought) -> str | None:
    """The second move of the player's line, if it can be played."""
    if len(thought.line) < 2:
        return None
    after = board.copy()
    after.push(thought.best, past_draw=True)
    return thought.line[1] if thought.line[1] in after.legal_moves() else None
