"""What a net knows of the rules: how much of its policy is on legal moves, and how often its first
choice is legal; and how often that would be a master's move, with illegal ones left out."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from selfmate.data.held_out import HeldOut, Rows
from selfmate.nets.ragged import mass_of
from selfmate.nets.transformer import Transformer
from selfmate.rules.ragged import Ragged

ROWS_AT_ONCE = 1024  # all logits of all positions would fill the memory


def measure(net: Transformer, asked: HeldOut) -> dict[str, float]:
    """Figures of all positions, and of each kind: `legal_mass`, `legal_mass_check` and so on."""
    places = np.arange(len(asked.sentences))
    parts = np.split(places, range(ROWS_AT_ONCE, len(places), ROWS_AT_ONCE))
    answers = [_answers(net, asked, part) for part in parts]
    mass = np.concatenate([one.mass for one in answers])
    top = np.concatenate([one.is_top_legal for one in answers])
    figures = dict[str, float]()
    for kind, rows in asked.rows.items():
        if len(rows):
            name = "" if kind == "all" else f"_{kind}"
            figures[f"legal_mass{name}"] = float(mass[rows].mean())
            figures[f"top_legal{name}"] = float(top[rows].mean())
    if asked.played is not None:
        ranks = np.concatenate([one.ranks for one in answers])
        of_all = ranks[asked.rows["all"]]
        figures |= {f"match{most}": float((of_all <= most).mean()) for most in (1, 5)}
    return figures


class _Answers(NamedTuple):
    mass: NDArray[np.float64]
    is_top_legal: NDArray[np.bool_]
    ranks: NDArray[np.int64]  # of masters' moves; none if they are not known


def _answers(net: Transformer, asked: HeldOut, rows: Rows) -> _Answers:
    sentences = asked.sentences.take(rows)
    logits, legal = net.logits(sentences.tokens), sentences.legal
    return _Answers(
        mass=mass_of(logits, legal),
        is_top_legal=is_top_legal(logits, legal),
        ranks=np.zeros(0, np.int64)
        if asked.played is None
        else masked_ranks(logits, legal, asked.played[rows]),
    )


def is_top_legal(logits: NDArray[np.float32], legal: Ragged) -> NDArray[np.bool_]:
    """[B] Whether the likeliest of all moves is a legal one; an illegal one that is as likely
    counts as likelier, or a net that says the same of all moves would seem to know."""
    illegal = logits.copy()
    illegal[legal.rows, legal.values] = -np.inf
    best_legal = np.maximum.reduceat(logits[legal.rows, legal.values], legal.offsets[:-1])
    found: NDArray[np.bool_] = best_legal > illegal.max(1)
    return found


def masked_ranks(
    logits: NDArray[np.float32], legal: Ragged, played: NDArray[np.int32]
) -> NDArray[np.int64]:
    """[B] The place of the played move among the legal ones; equals count as better, or a net that
    says the same of all moves would seem to know."""
    at_legal = logits[legal.rows, legal.values]
    at_played = logits[np.arange(len(played)), played]
    better = at_legal >= np.repeat(at_played, legal.counts)
    return np.add.reduceat(better, legal.offsets[:-1], dtype=np.int64)
