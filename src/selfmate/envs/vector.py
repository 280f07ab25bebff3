"""Thousands of games of chess in one `gymnasium.vector.VectorEnv`, stepped by the core."""

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from selfmate.encodings import ACTION_ENCODINGS, ENCODINGS, action_mask, encode, moves_of_actions
from selfmate.envs.action_coding import observation_bounds
from selfmate.envs.chess_env import MAX_PLIES, check_choice
from selfmate.players import load_player
from selfmate.rules import REASONS, Board, GameBatch, GameRecords, available_cores, derive_seeds

RANDOM = "random"
PLY_LIMIT = REASONS.index("ply_limit")

Numbers = NDArray[Any]
Info = dict[str, Any]


class ChessVectorEnv(VectorEnv[Numbers, NDArray[np.int64], Numbers]):
    """B games. Without an opponent the agent moves for both sides: a step is a ply, and the reward
    is that of the side that moved. With an opponent a step is a move of each; the agent has White
    or Black as games come, since whoever is to move opens the next game.

    Autoreset is SAME_STEP: where a game ends, the observation is that of the next one, and
    `infos["final_obs"]` has the last of the old one. All actions must be legal
    (`infos["action_mask"]`, [B, A]); an illegal one raises ValueError, and no game moves.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012 - declared so

    def __init__(  # noqa: PLR0913 - the settings of an environment
        self,
        num_envs: int = 1,
        opponent: str | None = None,
        *,
        observation: str = "planes68",
        actions: str = "az4672",
        fen: str | None = None,
        max_plies: int = MAX_PLIES,
        threads: int | None = None,
        copy: bool = True,
    ) -> None:
        """Without `copy` all steps write their observations into one array, which saves memory
        traffic, as in Gymnasium's own vector environments. `threads` are all cores by default."""
        check_choice("observation", observation, tuple(ENCODINGS))
        check_choice("actions", actions, tuple(ACTION_ENCODINGS))
        if num_envs < 1 or max_plies < 1:
            raise ValueError(f"num_envs {num_envs} or max_plies {max_plies} is not 1 or more")
        self.num_envs, self._start, self._max_plies = num_envs, Board(fen).fen(), max_plies
        self._observation, self._actions = observation, actions
        self._threads = available_cores() if threads is None else threads
        self._opponent = None if opponent in (None, RANDOM) else load_player(str(opponent))
        self._has_opponent = opponent is not None
        shape, dtype, highest = observation_bounds(observation)
        self.single_observation_space = spaces.Box(0, highest, shape, dtype)
        self.single_action_space = spaces.Discrete(ACTION_ENCODINGS[actions].size)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._buffer = None if copy else np.empty((num_envs, *shape), dtype)
        self._seed, self._steps = 0, 0
        self._batch = self._new_batch()

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Numbers, Info]:
        """All games start anew; one seed serves them all."""
        if isinstance(seed, list):
            raise ValueError("give one seed for all games, not a list")
        super().reset(seed=seed)
        self._seed, self._steps = int(self.np_random.integers(2**62)), 0
        self._batch = self._new_batch()
        return self._seen(), self._masks()

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Numbers, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], Info]:
        rewards = np.zeros(self.num_envs, np.float32)
        ended = np.zeros((2, self.num_envs), np.bool_)  # terminated, truncated
        last: dict[int, Board] = {}
        moves = moves_of_actions(
            self._actions, self._batch, np.asarray(actions, np.int32), threads=self._threads
        )
        self._play(moves, 1, rewards, ended, last)
        if self._has_opponent:
            self._play(self._replies(), -1, rewards, ended, last)
        self._steps += 1
        return self._seen(), rewards, ended[0], ended[1], self._masks() | self._endings(last)

    def close_extras(self, **_: Any) -> None:
        if self._opponent is not None:
            self._opponent.close()

    def boards(self) -> list[Board]:
        """A copy of every game."""
        return [self._batch.board(slot) for slot in range(self.num_envs)]

    def _new_batch(self) -> GameBatch:
        return GameBatch(
            self.num_envs,
            starts=[self._start],
            seed=self._seed,
            max_plies=self._max_plies,
            threads=self._threads,
        )

    def _play(
        self,
        moves: NDArray[np.uint16],
        sign: int,
        rewards: NDArray[np.float32],
        ended: NDArray[np.bool_],
        last: dict[int, Board],
    ) -> None:
        """A ply in every game. `sign` is 1 if the agent moves, -1 if its opponent does. A game that
        an opponent's first move ends counts for nobody: the agent's last game ended there."""
        views = np.where(self._batch.white_to_move, sign, -sign)
        slots, games = self._batch.step(moves)
        for number, slot in enumerate(slots.tolist()):
            if slot in last:
                continue
            truncated = int(games.reasons[number]) == PLY_LIMIT
            ended[int(truncated), slot] = True
            rewards[slot] = 0 if truncated else games.results[number] * views[slot]
            last[slot] = _last_board(games, number)

    def _replies(self) -> NDArray[np.uint16]:
        if self._opponent is None:
            return self._batch.random_moves()
        seeds = derive_seeds(
            self._seed, np.arange(self.num_envs), np.full(self.num_envs, self._steps)
        )
        choices = self._opponent.choose(self.boards(), seeds)
        for slot, reason in choices.forfeits.items():
            raise RuntimeError(f"{self._opponent.name} has no move in game {slot}: {reason}")
        return choices.moves

    def _seen(self) -> Numbers:
        return encode(self._observation, self._batch, out=self._buffer, threads=self._threads)

    def _masks(self) -> Info:
        masks = action_mask(self._actions, self._batch, threads=self._threads)
        return {"action_mask": masks.view(np.int8)}

    def _endings(self, last: dict[int, Board]) -> Info:
        """As Gymnasium's vector environments report them; nothing if no game ended."""
        if not last:
            return {}
        rows = np.array(list(last))
        is_final = np.zeros(self.num_envs, np.bool_)
        is_final[rows] = True
        final, fens = np.empty(self.num_envs, object), np.full(self.num_envs, "", object)
        final[rows] = list(encode(self._observation, list(last.values())))
        fens[rows] = [board.fen() for board in last.values()]
        return {
            "final_obs": final,
            "_final_obs": is_final,
            "final_info": {"fen": fens, "_fen": is_final},
            "_final_info": is_final,
        }


def _last_board(games: GameRecords, number: int) -> Board:
    board = Board(games.start_fen(number))
    for move in games.uci(number):
        board.push(move)
    return board
