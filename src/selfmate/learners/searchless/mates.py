"""Games that start near their end: a few plies before the mates of the run's own games."""

from collections.abc import Sequence

import numpy as np

from selfmate.rules import Board, uci_code, uci_text
from selfmate.runs import Arrays, Json

MAX_MATES = 1024  # that are kept, the latest
MAX_PLIES = 40  # before the mate
MAX_FEN = 96  # bytes; the longest has 92
GROW_AT = 0.6  # fraction of the games from there that are decided


class OwnMates:
    """The latest mates of the run, and how many plies before them games start at most: half as many
    again after each cycle in which most of the games from there were decided once more."""

    def __init__(self) -> None:
        self.count = 0  # of all mates so far
        self.plies = 1
        # A ring of the latest. Of the game's last plies the first position and the moves, the last
        # of which mates; zeros follow.
        self._fens = np.zeros((MAX_MATES, MAX_FEN), np.uint8)
        self._moves = np.zeros((MAX_MATES, MAX_PLIES), np.uint16)

    def add(self, boards: Sequence[Board]) -> None:
        """The mates among some games."""
        for board in boards:
            if (outcome := board.outcome()) is not None and outcome.winner is not None:
                self._add(board)

    def _add(self, board: Board) -> None:
        moves, before, row = board.moves[-MAX_PLIES:], board.copy(), self.count % MAX_MATES
        for _ in moves:
            before.pop()
        fen = np.frombuffer(before.fen().encode(), np.uint8)
        self._fens[row], self._moves[row] = 0, 0
        self._fens[row, : len(fen)] = fen
        self._moves[row, : len(moves)] = [uci_code(move) for move in moves]
        self.count += 1

    def start(self, rng: np.random.Generator) -> Board:
        """A position before one of the mates; every distance up to `plies` is as likely."""
        row = int(rng.integers(min(self.count, MAX_MATES)))
        board = Board(self._fens[row].tobytes().rstrip(b"\0").decode())
        moves = self._moves[row][self._moves[row] > 0]
        for move in moves[: -int(rng.integers(1, self.plies + 1))].tolist():
            board.push(uci_text(move))
        return Board(board.fen())

    def judge(self, decided: float) -> None:
        """Of the games from these starts a fraction `decided` was decided."""
        if decided >= GROW_AT:
            self.plies = min(self.plies + max(1, self.plies // 2), MAX_PLIES)

    def arrays(self) -> Arrays:
        return {"fens": self._fens, "moves": self._moves}

    def facts(self) -> dict[str, Json]:
        return {"count": self.count, "plies": self.plies}

    def load_facts(self, facts: Json) -> None:
        assert isinstance(facts, dict)
        self.count, self.plies = int(facts["count"]), int(facts["plies"])  # type: ignore[arg-type]
