"""Self-play of the searchless net, which may attempt any move: the rules refuse illegal ones, and
the attempts are recorded beside the move that was played at last."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selfmate.data.endgames import favourite
from selfmate.data.trajectories import AttemptTrajectories
from selfmate.encodings.records import encode_records, encode_tokens
from selfmate.nets.evaluator import TransformerEvaluator
from selfmate.nets.transformer import Transformer
from selfmate.rules import Board
from selfmate.searches.sampling import attempt_actions
from selfmate.selfplay.games import Decision, GamePlan, Trajectories, Turn
from selfmate.selfplay.workers import NetSnapshot


@dataclass(frozen=True, kw_only=True)
class AttemptingActor:
    """Actors on several threads may share a net: what it says of a position does not depend on the
    other positions of a batch."""

    net: TransformerEvaluator
    temperature: float  # 0: always the likeliest move
    max_attempts: int  # illegal ones in a position

    def decide(self, turn: Turn) -> Decision:
        batch = encode_tokens(turn.boards)
        played, tried = attempt_actions(
            self.net.logits(batch.tokens),
            batch.legal,
            turn.seeds(turn.plies),
            temperature=self.temperature,
            most=self.max_attempts,
        )
        columns = {"stored": encode_records(turn.boards), "played": played, "tried": tried}
        return Decision(moves=batch.moves(played), columns=columns)


@dataclass(frozen=True, kw_only=True)
class AttemptingActors:
    net: NetSnapshot
    temperature: float
    max_attempts: int

    @property
    def nets(self) -> tuple[NetSnapshot]:
        return (self.net,)

    def prepare(self, net: Transformer) -> TransformerEvaluator:
        return TransformerEvaluator(net)

    def make(self, nets: Sequence[Any], plan: GamePlan, threads: int) -> AttemptingActor:
        return AttemptingActor(
            net=nets[0], temperature=self.temperature, max_attempts=self.max_attempts
        )


def attempt_trajectories(
    games: Trajectories, boards: Sequence[Board], *, must_win: bool = False
) -> AttemptTrajectories:
    """The positions game by game. With `must_win` a draw counts as lost by the side that began
    with more pieces against a bare king."""
    results = games.results.astype(np.int64)
    if must_win:
        drawn = np.flatnonzero((results == 0) & ~games.is_truncated)
        results[drawn] = [-favourite(Board(boards[i].start_fen)) for i in drawn.tolist()]
    results = np.repeat(results, games.lengths)
    return AttemptTrajectories(
        **games.columns,
        results_side_to_move=np.where(games.is_white, results, -results).astype(np.int8),
        moves_left=_moves_left(games.lengths),
    )


def _moves_left(lengths: NDArray[np.int64]) -> NDArray[np.int32]:
    """[P] The mover's own moves to the end of its game, this one included."""
    plies_left = np.repeat(np.cumsum(lengths), lengths) - np.arange(lengths.sum())
    return ((plies_left + 1) // 2).astype(np.int32)
