"""Games of a policy with itself, every move drawn by chance, many games at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from selfmate.data.sampled_games import SampledGames, joined, sparse_columns
from selfmate.encodings import legal_actions, moves_of_actions
from selfmate.encodings.sparse import gives_check
from selfmate.nets.move_scorer import MoveScorer
from selfmate.nets.ragged import log_softmax
from selfmate.players.scorer_player import CODING, LOOKAHEAD_NATS, ScorerSpec
from selfmate.rules import Board, Outcome, push_moves
from selfmate.rules.ragged import Ragged
from selfmate.search.dice import roll
from selfmate.search.mates import is_mate
from selfmate.search.value_choices import drawn_actions

RESULTS = {"white": 1, "black": -1, None: 0}


@dataclass(frozen=True, kw_only=True)
class Plan:
    boards: Sequence[Board]  # where the games start; they are played on
    temperature: float
    max_plies: int
    seed: int
    finds_mates: bool = False  # who can mate at once does, whatever the policy says


def sample_games(spec: ScorerSpec, net: MoveScorer, plan: Plan) -> SampledGames:
    """All games of a plan, to their end or to the ply limit."""
    table = _Table(spec, net, plan)
    while len(table.running) and len(table.parts) < plan.max_plies:
        table.ply()
    return table.sampled()


class _Table:
    def __init__(self, spec: ScorerSpec, net: MoveScorer, plan: Plan) -> None:
        self.spec, self.net, self.plan = spec, net, plan
        self.running = np.arange(len(plan.boards))
        self.results = np.zeros(len(plan.boards), np.int8)
        self.parts: list[dict[str, NDArray[Any]]] = []  # a ply of all games

    def ply(self) -> None:
        """A move in every game that goes on."""
        boards = [self.plan.boards[i] for i in self.running.tolist()]
        asked = self.spec.candidates(boards)
        scores = self.net.scores(asked)
        legal = Ragged(*legal_actions(CODING, boards))
        logs = _logs(scores / np.float32(self.plan.temperature), legal)
        dice = roll(self.plan.seed, self.running, np.array(len(self.parts)))
        drawn_by = logs
        if self.plan.finds_mates:
            mates = is_mate(CODING, boards, legal, gives_check(asked.moves))
            drawn_by = _logs(logs + (LOOKAHEAD_NATS * mates).astype(np.float32), legal)
        actions = drawn_actions(drawn_by, legal, 1.0, dice)
        places = legal.find(actions)
        self.parts.append(
            sparse_columns(asked)
            | {
                "games": self.running.astype(np.int32),
                "chosen": (places - legal.offsets[:-1]).astype(np.uint8),
                "log_probs": drawn_by[places],
                "entropies": -np.add.reduceat(np.exp(logs) * logs, legal.offsets[:-1]),
            }
        )
        self._end(push_moves(boards, moves_of_actions(CODING, boards, actions)))

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


def _logs(scores: NDArray[np.float32], legal: Ragged) -> NDArray[np.float32]:
    logs: NDArray[np.float32] = log_softmax(torch.from_numpy(scores), legal.offsets).numpy()
    return logs
