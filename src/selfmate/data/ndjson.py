"""The teacher's positions as text: one JSON object a line, with keys that other programs use, too.

Actions are numbers of `from_to4096`, absolute.
"""

import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from selfmate.data.bulk_text import list_texts, policy_texts
from selfmate.data.labels import Labels
from selfmate.encodings import legal_actions
from selfmate.rules import Board, uci_text

CODING = "from_to4096"


def line_texts(
    boards: Sequence[Board],
    fens: Sequence[str],
    places: Sequence[tuple[int, int]],
    labels: Labels,
    moves: NDArray[np.uint16],
) -> list[str]:
    """A line for each board, with its game's number and ply in `places` and the move played."""
    actions, probs, offsets = _policies(labels)
    ts = time.time_ns() // 1_000_000
    rows = zip(
        fens,
        places,
        actions[offsets[:-1]].tolist(),
        list_texts(actions, offsets),
        policy_texts(actions, probs, offsets),
        labels.values_side_to_move.tolist(),
        list_texts(*legal_actions(CODING, boards)),
        moves.tolist(),
        strict=True,
    )
    return [
        f'{{"fen":"{fen}","side":"{fen.split(" ", 2)[1]}","best_action":{best},"top_k":[{top}],'
        f'"teacher_policy":{{{policy}}},"value":{value:.7g},"valid_actions":[{valid}],'
        f'"move":"{uci_text(move)}","game_id":{game},"ply":{ply},"ts":{ts}}}\n'
        for fen, (game, ply), best, top, policy, value, valid, move in rows
    ]


def _policies(
    labels: Labels,
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """Actions, probabilities and offsets; promotions that share an action are added."""
    codes = labels.moves.astype(np.int64)  # from | to << 6 | promotion << 12
    actions = codes % 64 * 64 + codes // 64 % 64
    probs = labels.probs.copy()
    columns = np.arange(actions.shape[1])
    there = columns < labels.counts[:, None]
    first = np.argmax(actions[:, None, :] == actions[:, :, None], axis=2)  # [B, K]
    for row, column in zip(*np.nonzero(there & (first < columns)), strict=True):
        probs[row, first[row, column]] += probs[row, column]
        there[row, column] = False
    offsets = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
    return actions[there], probs[there], offsets
