"""How well a net knows the rules: the probability that it puts on legal moves (`legal_mass`) and
how often its first choice is legal (`top_legal`), on held-out positions.

On master games also how often it finds the master's move among the legal ones (`match1`, `match5`).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from selfmate.arena.openings import shipped_openings
from selfmate.data.held_out import HeldOut, Rows
from selfmate.encodings.records import PositionRecords, encode_records
from selfmate.nets.evaluator import TransformerEvaluator
from selfmate.nets.softmax import mass_of
from selfmate.nets.transformer import Transformer
from selfmate.rules import Ragged, derive_seeds, push_moves
from selfmate.runs import Tick, unwatched
from selfmate.searches.sampling import greedy_choices, random_choices

BATCH_ROWS = 1024  # all logits of all positions at once would fill the memory

# Reference games: greedy movers with random moves, from the shipped openings.
GAMES = 128
MAX_PLIES = 160
RANDOM_MOVES = 0.3  # probability
SHARED_PLIES = 6  # training games start from the same openings; later positions differ
SEED = 20_261_116  # of no training


class _Measured(NamedTuple):
    mass: NDArray[np.float64]  # [B]
    is_top_legal: NDArray[np.bool_]  # [B]
    ranks: NDArray[np.int64]  # [B] of the master's moves; empty if they are unknown


def legality_metrics(
    net: Transformer, positions: HeldOut, tick: Tick = unwatched
) -> dict[str, float]:
    """Over all positions, and over each kind of position: `legal_mass`, `legal_mass_check`, ..."""
    evaluator = TransformerEvaluator(net)
    rows, measured = np.arange(len(positions.batch)), list[_Measured]()
    for begin in range(0, len(rows), BATCH_ROWS):
        tick(begin)
        measured.append(_measure(evaluator, positions, rows[begin : begin + BATCH_ROWS]))
    mass = np.concatenate([one.mass for one in measured])
    top = np.concatenate([one.is_top_legal for one in measured])
    metrics = dict[str, float]()
    for kind, of_kind in positions.rows.items():
        if len(of_kind):
            suffix = "" if kind == "all" else f"_{kind}"
            metrics[f"legal_mass{suffix}"] = float(mass[of_kind].mean())
            metrics[f"top_legal{suffix}"] = float(top[of_kind].mean())
    if positions.played is not None:
        ranks = np.concatenate([one.ranks for one in measured])[positions.rows["all"]]
        metrics |= {f"match{rank}": float((ranks <= rank).mean()) for rank in (1, 5)}
    return metrics


def _measure(net: TransformerEvaluator, positions: HeldOut, rows: Rows) -> _Measured:
    tokens = positions.batch.take(rows)
    logits, legal = net.logits(tokens.tokens), tokens.legal
    return _Measured(
        mass=mass_of(logits, legal),
        is_top_legal=is_top_legal(logits, legal),
        ranks=np.zeros(0, np.int64)
        if positions.played is None
        else masked_ranks(logits, legal, positions.played[rows]),
    )


def is_top_legal(logits: NDArray[np.float32], legal: Ragged) -> NDArray[np.bool_]:
    """[B] Whether the likeliest of all actions is legal. Illegal actions win ties, so that a
    uniform net gets no credit."""
    illegal = logits.copy()
    illegal[legal.rows, legal.values] = -np.inf
    best_legal = np.maximum.reduceat(logits[legal.rows, legal.values], legal.offsets[:-1])
    found: NDArray[np.bool_] = best_legal > illegal.max(1)
    return found


def masked_ranks(
    logits: NDArray[np.float32], legal: Ragged, played: NDArray[np.int32]
) -> NDArray[np.int64]:
    """[B] The rank of the played move among the legal ones, from 1. Other moves win ties, so that a
    uniform net gets no credit."""
    at_legal = logits[legal.rows, legal.values]
    at_played = logits[np.arange(len(played)), played]
    better = at_legal >= np.repeat(at_played, legal.counts)
    return np.add.reduceat(better, legal.offsets[:-1], dtype=np.int64)


class LegalPolicy(NamedTuple):
    """A policy restricted to the legal moves."""

    policy: NDArray[np.float64]  # [L] a row's sum is 1
    mass: NDArray[np.float64]  # [B] the probability of all legal moves before
    entropy: NDArray[np.float64]  # [B] of `policy`, in nats


def policy_on_legal_moves(log_probs: NDArray[np.float32], legal: Ragged) -> LegalPolicy:
    """From log-probabilities [B, A] of all actions."""
    at_legal = log_probs[legal.rows, legal.values].astype(np.float64)
    probabilities, starts = np.exp(at_legal), legal.offsets[:-1]
    mass = np.add.reduceat(probabilities, starts)
    sums = np.add.reduceat(probabilities * at_legal, starts)
    return LegalPolicy(probabilities / mass[legal.rows], mass, np.log(mass) - sums / mass)


def reference_positions() -> PositionRecords:
    """Positions of reference games, always the same, shuffled. No training uses these games."""
    rng = np.random.default_rng(SEED)
    openings = shipped_openings()
    boards = [openings[i].board() for i in rng.integers(len(openings), size=GAMES)]
    parts = list[PositionRecords]()
    for ply in range(MAX_PLIES):
        if ply >= SHARED_PLIES:
            parts.append(encode_records(boards))
        seeds = derive_seeds(SEED, np.arange(len(boards)), np.array(ply))
        is_random = rng.random(len(boards)) < RANDOM_MOVES
        moves = np.where(is_random, random_choices(boards, seeds), greedy_choices(boards, seeds))
        outcomes = push_moves(boards, moves)
        boards = [board for board, end in zip(boards, outcomes, strict=True) if end is None]
        if not boards:
            break
    return rng.permutation(np.concatenate(parts))
