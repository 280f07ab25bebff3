"""Chess for PettingZoo (AEC): `from selfmate.envs import chess_v0; env = chess_v0.env()`.

Observations, actions, masks and rewards are those that PettingZoo documents for `chess_v6`, except
where docs/how-to/environments.md says otherwise; our own encodings can be chosen by name.
"""

from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from selfmate.envs.action_coding import (
    CHESS_V6,
    ActionCoding,
    Observer,
    check_names,
    observation_bounds,
)
from selfmate.envs.chess_env import MAX_PLIES, check_choice
from selfmate.envs.pictures import RENDER_MODES, render_chess
from selfmate.rules import Board, uci_text

AGENTS = ("player_0", "player_1")  # White, Black


def env(**settings: Any) -> Any:
    """The environment with PettingZoo's checks. An illegal action ends the game: -1 for its player,
    0 for the other."""
    checked = wrappers.TerminateIllegalWrapper(raw_env(**settings), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(checked))


class raw_env(AECEnv[str, dict[str, NDArray[Any]], int]):  # type: ignore[misc]  # noqa: N801 - PettingZoo's name
    metadata: ClassVar[dict[str, Any]] = {
        "name": "chess_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        *,
        observation: str = CHESS_V6,
        actions: str = CHESS_V6,
        fen: str | None = None,
        max_plies: int = MAX_PLIES,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        check_names(observation, actions)
        check_choice("render_mode", render_mode, (None, *RENDER_MODES))
        self.render_mode, self._start, self._max_plies = render_mode, Board(fen).fen(), max_plies
        self._observer, self._coding = Observer(observation), ActionCoding(actions)
        self.possible_agents, self.agents = list(AGENTS), list(AGENTS)
        self.board = Board(self._start)
        shape, dtype, highest = observation_bounds(observation)
        seen = spaces.Dict(
            {
                "observation": spaces.Box(0, highest, shape, dtype),
                "action_mask": spaces.Box(0, 1, (self._coding.size,), np.int8),
            }
        )
        self.observation_spaces = dict.fromkeys(AGENTS, seen)
        self.action_spaces = {agent: spaces.Discrete(self._coding.size) for agent in AGENTS}

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """There is no chance in the game: the seed changes nothing. `options` may have a `fen`."""
        self.agents, self.board = list(AGENTS), Board((options or {}).get("fen", self._start))
        self._observer.reset(self.board)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations, self.truncations = (
            dict.fromkeys(AGENTS, False),
            dict.fromkeys(AGENTS, False),
        )
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self.agent_selection = self._mover()

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """Legal actions are those of the agent whose turn it is."""
        moves = agent == self.agent_selection and self.board.outcome() is None
        legal = self._coding.legal(self.board) if moves else np.zeros(0, np.int32)
        seen = self._observer.observe(self.board, black=agent == AGENTS[1])
        return {"observation": seen, "action_mask": self._coding.mask(legal)}

    def step(self, action: int | None) -> None:
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        assert action is not None
        self._cumulative_rewards[self.agent_selection] = 0.0
        if int(action) not in self._coding.legal(self.board):
            raise ValueError(f"action {action} is not legal in {self.board.fen()}")
        self.board.push(uci_text(self._coding.move(self.board, int(action))))
        self._observer.add(self.board)
        self._end_game()
        self._accumulate_rewards()
        self.agent_selection = self._mover()

    def render(self) -> Any:
        return None if self.render_mode is None else render_chess(self.board, self.render_mode)

    def close(self) -> None:
        pass

    def _mover(self) -> str:
        return AGENTS[self.board.turn == "black"]

    def _end_game(self) -> None:
        outcome = self.board.outcome()
        if outcome is None:
            if len(self.board.moves) >= self._max_plies:
                self.truncations = dict.fromkeys(AGENTS, True)
            return
        self.terminations = dict.fromkeys(AGENTS, True)
        result = {"white": 1.0, "black": -1.0, None: 0.0}[outcome.winner]
        self.rewards = dict(zip(AGENTS, (result, -result), strict=True))
