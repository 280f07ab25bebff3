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
from selfmate.searches.endings import MATE, move_endings
from selfmate.searches.sampling import attempt_actions, random_choices
from selfmate.selfplay.games import Decision, GamePlan, Trajectories, Turn
from selfmate.selfplay.workers import NetSnapshot


@dataclass(frozen=True, kw_only=True)
class AttemptingActor:
    """Actors on several threads may share a net: what it says of a position does not depend on the
    other positions of a batch."""

    net: TransformerEvaluator
    temperature: float  # 0: always the likeliest move
    max_attempts: int  # illegal ones in a position
    plays_mate_in_one: bool = False  # whatever the net says
    random_sides: NDArray[np.int8] | None = None  # [G] moving at random: 1 White, -1 Black, 0 none

    def decide(self, turn: Turn) -> Decision:
        seeds = turn.seeds(turn.plies)
        if self.random_sides is None:
            moves, columns = self._attempt(turn.boards, seeds)
            return Decision(moves=moves, columns=columns)
        is_random = self.random_sides[turn.games] == np.where(turn.is_white, 1, -1)
        moves, rows = random_choices(turn.boards, seeds), np.flatnonzero(~is_random)
        if not len(rows):
            return Decision(moves=moves, columns={}, rows=rows)
        moves[rows], columns = self._attempt([turn.boards[i] for i in rows.tolist()], seeds[rows])
        return Decision(moves=moves, columns=columns, rows=rows)

    def _attempt(
        self, boards: list[Board], seeds: NDArray[np.uint64]
    ) -> tuple[NDArray[np.uint16], dict[str, Any]]:
        """Moves of the net, and their columns of `AttemptTrajectories`."""
        batch = encode_tokens(boards)
        played, tried = attempt_actions(
            self.net.logits(batch.tokens),
            batch.legal,
            seeds,
            temperature=self.temperature,
            most=self.max_attempts,
        )
        if self.plays_mate_in_one:
            mates = np.flatnonzero(move_endings(boards).endings == MATE)
            played[batch.legal.rows[mates]] = batch.legal.values[mates]
        columns = {"stored": encode_records(boards), "played": played, "tried": tried}
        return batch.moves(played), columns


@dataclass(frozen=True, kw_only=True)
class AttemptingActors:
    net: NetSnapshot
    temperature: float
    max_attempts: int
    plays_mate_in_one: bool = False
    random_sides: NDArray[np.int8] | None = None

    @property
    def nets(self) -> tuple[NetSnapshot]:
        return (self.net,)

    def prepare(self, net: Transformer) -> TransformerEvaluator:
        return TransformerEvaluator(net)

    def make(self, nets: Sequence[Any], plan: GamePlan, threads: int) -> AttemptingActor:
        return AttemptingActor(
            net=nets[0],
            temperature=self.temperature,
            max_attempts=self.max_attempts,
            plays_mate_in_one=self.plays_mate_in_one,
            random_sides=self.random_sides,
        )


def attempt_trajectories(
    games: Trajectories,
    boards: Sequence[Board],
    *,
    must_win: bool = False,
    games_per_start: int = 1,
    random_sides: NDArray[np.int8] | None = None,
) -> AttemptTrajectories:
    """The positions game by game. With `must_win` a draw counts as lost by the side that began
    with more pieces against a bare king. Of several games from the same start each result is
    relative to the others; but a move that mates has won, whatever the others did. Truncated games
    count as draws against a random side. Against itself they teach nothing: the side that would
    lose should not learn to wait."""
    results = games.results.astype(np.int64)
    if must_win:
        drawn = np.flatnonzero((results == 0) & ~games.is_truncated)
        results[drawn] = [-favourite(Board(boards[i].start_fen)) for i in drawn.tolist()]
    against_itself = True if random_sides is None else random_sides == 0
    counted = ~(games.is_truncated & against_itself)
    of_positions = relative_results(results, counted, games_per_start)[games.games]
    moves_left = (games.lengths[games.games] - games.plies + 1) // 2
    mates = (games.plies + 1 == games.lengths[games.games]) & (games.results[games.games] != 0)
    of_positions[mates] = games.results[games.games][mates]
    return AttemptTrajectories(
        **games.columns,
        results_side_to_move=np.where(games.is_white, of_positions, -of_positions),
        moves_left=moves_left.astype(np.int32),
    )


def relative_results(
    results: NDArray[np.int64], counted: NDArray[np.bool_], games_per_start: int
) -> NDArray[np.float32]:
    """[G] Results, of several games from the same start less the mean of the others: what the start
    alone explains teaches nothing. Games that are not counted have 0 and are no others."""
    groups, of_group = (array.reshape(-1, games_per_start) for array in (results, counted))
    sums = (groups * of_group).sum(axis=1, keepdims=True) - groups
    others = sums / np.maximum(of_group.sum(axis=1, keepdims=True) - 1, 1)
    relative: NDArray[np.float32] = np.where(of_group, groups - others, 0).astype(np.float32)
    return relative.ravel()


def player_names(random_sides: NDArray[np.int8] | None, game: int) -> tuple[str, str]:
    """White and Black of a game."""
    side = 0 if random_sides is None else random_sides[game]
    return "random" if side == 1 else "learner", "random" if side == -1 else "learner"


def score_against(random_sides: NDArray[np.int8] | None, results: NDArray[np.int8]) -> float | None:
    """Mean points of the net in games against a random player; None without any."""
    if random_sides is None or not random_sides.any():
        return None
    results = -random_sides[random_sides != 0] * results[random_sides != 0]
    return float((1 + results.mean()) / 2)
