"""`selfmate/Chess-v0`: one game against any player, for Gymnasium."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from selfmate.envs.action_coding import ActionCoding, Observer, check_names, observation_bounds
from selfmate.envs.pictures import RENDER_MODES, render_chess
from selfmate.players import load_player
from selfmate.rules import Board, uci_text

COLORS = ("white", "black", "random")
MAX_PLIES = 400

Observation = NDArray[Any]
Info = dict[str, Any]


class ChessEnv(gymnasium.Env[Observation, np.int64]):
    """The agent plays one side, a player by name the other. The reward is +1 for a win, -1 for a
    loss, 0 for a draw or while the game goes on.

    `info["action_mask"]` and `action_masks()` say which actions are legal. An illegal one ends the
    game and loses it. At `max_plies` the game is truncated.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012 - declared so

    def __init__(  # noqa: PLR0913 - the settings of an environment
        self,
        opponent: str = "random",
        *,
        color: str = "white",
        observation: str = "planes68",
        actions: str = "az4672",
        fen: str | None = None,
        max_plies: int = MAX_PLIES,
        render_mode: str | None = None,
    ) -> None:
        check_names(observation, actions)
        check_choice("color", color, COLORS)
        check_choice("render_mode", render_mode, (None, *RENDER_MODES))
        if max_plies < 1:
            raise ValueError(f"max_plies {max_plies} is not 1 or more")
        self.render_mode = render_mode
        self._start, self._color, self._max_plies = Board(fen).fen(), color, max_plies
        self._opponent = load_player(opponent)
        self._observer, self._coding = Observer(observation), ActionCoding(actions)
        shape, dtype, highest = observation_bounds(observation)
        self.observation_space = spaces.Box(0, highest, shape, dtype)
        self.action_space = spaces.Discrete(self._coding.size)
        self.board = Board(self._start)
        self._is_black, self._last_move = False, ""
        self._legal = self._coding.legal(self.board)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """`options` may have `fen` and `color` for this game. The opponent moves first if it is its
        turn."""
        super().reset(seed=seed)
        wanted = {"fen": self._start, "color": self._color, **(options or {})}
        check_choice("color", wanted["color"], COLORS)
        is_black = wanted["color"] == "black"
        if wanted["color"] == "random":
            is_black = bool(self.np_random.integers(2))
        self.board = Board(wanted["fen"])
        if self.board.outcome() is not None:
            raise ValueError(f"the game is over at the start: {wanted['fen']}")
        self._is_black, self._last_move = is_black, ""
        self._observer.reset(self.board)
        if (self.board.turn == "black") != is_black:
            self._reply()
        return self._seen(), self._info()

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, Info]:
        if int(action) not in self._legal:
            return self._seen(), -1.0, True, False, self._info() | {"illegal_action": int(action)}
        self._push(self._coding.move(self.board, int(action)))
        if not self._is_over():
            self._reply()
        outcome = self.board.outcome()
        reward = 0.0
        if outcome is not None and outcome.winner is not None:
            reward = 1.0 if (outcome.winner == "black") == self._is_black else -1.0
        truncated = outcome is None and self._is_over()
        return self._seen(), reward, outcome is not None, truncated, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """[A] Which actions are legal, as sb3-contrib asks for it."""
        return self._coding.mask(self._legal).astype(np.bool_)

    def render(self) -> Any:
        return None if self.render_mode is None else render_chess(self.board, self.render_mode)

    def close(self) -> None:
        self._opponent.close()

    def _push(self, move: int) -> None:
        self._last_move = uci_text(move)
        self.board.push(self._last_move)
        self._observer.add(self.board)

    def _reply(self) -> None:
        seeds = self.np_random.integers(0, 2**64, 1, np.uint64)
        choices = self._opponent.choose([self.board], seeds)
        for reason in choices.forfeits.values():
            raise RuntimeError(f"{self._opponent.name} has no move: {reason}")
        self._push(int(choices.moves[0]))

    def _is_over(self) -> bool:
        return self.board.outcome() is not None or len(self.board.moves) >= self._max_plies

    def _seen(self) -> Observation:
        return self._observer.observe(self.board, black=self._is_black)

    def _info(self) -> Info:
        outcome = self.board.outcome()
        self._legal = self._coding.legal(self.board)[: None if outcome is None else 0]
        return {
            "action_mask": self._coding.mask(self._legal),
            "fen": self.board.fen(),
            "last_move": self._last_move,
            "reason": "" if outcome is None else outcome.reason,
        }


def check_choice(name: str, value: Any, allowed: tuple[Any, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{name} {value!r} is none of {', '.join(map(str, allowed))}")
