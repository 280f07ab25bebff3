"""Small learners, games chosen by a test, and a slow implementation of their loss."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selfmate.data.trajectories import SampledGames, concatenated
from selfmate.learners.reinforce.config import Config
from selfmate.learners.reinforce.learner import Reinforce, SamplingActor, sampled_games
from selfmate.rules import Board
from selfmate.selfplay.games import GamePlan, play_games

Array = NDArray[np.float64]


def learner_of(**changes: object) -> Reinforce:
    settings: dict[str, object] = {"hidden": (12, 6), "games_per_iteration": 4, "max_plies": 8}
    return Reinforce(Config.model_validate(settings | changes))


def line(
    learner: Reinforce, moves: Sequence[str], result: int, fen: str | None = None
) -> SampledGames:
    """A game of these moves as if they had been sampled, with any result."""
    board, parts = Board(fen), list[dict[str, NDArray[Any]]]()
    actor = SamplingActor(spec=learner.spec, net=learner.net, temperature=1.2)
    for move in moves:
        ply = GamePlan(boards=[board.copy()], max_plies=1, seed=1)
        columns = sampled_games(play_games([actor], ply), 1.2).arrays()
        place = board.legal_moves().index(move)
        asked = learner.spec.candidates([board])
        scores = learner.net.scores(asked).astype(np.float64) / 1.2
        log_prob = scores[place] - np.log(np.exp(scores).sum())
        columns["chosen"] = np.array([place], np.uint8)
        columns["log_probs"] = np.array([log_prob], np.float32)
        parts.append(columns)
        board.push(move)
    of_game = {
        "results": np.array([result], np.int8),
        "is_cut": np.array([False]),
        "temperature": np.array([1.2], np.float32),
    }
    return SampledGames.from_arrays(concatenated(parts) | of_game)


def probability(learner: Reinforce, fen: str | None, moves: Sequence[str], move: str) -> float:
    """The probability of a move after some others, at temperature 1."""
    board = Board(fen)
    for earlier in moves:
        board.push(earlier)
    scores = learner.net.scores(learner.spec.candidates([board])).astype(np.float64)
    return float((np.exp(scores) / np.exp(scores).sum())[board.legal_moves().index(move)])


def slow_loss(
    learner: Reinforce,
    weights: dict[str, Array],
    games: SampledGames,
    baseline: NDArray[np.float32] | float = 0.0,
) -> float:
    """The mean over all plies, one position and one move at a time, in double precision."""
    config, temperature = learner.config, float(games.temperature[0])
    expected = np.broadcast_to(baseline, len(games))
    sums = []
    for row in range(len(games)):
        asked = games.candidates(np.array([row]))
        position = np.zeros(len(learner.net.position.weight))
        position[asked.positions.columns] = asked.positions.values
        scores = []
        for begin, end in zip(asked.moves.offsets[:-1], asked.moves.offsets[1:], strict=True):
            move = np.zeros(len(learner.net.move.weight))
            move[asked.moves.columns[begin:end]] = 1
            scores.append(slow_score(weights, position, move))
        logits = np.array(scores) / temperature
        logs = logits - np.log(np.exp(logits).sum())
        result = float(games.results[games.games[row]])
        sign = 1 if games.is_white[row] else -1
        loss = -sign * (result - float(expected[row])) * logs[games.chosen[row]]
        loss += config.entropy_bonus * float((np.exp(logs) * logs).sum())
        if learner.spec.value_head:
            value = slow_value(weights, position, bool(games.is_white[row]))
            loss += config.value_weight * (value - result) ** 2
        sums.append(loss)
    return float(np.mean(sums))


def slow_score(weights: dict[str, Array], position: Array, move: Array) -> float:
    both = np.concatenate([position, move])
    matrix = np.concatenate([weights["position.weight"], weights["move.weight"]])
    level = np.maximum(both @ matrix + weights["position.bias"], 0)
    level = np.maximum(weights["hidden.0.weight"] @ level + weights["hidden.0.bias"], 0)
    return float(weights["score.weight"][0] @ level + weights["score.bias"][0])


def slow_value(weights: dict[str, Array], position: Array, is_white: bool) -> float:
    first = position @ weights["position.weight"] + weights["position.bias"]
    level = np.maximum(first + is_white * weights["value.turn.weight"][:, 0], 0)
    return float(np.tanh(weights["value.out.weight"][0] @ level + weights["value.out.bias"][0]))
