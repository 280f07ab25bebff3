"""The teacher's positions as text: one JSON object a line, with keys that other programs use, too.

Actions are numbers of `from_to4096`, absolute.
"""

import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from selfmate.data.labels import Labels
from selfmate.encodings import CODINGS, legal_actions
from selfmate.rules import Board, uci_text

CODING = "from_to4096"
_TEXTS = [str(action) for action in range(CODINGS[CODING].size)]


def line_texts(
    boards: Sequence[Board],
    fens: Sequence[str],
    places: Sequence[tuple[int, int]],
    labels: Labels,
    moves: NDArray[np.uint16],
) -> list[str]:
    """A line for each board, with its game's number and ply in `places` and the move played.

    They are put together by hand: that takes half the time of `json.dumps`.
    """
    valid = _valid_texts(boards)
    actions = _actions_of(labels.moves).tolist()
    ts = time.time_ns() // 1_000_000
    rows = zip(
        fens,
        places,
        actions,
        labels.probs.tolist(),
        labels.counts.tolist(),
        labels.values_side_to_move.tolist(),
        valid,
        moves.tolist(),
        strict=True,
    )
    lines = []
    for fen, (game, ply), top, probs, count, value, valid_text, move in rows:
        policy = _policy(top[:count], probs)
        shares = ",".join([f'"{action}":{prob:.7g}' for action, prob in policy.items()])
        lines.append(
            f'{{"fen":"{fen}","side":"{fen.split(" ", 2)[1]}","best_action":{top[0]},'
            f'"top_k":[{",".join([_TEXTS[action] for action in policy])}],'
            f'"teacher_policy":{{{shares}}},"value":{value:.7g},"valid_actions":[{valid_text}],'
            f'"move":"{uci_text(move)}","game_id":{game},"ply":{ply},"ts":{ts}}}\n'
        )
    return lines


def _actions_of(moves: NDArray[np.uint16]) -> NDArray[np.int64]:
    codes = moves.astype(np.int64)  # from | to << 6 | promotion << 12
    return codes % 64 * 64 + codes // 64 % 64


def _valid_texts(boards: Sequence[Board]) -> list[str]:
    actions, offsets = legal_actions(CODING, boards)
    texts = [_TEXTS[action] for action in actions.tolist()]
    bounds = offsets.tolist()
    return [",".join(texts[bounds[i] : bounds[i + 1]]) for i in range(len(boards))]


def _policy(actions: list[int], probs: list[float]) -> dict[int, float]:
    """The probability of each action, best move first; promotions that share one are added."""
    policy: dict[int, float] = {}
    for action, prob in zip(actions, probs, strict=False):
        policy[action] = policy.get(action, 0.0) + prob
    return policy
