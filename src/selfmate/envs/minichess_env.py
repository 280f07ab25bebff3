"""`selfmate/MiniChess-v0`: king and queen against a king that moves at random, for Gymnasium."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from selfmate.envs.chess_env import check_choice
from selfmate.envs.pictures import pixels
from selfmate.minichess.game import DRAW, LETTERS, MATE, compile_game, draw_position

RENDER_MODES = ("ansi", "rgb_array")
MAX_MOVES = 100

Vector = NDArray[np.float32]
Info = dict[str, Any]


class MiniChessEnv(gymnasium.Env[Vector, np.int64]):
    """The mini-chess of `sarsa` and `ddqn`: state vectors, actions, starts and rewards are theirs
    (docs/learners/minichess.md). +1 for a mate, -1 for a stalemate. An illegal action ends the game
    and costs 1. At `max_moves` the game is truncated.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012 - declared so

    def __init__(
        self, *, size: int = 4, max_moves: int = MAX_MOVES, render_mode: str | None = None
    ) -> None:
        check_choice("render_mode", render_mode, (None, *RENDER_MODES))
        if max_moves < 1:
            raise ValueError(f"max_moves {max_moves} is not 1 or more")
        self.render_mode, self._max_moves = render_mode, max_moves
        self.game = compile_game(size)
        self._vectors = self.game.vectors()  # [S, length]
        self.observation_space = spaces.Box(0, 1, (self.game.vector_length,), np.float32)
        self.action_space = spaces.Discrete(self.game.actions)
        self._starts = np.cumsum(self.game.start_probabilities)
        self.state = int(np.argmax(self.game.start_probabilities > 0))
        self._moves, self._pieces, self._is_over = 0, self.game.pieces[self.state], False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Vector, Info]:
        super().reset(seed=seed)
        place = np.searchsorted(self._starts, self.np_random.random() * self._starts[-1], "right")
        self._moves, self._is_over = 0, False
        self._enter(int(place))
        return self._vectors[self.state].copy(), self._info()

    def step(self, action: np.int64 | int) -> tuple[Vector, float, bool, bool, Info]:
        game, seen = self.game, self._vectors[self.state]
        if not self.action_masks()[action]:
            self._is_over = True
            return seen.copy(), -1.0, True, False, self._info() | {"illegal_action": int(action)}
        self._moves += 1
        after = int(game.afterstates[self.state, action])
        ending = int(game.endings[after])
        self._pieces = game.after_pieces[after]
        if ending in (MATE, DRAW):  # no state follows, so the last one is seen
            self._is_over = True
            return seen.copy(), 1.0 if ending == MATE else -1.0, True, False, self._info()
        reply = int(self.np_random.integers(game.reply_counts[after]))
        self._enter(int(game.replies[after, reply]))
        truncated = self._moves >= self._max_moves
        return self._vectors[self.state].copy(), 0.0, False, truncated, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """[A] Which actions are allowed, as sb3-contrib asks for it."""
        if self._is_over:
            return np.zeros(self.game.actions, np.bool_)
        allowed: NDArray[np.bool_] = self.game.allowed[self.state].copy()
        return allowed

    def render(self) -> Any:
        if self.render_mode == "ansi":
            return draw_position(self.game.size, self._pieces.tolist())
        if self.render_mode is None:
            return None
        size = self.game.size
        return pixels(
            size,
            (
                (size - 1 - square // size, square % size, letter)
                for letter, square in zip(LETTERS, self._pieces.tolist(), strict=True)
            ),
        )

    def _enter(self, state: int) -> None:
        self.state, self._pieces = state, self.game.pieces[state]

    def _info(self) -> Info:
        return {"action_mask": self.action_masks().astype(np.int8), "state": self.state}
