"""Self-play of REINFORCE: every move sampled from the policy, with what the policy gradient needs.

One side of a game may move at random instead; only the policy's own plies are recorded.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from selfmate.data.trajectories import SampledGames, sparse_columns
from selfmate.encodings import legal_actions, moves_of_actions
from selfmate.encodings.features import gives_check
from selfmate.nets.config import MoveScorerConfig
from selfmate.nets.move_scorer import MoveScorer
from selfmate.nets.sparse import log_softmax
from selfmate.players.network import LOOKAHEAD_NATS, SCORER_ACTION_ENCODING
from selfmate.rules import Board, Ragged
from selfmate.searches.sampling import drawn_actions, is_mate, random_choices
from selfmate.selfplay.games import Decision, Trajectories, Turn


@dataclass(frozen=True, kw_only=True)
class SamplingActor:
    """Samples moves with the probabilities softmax(score / temperature)."""

    spec: MoveScorerConfig
    net: MoveScorer
    temperature: float
    plays_mate_in_one: bool = False  # whatever the policy says
    random_sides: NDArray[np.int8] | None = None  # [G] moving at random: 1 White, -1 Black, 0 none

    def decide(self, turn: Turn) -> Decision:
        seeds = turn.seeds(turn.plies)
        moves = random_choices(turn.boards, seeds)
        rows = np.flatnonzero(~self._is_random(turn))
        if not len(rows):
            return Decision(moves=moves, columns={}, rows=rows)
        boards = [turn.boards[i] for i in rows.tolist()]
        moves[rows], columns = self._sample(boards, seeds[rows])
        return Decision(moves=moves, columns=columns, rows=rows)

    def _is_random(self, turn: Turn) -> NDArray[np.bool_]:
        if self.random_sides is None:
            return np.zeros(len(turn.games), np.bool_)
        sides = np.where(turn.is_white, 1, -1)
        # The policy always plays the first ply, so that every game has one to learn from.
        is_random: NDArray[np.bool_] = self.random_sides[turn.games] == sides
        return is_random & (turn.plies > 0)

    def _sample(
        self, boards: Sequence[Board], seeds: NDArray[np.uint64]
    ) -> tuple[NDArray[np.uint16], dict[str, Any]]:
        """Moves by the policy, and their columns of `SampledGames`."""
        asked = self.spec.candidates(boards)
        scores = self.net.scores(asked)
        legal = Ragged(*legal_actions(SCORER_ACTION_ENCODING, boards))
        policy = _log_probs(scores / np.float32(self.temperature), legal)
        sampled_from = policy
        if self.plays_mate_in_one:
            mates = is_mate(SCORER_ACTION_ENCODING, boards, legal, gives_check(asked.moves))
            bonus = (LOOKAHEAD_NATS * mates).astype(np.float32)
            sampled_from = _log_probs(policy + bonus, legal)
        actions = drawn_actions(sampled_from, legal, 1.0, seeds)
        places = legal.find(actions)
        columns = sparse_columns(asked) | {
            "chosen": (places - legal.offsets[:-1]).astype(np.uint8),
            "log_probs": sampled_from[places],
            "entropies": -np.add.reduceat(np.exp(policy) * policy, legal.offsets[:-1]),
        }
        return moves_of_actions(SCORER_ACTION_ENCODING, boards, actions), columns


def sampled_games(games: Trajectories, temperature: float) -> SampledGames:
    return SampledGames(
        results=games.results,
        is_cut=games.is_truncated,
        temperature=np.array([temperature], np.float32),
        games=games.games.astype(np.int32),
        is_white=games.is_white,
        **games.columns,
    )


def _log_probs(scores: NDArray[np.float32], legal: Ragged) -> NDArray[np.float32]:
    logs: NDArray[np.float32] = log_softmax(torch.from_numpy(scores), legal.offsets).numpy()
    return logs
