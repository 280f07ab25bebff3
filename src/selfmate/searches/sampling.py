"""Choosing moves for many games in one call: at random, by value, or by repeated attempts.

All randomness comes from a 64-bit seed per game, so that a choice does not depend on the batch.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import selfmate._core as core
from selfmate.encodings import Games, moves_of_actions
from selfmate.rules import Board, Ragged, push_moves

Values = NDArray[np.float32]  # [N] of legal actions, game after game
Seeds = NDArray[np.uint64]  # [B]


def random_choices(games: Games, seeds: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """[B] A random legal move of each game, all with the same probability."""
    return core.choose_random(games, seeds)


def greedy_choices(games: Games, seeds: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """[B] The move of each game that wins the most material at once; ties are broken at random."""
    return core.choose_greedy(games, seeds)


def chosen_actions(
    values: Values, legal: Ragged, temperature: float, seeds: Seeds
) -> NDArray[np.int32]:
    """[B] Drawn with probabilities softmax(value / temperature); at temperature 0 the best."""
    if temperature:
        return drawn_actions(values, legal, temperature, seeds)
    return best_actions(values, legal, seeds)


def best_actions(values: Values, legal: Ragged, seeds: Seeds) -> NDArray[np.int32]:
    """[B] The action of the highest value; ties are broken at random."""
    actions = legal.values.astype(np.uint16)
    return core.choose_best(actions, _ranks(values), legal.offsets, seeds).astype(np.int32)


def drawn_actions(
    values: Values, legal: Ragged, temperature: float, seeds: Seeds
) -> NDArray[np.int32]:
    """[B] Drawn with probabilities softmax(value / temperature)."""
    sums = np.cumsum(_weights(values, legal, temperature), axis=1)
    uniform = (seeds >> np.uint64(11)) * 2.0**-53
    places = (sums <= (uniform * sums[:, -1])[:, None]).sum(axis=1)
    places = np.minimum(places, legal.counts - 1)  # a number just below 1 may round up to 1
    drawn: NDArray[np.int32] = legal.values[legal.offsets[:-1] + places]
    return drawn


def _weights(values: Values, legal: Ragged, temperature: float) -> NDArray[np.float64]:
    """[B, longest row] Softmax weights before normalising, zero beyond the end of a row."""
    below = values - np.repeat(np.maximum.reduceat(values, legal.offsets[:-1]), legal.counts)
    places = np.arange(legal.counts.max())
    weights = np.zeros((len(legal), len(places)))
    with np.errstate(over="ignore"):  # at temperatures near 0
        weights[places < legal.counts[:, None]] = np.exp(below.astype(np.float64) / temperature)
    return weights


def _ranks(values: Values) -> NDArray[np.int32]:
    """Integers in the same order as the values, and equal where these are, from the bits of the
    floats."""
    bits = (values + np.float32(0)).view(np.int32)  # -0 is 0
    return bits ^ ((bits >> 31) & np.int32(0x7FFFFFFF))


def is_mate(
    action_encoding: str, boards: Sequence[Board], legal: Ragged, gives_check: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """[N] Whether each legal action mates. Only those that give check [N] are tried."""
    mates = np.zeros(len(legal.values), np.bool_)
    tried = np.flatnonzero(gives_check)
    after = [boards[row].copy() for row in legal.rows[tried].tolist()]
    if after:
        outcomes = push_moves(after, moves_of_actions(action_encoding, after, legal.values[tried]))
        mates[tried] = [outcome is not None and outcome.winner is not None for outcome in outcomes]
    return mates


class Attempts(NamedTuple):
    chosen: NDArray[np.int32]  # [B] legal actions
    illegal: Ragged  # the illegal actions drawn before, in order


def attempt_actions(
    logits: NDArray[np.float32],
    legal: Ragged,
    seeds: NDArray[np.uint64],
    *,
    temperature: float,
    most: int,
) -> Attempts:
    """Chooses as a net that does not know the rules: draws actions without replacement, with
    probabilities softmax(logits / temperature), at temperature 0 the likeliest first, until one is
    legal. After `most` illegal ones the likeliest legal action is chosen. Logits are [B, A].
    """
    chosen, values, offsets = core.attempt_actions(
        logits, legal.values, legal.offsets, seeds, temperature, most
    )
    return Attempts(chosen, Ragged(values, offsets))
