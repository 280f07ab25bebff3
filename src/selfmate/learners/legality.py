"""What a net knows of the rules: how much of its policy is on legal moves, and how often its first
choice is legal; and how often that would be a master's move, with illegal ones left out."""

import numpy as np
from numpy.typing import NDArray

from selfmate.data.held_out import HeldOut
from selfmate.encodings.sentences import legal_mass
from selfmate.nets.transformer import Transformer
from selfmate.rules.ragged import Ragged


def measure(net: Transformer, asked: HeldOut) -> dict[str, float]:
    """Figures of all positions, and of each kind: `legal_mass`, `legal_mass_check` and so on."""
    logits = net.logits(asked.sentences.tokens)
    legal = asked.sentences.legal
    mass, top = legal_mass(logits, legal), is_top_legal(logits, legal)
    figures = dict[str, float]()
    for kind, rows in asked.rows.items():
        if len(rows):
            name = "" if kind == "all" else f"_{kind}"
            figures[f"legal_mass{name}"] = float(mass[rows].mean())
            figures[f"top_legal{name}"] = float(top[rows].mean())
    if asked.played is not None:
        ranks = masked_ranks(logits, legal, asked.played)[asked.rows["all"]]
        figures |= {f"match{most}": float((ranks <= most).mean()) for most in (1, 5)}
    return figures


def is_top_legal(logits: NDArray[np.float32], legal: Ragged) -> NDArray[np.bool_]:
    """[B] Whether the likeliest of all moves is a legal one."""
    at_legal = logits[legal.rows, legal.values]
    found: NDArray[np.bool_] = np.maximum.reduceat(at_legal, legal.offsets[:-1]) >= logits.max(1)
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
