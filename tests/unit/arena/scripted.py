"""Players whose moves a test decides."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from selfmate.players import Choices, Limits, Question, Thought
from selfmate.players.player import NO_LIMITS
from selfmate.rules import Board, uci_code

Answer = Callable[[Board, int], str]  # board, dice -> UCI, or "!reason" to forfeit


class Scripted:
    """Answers each board by a function of it."""

    def __init__(self, name: str, answer: Answer, games_at_once: int = 8) -> None:
        self.name, self.games_at_once = name, games_at_once
        self.answer = answer
        self.closed = 0

    def choose(
        self, boards: Sequence[Board], dice: NDArray[np.uint64], limits: Limits = NO_LIMITS
    ) -> Choices:
        answers = [self.answer(board, int(die)) for board, die in zip(boards, dice, strict=True)]
        forfeits = {i: text[1:] for i, text in enumerate(answers) if text.startswith("!")}
        moves = [0 if text.startswith("!") else uci_code(text) for text in answers]
        return Choices(np.array(moves, np.uint16), forfeits)

    def think(self, question: Question) -> Thought:
        return Thought(best=self.answer(question.board, question.dice))

    def close(self) -> None:
        self.closed += 1


def by_dice(board: Board, dice: int) -> str:
    """Any legal move."""
    moves = board.legal_moves()
    return moves[dice % len(moves)]


def first_move(board: Board, dice: int) -> str:
    """Always the same move in the same position."""
    return board.legal_moves()[0]
