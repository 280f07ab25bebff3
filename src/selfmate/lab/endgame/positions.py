"""Positions of the mini-chess as the page shows them: what every move is worth, and what a run has
learned of it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from selfmate.endgame.game import GOES_ON, Game
from selfmate.endgame.notation import LETTERS, draw_position, move_name, square_name
from selfmate.endgame.optimal import TIE
from selfmate.endgame.solve import Solution
from selfmate.endgame.trained import TrainedRun

ENDINGS = (None, "mate", "stalemate")


@dataclass(frozen=True, eq=False, kw_only=True)
class Positions:
    """One game, its truth, and perhaps a learner."""

    game: Game
    truth: Solution
    learned: TrainedRun | None

    def describe(self, state: int) -> dict[str, Any]:
        """All there is to say about a position with the agent to move."""
        actions = np.flatnonzero(self.game.allowed[state]).tolist()
        best = int(self.truth.q_values[state].argmax())
        return {
            "state": state,
            **self.shown(self.game.pieces[state].tolist()),
            "value": float(self.truth.q_values[state, best]),
            "expected_moves": float(self.truth.least_moves[state]),
            "forced_in": int(self.truth.worst_moves[state]),
            "best": move_name(self.game, state, best),
            "moves": [self._move(state, action) for action in actions],
            "learned": self._choice(state),
            "enemy_squares": self._enemy_squares(state),
        }

    def shown(self, pieces: Sequence[int]) -> dict[str, Any]:
        size = self.game.size
        lines = draw_position(size, pieces).replace(" ", "").splitlines()[:size]
        fen = "/".join(re.sub(r"\.+", lambda gap: str(len(gap[0])), line[1:]) for line in lines)
        names = (square_name(size, square) for square in pieces)
        return {"pieces": dict(zip(LETTERS, names, strict=True)), "fen": fen}

    def action(self, state: int, name: str) -> int:
        """The allowed action that is called `Qb3`, in capitals or not."""
        for action in np.flatnonzero(self.game.allowed[state]).tolist():
            if move_name(self.game, state, action).lower() == name.strip().lower():
                return int(action)
        best = move_name(self.game, state, int(np.argmax(self.game.allowed[state])))
        raise ValueError(f"{name!r} cannot be played here: type a move such as {best}")

    def state_of(self, pieces: Sequence[int]) -> int:
        """The state in which own king, queen and enemy king stand on these squares."""
        (found,) = np.nonzero((self.game.pieces == np.asarray(pieces)).all(1))
        if not len(found):
            raise ValueError(
                "this position cannot arise: pieces share a square, the kings touch, or the "
                "enemy king is in check although it has just moved"
            )
        return int(found[0])

    def _move(self, state: int, action: int) -> dict[str, Any]:
        name = move_name(self.game, state, action)
        after = int(self.game.afterstates[state, action])
        exact = float(self.truth.q_values[state, action])
        piece = LETTERS.index(name[0])
        return {
            "name": name,
            "from": square_name(self.game.size, int(self.game.pieces[state, piece])),
            "to": name[1:],
            "exact": exact,
            "learned": None if self.learned is None else float(self.learned.values[state, action]),
            "is_best": bool(exact >= self.truth.q_values[state].max() - TIE),
            "ending": ENDINGS[self.game.endings[after]],
            "expected_moves": self._expected_moves(after),
        }

    def _expected_moves(self, after: int) -> float | None:
        """To mate, this move included, when play is perfect from here on; None for a draw."""
        if self.game.endings[after] != GOES_ON:
            return 1.0 if ENDINGS[self.game.endings[after]] == "mate" else None
        replies = self.game.replies[after, : self.game.reply_counts[after]]
        return 1 + float(self.truth.least_moves[replies].mean())

    def _choice(self, state: int) -> dict[str, Any] | None:
        """The move that the learner would play, and what is lost by it."""
        if self.learned is None:
            return None
        action = int(self.learned.actions[state])
        exact = self.truth.q_values[state]
        regret = max(0.0, float(exact.max() - exact[action]))
        return {
            "step": self.learned.step,
            "best": move_name(self.game, state, action),
            "regret": regret,
            "is_optimal": regret <= TIE,
        }

    def _enemy_squares(self, state: int) -> list[dict[str, Any]]:
        """What the position would be worth with the enemy king elsewhere."""
        own = self.game.pieces[state, :2]
        (states,) = np.nonzero((self.game.pieces[:, :2] == own).all(1))
        return [
            {
                "square": square_name(self.game.size, int(self.game.pieces[other, 2])),
                "exact": float(self.truth.q_values[other].max()),
                "expected_moves": float(self.truth.least_moves[other]),
                "learned": None if self.learned is None else self._learned_value(other),
            }
            for other in states.tolist()
        ]

    def _learned_value(self, state: int) -> float:
        assert self.learned is not None
        return float(self.learned.values[state, self.learned.actions[state]])
