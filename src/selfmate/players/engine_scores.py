"""What an engine's best moves are worth, as it says itself.

A search depends on its board alone: the engine is told `ucinewgame` before each. So does it matter
neither which process it is nor what was searched before.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from selfmate.players.engine_client import Margins
from selfmate.players.engine_info import ScoreReader
from selfmate.players.engine_pool import EnginePool, taken_from
from selfmate.players.engine_process import EngineFaultError
from selfmate.players.engine_seat import Engine, Seat
from selfmate.rules import Board, uci_code
from selfmate.search.teacher import MoveScores

BOARDS_PER_SEAT = 8  # in one call: so that no process waits long for the others


class EngineScores:
    """Scores of the `best` moves (MultiPV), best first. Faults are raised as EngineFaultError."""

    def __init__(self, engine: Engine, margins: Margins, best: int) -> None:
        options = {**engine.options, "MultiPV": str(best)}
        self._pool = EnginePool(replace(engine, options=options), margins)
        self._limits = engine.limits
        self.games_at_once = BOARDS_PER_SEAT * len(self._pool.seats)

    def score(self, boards: Sequence[Board]) -> MoveScores:
        waiting, found = deque(range(len(boards))), [dict[str, int]()] * len(boards)

        def work(seat: Seat) -> None:
            try:
                for number in taken_from(waiting):
                    found[number] = self._scores(seat, boards[number])
            except EngineFaultError:
                waiting.clear()  # nobody waits for the rest
                raise

        self._pool.run([partial(work, seat) for seat in self._pool.seats])
        return MoveScores(
            moves=np.array([uci_code(move) for one in found for move in one], np.uint16),
            centipawns=np.array([score for one in found for score in one.values()], np.int32),
            offsets=np.cumsum([0, *map(len, found)], dtype=np.int64),
        )

    def close(self) -> None:
        self._pool.close()

    def _scores(self, seat: Seat, board: Board) -> dict[str, int]:
        reader = ScoreReader(board)
        seat.forget()
        seat.search(board, self._limits, on_info=reader.read)
        if not (scores := reader.scores()):
            raise EngineFaultError(f"no_score: in {board.fen()}")
        return scores
