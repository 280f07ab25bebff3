"""Games of a policy with itself, or with a random mover, every move drawn, many games at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from selfmate.arena.outcomes import RESULTS
from selfmate.data.sampled_games import SampledGames, joined, sparse_columns
from selfmate.encodings import legal_actions, moves_of_actions
from selfmate.encodings.sparse import gives_check
from selfmate.nets.move_scorer import MoveScorer
from selfmate.nets.ragged import log_softmax
from selfmate.players.scorer_player import CODING, LOOKAHEAD_NATS, ScorerSpec
from selfmate.rules import Board, Outcome, push_moves
from selfmate.rules.ragged import Ragged
from selfmate.search.choices import random_choices
from selfmate.search.dice import roll
from selfmate.search.mates import is_mate
from selfmate.search.value_choices import drawn_actions


@dataclass(frozen=True, kw_only=True)
class Plan:
    boards: Sequence[Board]  # where the games start; they are played on
    temperature: float
    max_plies: int
    seed: int
    finds_mates: bool = False  # who can mate at once does, whatever the policy says
    random_sides: NDArray[np.int8] | None = None  # [G] moving at random: 1 White, -1 Black, 0 none


def sample_games(spec: ScorerSpec, net: MoveScorer, plan: Plan) -> SampledGames:
    """All games of a plan, to their end or to the ply limit; of a game with a random mover only
    the policy's own plies."""
    table = _Table(spec, net, plan)
    while len(table.running) and table.plies < plan.max_plies:
        table.ply()
    return table.sampled()


class _Table:
    def __init__(self, spec: ScorerSpec, net: MoveScorer, plan: Plan) -> None:
        self.spec, self.net, self.plan = spec, net, plan
        self.running = np.arange(len(plan.boards))
        self.results = np.zeros(len(plan.boards), np.int8)
        self.plies = 0
        self.parts: list[dict[str, NDArray[Any]]] = []  # a ply of all games
        self._random_turn = _random_turns(plan)  # [2, G] at even and at odd plies

    def ply(self) -> None:
        """A move in every game that goes on."""
        boards = [self.plan.boards[i] for i in self.running.tolist()]
        dice = roll(self.plan.seed, self.running, np.array(self.plies))
        # The first ply is the policy's in any case, so that there is always one to learn from.
        is_random = self._random_turn[self.plies % 2, self.running] & (self.plies > 0)
        moves = random_choices(boards, dice)
        rows = np.flatnonzero(~is_random)
        if len(rows):
            movers = [boards[i] for i in rows.tolist()]
            moves[rows] = self._draw(movers, self.running[rows], dice[rows])
        self._end(push_moves(boards, moves))
        self.plies += 1

    def _draw(
        self, boards: Sequence[Board], games: NDArray[np.int64], dice: NDArray[np.uint64]
    ) -> NDArray[np.uint16]:
        """Moves by the policy, kept to be learned from."""
        asked = self.spec.candidates(boards)
        scores = self.net.scores(asked)
        legal = Ragged(*legal_actions(CODING, boards))
        logs = _logs(scores / np.float32(self.plan.temperature), legal)
        drawn_by = logs
        if self.plan.finds_mates:
            mates = is_mate(CODING, boards, legal, gives_check(asked.moves))
            drawn_by = _logs(logs + (LOOKAHEAD_NATS * mates).astype(np.float32), legal)
        actions = drawn_actions(drawn_by, legal, 1.0, dice)
        places = legal.find(actions)
        self.parts.append(
            sparse_columns(asked)
            | {
                "games": games.astype(np.int32),
                "chosen": (places - legal.offsets[:-1]).astype(np.uint8),
                "log_probs": drawn_by[places],
                "entropies": -np.add.reduceat(np.exp(logs) * logs, legal.offsets[:-1]),
            }
        )
        return moves_of_actions(CODING, boards, actions)

    def _end(self, outcomes: Sequence[Outcome | None]) -> None:
        over = np.array([outcome is not None for outcome in outcomes])
        ended = [RESULTS[outcome.winner] for outcome in outcomes if outcome is not None]
        self.results[self.running[over]] = ended
        self.running = self.running[~over]

    def sampled(self) -> SampledGames:
        is_cut = np.zeros(len(self.results), np.bool_)
        is_cut[self.running] = True
        return SampledGames(
            results=self.results,
            is_cut=is_cut,
            temperature=np.array([self.plan.temperature], np.float32),
            **joined(self.parts),
        )


def _random_turns(plan: Plan) -> NDArray[np.bool_]:
    """[2, G] Whether the random mover is to move, at even and at odd plies."""
    if plan.random_sides is None:
        return np.zeros((2, len(plan.boards)), np.bool_)
    starts = np.array([1 if board.turn == "white" else -1 for board in plan.boards])
    return np.stack([plan.random_sides == starts, plan.random_sides == -starts])


def _logs(scores: NDArray[np.float32], legal: Ragged) -> NDArray[np.float32]:
    logs: NDArray[np.float32] = log_softmax(torch.from_numpy(scores), legal.offsets).numpy()
    return logs
