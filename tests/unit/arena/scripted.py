"""Players whose moves a test decides."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from selfmate.players import Analysis, Choices, Limits, SearchRequest
from selfmate.players.player import NO_LIMITS
from selfmate.rules import Board, uci_code

Answer = Callable[[Board, int], str]  # board, seed -> UCI, or "!reason" to forfeit


class Scripted:
    """Answers each board by a function of it."""

    def __init__(self, name: str, answer: Answer, parallel_games: int = 8) -> None:
        self.name, self.parallel_games = name, parallel_games
        self.answer = answer
        self.closed = 0

    def choose(
        self, boards: Sequence[Board], seeds: NDArray[np.uint64], limits: Limits = NO_LIMITS
    ) -> Choices:
        answers = [self.answer(board, int(seed)) for board, seed in zip(boards, seeds, strict=True)]
        forfeits = {i: text[1:] for i, text in enumerate(answers) if text.startswith("!")}
        moves = [0 if text.startswith("!") else uci_code(text) for text in answers]
        return Choices(np.array(moves, np.uint16), forfeits)

    def analyse(self, request: SearchRequest) -> Analysis:
        return Analysis(best=self.answer(request.board, request.seed))

    def close(self) -> None:
        self.closed += 1


def by_seed(board: Board, seed: int) -> str:
    """A random legal move."""
    moves = board.legal_moves()
    return moves[seed % len(moves)]


def first_move(board: Board, seed: int) -> str:
    """Always the same move in the same position."""
    return board.legal_moves()[0]
