"""Self-play of the DQN: an epsilon-greedy player against itself and others, with the teacher's
advice on every position; and the pool of opponents it meets."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selfmate.data.trajectories import concatenated, sorted_rows
from selfmate.data.transitions import NO_ACTION, UNRANKED, Episodes, qualities
from selfmate.encodings import actions_of_moves
from selfmate.encodings.features import (
    ACTION_ENCODING,
    encode_packed,
    flipped_actions,
    flipped_legal_actions,
)
from selfmate.nets.config import QNetConfig
from selfmate.nets.q_net import QNet
from selfmate.players import Player, load_player
from selfmate.players.network import QPlayer
from selfmate.runs import Arrays
from selfmate.searches.sampling import random_choices
from selfmate.searches.teacher import best_moves, ranks, score_moves, values_side_to_move
from selfmate.selfplay.games import Decision, GamePlan, GameStats, Numbers, Trajectories, Turn
from selfmate.selfplay.workers import NetSnapshot

# Added to a ply: exploration and advice have random numbers of their own.
EXPLORATION, ADVICE = 1 << 32, 1 << 33
MAX_PAST = 5
ITSELF, BEST = "self", "best"
OTHERS = {"teacher_1": "teacher:depth=1", "teacher_2": "teacher:depth=2", "random": "random"}
RANDOM = -1  # the mover of an exploratory move


@dataclass(frozen=True, kw_only=True)
class EpsilonGreedyActor:
    """Plays each game by the players of its two seats. Only player 0, the learner, explores."""

    players: Sequence[Player]
    seats: Numbers  # [G, 2] players by number, White and Black
    epsilon: float  # probability that the learner moves at random
    teacher_depth: int  # plies the teacher searches in every position; 0: it is not asked
    teacher_threads: int = 1

    def decide(self, turn: Turn) -> Decision:
        moves = self._choose(turn)
        actions = actions_of_moves(ACTION_ENCODING, turn.boards, moves).astype(np.int16)
        actions = flipped_actions(actions, ~turn.is_white)
        return Decision(moves=moves, columns={"actions": actions, **self.observe(turn, moves)})

    def observe(self, turn: Turn, moves: NDArray[np.uint16] | None = None) -> dict[str, Any]:
        """All that is recorded of a position besides the action; `moves` are None where nobody
        moved."""
        with turn.watch("encoding"):
            packed = encode_packed(turn.boards)
        with turn.watch("move_generation"):
            legal = flipped_legal_actions(turn.boards, ~turn.is_white)
        with turn.watch("labelling"):
            labels = self._ask_teacher(turn, moves)
        return {"packed": packed, "legal": legal, **labels}

    def _choose(self, turn: Turn) -> NDArray[np.uint16]:
        seeds, exploration = turn.seeds(turn.plies + np.array([[0], [EXPLORATION]]))
        uniforms = (exploration >> np.uint64(11)) * 2.0**-53
        movers = self.seats[turn.games, np.where(turn.is_white, 0, 1)]
        movers = np.where((movers == 0) & (uniforms < self.epsilon), RANDOM, movers)
        moves = np.zeros(len(movers), np.uint16)
        for mover in sorted(set(movers.tolist())):
            rows = np.flatnonzero(movers == mover)
            boards = [turn.boards[i] for i in rows.tolist()]
            if mover == RANDOM:
                moves[rows] = random_choices(boards, seeds[rows])
            else:
                moves[rows] = self.players[mover].choose(boards, seeds[rows]).moves
        return moves

    def _ask_teacher(self, turn: Turn, moves: NDArray[np.uint16] | None) -> dict[str, NDArray[Any]]:
        """The teacher's best action, its value of each position, and the ranks of the moves."""
        count = len(turn.boards)
        labels: dict[str, NDArray[Any]] = {
            "advice": np.full(count, NO_ACTION, np.int16),
            "potentials": np.zeros(count, np.float32),
            "ranks": np.full(count, UNRANKED, np.uint8),
        }
        if not self.teacher_depth:
            return labels
        threads = self.teacher_threads
        scores = score_moves(turn.boards, depth=self.teacher_depth, threads=threads)
        best = best_moves(scores, turn.seeds(turn.plies + ADVICE))
        actions = actions_of_moves(ACTION_ENCODING, turn.boards, best).astype(np.int16)
        labels["advice"] = flipped_actions(actions, ~turn.is_white)
        labels["potentials"] = values_side_to_move(scores)
        if moves is not None:
            labels["ranks"] = np.minimum(ranks(scores, moves), UNRANKED - 1).astype(np.uint8)
        return labels


@dataclass(frozen=True, kw_only=True)
class EpsilonGreedyActors:
    """Makes actors that share the players, whose choices do not depend on other games."""

    learner: NetSnapshot
    best: NetSnapshot
    past: Sequence[NetSnapshot]
    names: Sequence[str]  # of all players, in their order
    seats: Numbers
    epsilon: float
    teacher_depth: int

    @property
    def nets(self) -> tuple[NetSnapshot, ...]:
        return (self.learner, self.best, *self.past)

    def prepare(self, net: QNet) -> QNet:
        return net

    def make(self, nets: Sequence[Any], plan: GamePlan, threads: int) -> EpsilonGreedyActor:
        return self.observer(threads, self.players(nets))

    def players(self, nets: Sequence[QNet]) -> list[Player]:
        learner, best, *past = nets
        others = list[QNet | None]([None] * len(OTHERS))
        return [
            load_player(name) if net is None else _trainee(name, net)
            for name, net in zip(self.names, [learner, best, *others, *past], strict=True)
        ]

    def observer(self, threads: int, players: Sequence[Player] = ()) -> EpsilonGreedyActor:
        """An actor; without players it can observe, and not choose."""
        return EpsilonGreedyActor(
            players=players,
            seats=self.seats,
            epsilon=self.epsilon,
            teacher_depth=self.teacher_depth,
            teacher_threads=threads,
        )


def episodes_of(games: Trajectories, actor: EpsilonGreedyActor, gamma: float) -> Episodes:
    """The games end to end. A truncated game has one more row, its last position: the value of the
    row before is bootstrapped from it."""
    parts = [{**games.columns, "games": games.games}]
    cut = games.truncated
    if len(cut.games):
        no_action = np.full(len(cut.games), NO_ACTION, np.int16)
        parts.append({"actions": no_action, "games": cut.games, **actor.observe(cut)})
    columns = concatenated(parts)
    columns = sorted_rows(columns, columns.pop("games"))
    legal = columns.pop("legal")
    lengths = games.lengths + games.is_truncated
    ends, rewards = _endings(games, lengths)
    # Stalemates teach much as well: they are thrown-away wins.
    teaches = (games.results != 0) | np.array([of == "stalemate" for of in games.endings])
    return Episodes(
        **columns,
        ends=ends,
        rewards=rewards,
        qualities=qualities(lengths, teaches, gamma),
        legal=legal.values.astype(np.int16),
        legal_offsets=legal.offsets,
    )


def _endings(
    games: Trajectories, lengths: Numbers
) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
    """[P] Which rows ended their game by the rules, and the reward of 1 where they mated."""
    last = np.cumsum(lengths) - 1
    ends, rewards = np.zeros(lengths.sum(), np.bool_), np.zeros(lengths.sum(), np.float32)
    ends[last] = ~games.is_truncated
    rewards[last] = games.results != 0
    return ends, rewards


def game_metrics(stats: GameStats) -> dict[str, float]:
    return {
        "games": stats.games,
        "plies": stats.plies / stats.games,
        "distinct_games": stats.distinct,
        "mates": stats.decided,
        "truncated_games": stats.truncated,
        "win_rate": stats.decided / stats.games,
        "draw_rate": (stats.games - stats.decided - stats.truncated) / stats.games,
    }


def points_against_others(games: Trajectories, seats: Numbers) -> tuple[float, int]:
    """The learner's points in the games against other players, and how many games these were."""
    met_other = seats[:, 0] != seats[:, 1]
    white_points = (1 + games.results) / 2
    points = np.where(seats[:, 0] == 0, white_points, 1 - white_points)[met_other]
    return float(points.sum()), len(points)


class Opponents:
    """Players by number: 0 the learner, 1 the best version, then fixed ones, then past bests.

    In training games nets do not know what a move ends: they have to learn it.
    """

    def __init__(self, spec: QNetConfig, net: QNet, weights: Mapping[str, float]) -> None:
        """`weights` are relative frequencies of self, best, past, teacher_1 and so on."""
        self._spec, self._net, self._weights = spec, net, weights
        self.best = spec.make_net()
        self.past: deque[tuple[str, Arrays]] = deque(maxlen=MAX_PAST)  # names and weights

    def promote(self, weights: Arrays) -> None:
        self.best.take(weights)

    def retire(self, name: str, weights: Arrays) -> None:
        """Keeps a former best version as an opponent."""
        self.past.append((name, weights))

    def actors(self, seats: Numbers, *, epsilon: float, teacher_depth: int) -> EpsilonGreedyActors:
        """For games of these players, by number."""
        return EpsilonGreedyActors(
            learner=NetSnapshot.of(self._spec, self._net.arrays()),
            best=NetSnapshot.of(self._spec, self.best.arrays()),
            past=[NetSnapshot.of(self._spec, weights) for _, weights in self.past],
            names=["learner", BEST, *OTHERS.values(), *(name for name, _ in self.past)],
            seats=seats,
            epsilon=epsilon,
            teacher_depth=teacher_depth,
        )

    def best_player(self) -> Player:
        """The best version as it plays outside training."""
        return QPlayer("best", self.best)

    def learner(self) -> Player:
        """The learner as it plays outside training."""
        return QPlayer("learner", self._net)

    def seats(self, games: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """[G, 2] Players by number, White and Black; the learner alternates sides."""
        names = list(self._weights)
        weights = np.array([self._weights[name] for name in names])
        met = rng.choice(len(names), games, p=weights / weights.sum())
        numbers = np.array([self._number(names[i], rng) for i in met.tolist()], np.int64)
        seats = np.zeros((games, 2), np.int64)
        seats[np.arange(games), np.arange(1, games + 1) % 2] = numbers
        return seats

    def _number(self, name: str, rng: np.random.Generator) -> int:
        if name == ITSELF:
            return 0
        if name in OTHERS:
            return 2 + list(OTHERS).index(name)
        if name == BEST or not self.past:
            return 1
        return 2 + len(OTHERS) + int(rng.integers(len(self.past)))


def _trainee(name: str, net: QNet) -> Player:
    return QPlayer(name, net, exact_endings=False)
