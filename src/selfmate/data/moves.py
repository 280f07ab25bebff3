"""Experiences with what came after them: all a learner needs for its targets.

The target of a move is returns + discounts * (value of next_states for their mover), for both
backups: the sign is in the discount.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from selfmate.data.experience import NO_ACTION
from selfmate.data.ring import Ring
from selfmate.rules.ragged import Ragged

Rows = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Moves:
    """What next_states says is of use only where discounts is not 0; it is a position with legal
    actions everywhere."""

    states: NDArray[np.uint8]  # [B, 107] packed, the mover is White
    actions: NDArray[np.int16]  # [B]
    legal: Ragged
    advice: NDArray[np.int16]  # [B] -1 where the teacher was not asked
    potentials: NDArray[np.float32]  # [B]
    returns: NDArray[np.float32]  # [B] rewards on the way, for the mover
    discounts: NDArray[np.float32]  # [B] 0 where the game was over
    next_states: NDArray[np.uint8]  # [B, 107]
    next_legal: Ragged
    next_potentials: NDArray[np.float32]  # [B] for the mover of next_states; 0 where it was over
    is_cut: NDArray[np.bool_]  # [B] the game was cut at next_states: nothing was played there


def negamax_moves(ring: Ring, rows: Rows, *, steps: int, gamma: float) -> Moves:
    """Up to `steps` plies, fewer where the game was over or cut: each one changes the mover, and
    so the sign."""
    last, going = rows, np.ones(len(rows), np.bool_)
    returns, discounts = np.zeros(len(rows)), np.ones(len(rows))
    for _ in range(steps):
        going &= ring.columns["actions"][last] != NO_ACTION
        ends = ring.columns["ends"][last]
        returns += np.where(going, discounts * ring.columns["rewards"][last], 0)
        discounts *= np.where(going, np.where(ends, 0, -gamma), 1)
        going &= ~ends
        last = np.where(going, ring.after(last), last)
    return _moves(ring, rows, last, returns, discounts)


def two_ply_moves(ring: Ring, rows: Rows, *, gamma: float) -> Moves:
    """A ply and the reply, which ends with the same mover: +1 if the first mates, -1 if the reply
    does.

    A game cut before the reply has no position with the same mover: it counts as one ply of
    negamax.
    """
    over = ring.columns["ends"][rows]
    reply = np.where(over, rows, ring.after(rows))
    replied = ~over & (ring.columns["actions"][reply] != NO_ACTION)
    rewards = ring.columns["rewards"]
    returns = rewards[rows] - np.where(replied, rewards[reply], 0)
    over |= replied & ring.columns["ends"][reply]
    last = np.where(replied & ~over, ring.after(reply), reply)
    discounts = np.where(over, 0, np.where(replied, gamma, -gamma))
    return _moves(ring, rows, last, returns, discounts)


def _moves(
    ring: Ring,
    rows: Rows,
    last: Rows,
    returns: NDArray[np.floating],
    discounts: NDArray[np.floating],
) -> Moves:
    column = ring.columns
    return Moves(
        states=column["packed"][rows],
        actions=column["actions"][rows],
        legal=ring.legal(rows),
        advice=column["advice"][rows],
        potentials=column["potentials"][rows],
        returns=returns.astype(np.float32),
        discounts=discounts.astype(np.float32),
        next_states=column["packed"][last],
        next_legal=ring.legal(last),
        next_potentials=np.where(discounts == 0, np.float32(0), column["potentials"][last]),
        is_cut=column["actions"][last] == NO_ACTION,
    )
