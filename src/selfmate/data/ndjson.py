"""Teacher labels of positions, and their NDJSON: one JSON object per line.

The keys are those that other programs use as well. Actions are indices of from_to4096 from White's
view. B is the number of positions, K the most moves that any of them has.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from selfmate.encodings import ACTION_ENCODINGS, legal_actions
from selfmate.rules import Board, uci_text
from selfmate.searches.teacher import MoveScores, values_side_to_move

ACTION_ENCODING = "from_to4096"
MAX_MOVES = 256  # no position has more
NO_MOVE = np.iinfo(np.int32).max
PROB_DIGITS = 7  # after the decimal point


@dataclass(frozen=True)
class Labels:
    """The teacher's labels: one row per position, its best moves first."""

    moves: NDArray[np.uint16]  # [B, K]; valid are the first counts[i] of row i
    counts: NDArray[np.int64]  # [B] number of moves
    centipawns: NDArray[np.int32]  # [B] score of the best move, side to move
    probs: NDArray[np.float64]  # [B, K]; 0 past the count
    values_side_to_move: NDArray[np.float32]  # [B]

    def sample(self, seeds: NDArray[np.uint64]) -> NDArray[np.uint16]:
        """A move [B] for each position, sampled from its probabilities by the seeds [B]."""
        below_one = (seeds >> np.uint64(11)).astype(np.float64) * 2.0**-53
        column = (np.cumsum(self.probs, axis=1) <= below_one[:, None]).sum(axis=1)
        column = np.minimum(column, self.counts - 1)
        return np.take_along_axis(self.moves, column[:, None], axis=1)[:, 0]


def label(scores: MoveScores, top_k: int, taus: NDArray[np.float64]) -> Labels:
    """Labels with probabilities softmax(score in pawns / tau) over the `top_k` best moves.

    `taus` [B] holds the temperature of each position, in pawns.
    """
    starts, lengths = scores.offsets[:-1], np.diff(scores.offsets)
    keys = _sorted_keys(scores, lengths)[:, :top_k]
    counts = np.minimum(lengths, top_k)
    is_move = np.arange(keys.shape[1]) < counts[:, None]
    columns = np.where(is_move, keys % MAX_MOVES, 0)
    centipawns = -(keys // MAX_MOVES)
    best = centipawns[:, 0]
    behind = np.where(is_move, best[:, None] - centipawns, 0)
    weights = np.where(is_move, np.exp(-behind / (100 * taus[:, None])), 0.0)
    return Labels(
        moves=scores.moves[starts[:, None] + columns],
        counts=counts,
        centipawns=best,
        probs=weights / weights.sum(axis=1, keepdims=True),
        values_side_to_move=values_side_to_move(scores),
    )


def _sorted_keys(scores: MoveScores, lengths: NDArray[np.int64]) -> NDArray[np.int32]:
    """[B, M] One key per move, sorted: best score first, then the order of the legal moves.

    key = -centipawns * MAX_MOVES + index among the legal moves; NO_MOVE pads the rows.
    """
    rows = np.repeat(np.arange(len(lengths)), lengths)
    places = np.arange(len(rows)) - scores.offsets[rows]
    keys = np.full((len(lengths), int(lengths.max())), NO_MOVE, np.int32)
    keys[rows, places] = -scores.centipawns * MAX_MOVES + places
    keys.sort(axis=1)
    return keys


# Numbers become text for many lists at once: a Python loop over all numbers would take longer than
# the teacher.


def _letters(texts: list[str]) -> NDArray[np.uint8]:
    return np.array(texts, np.bytes_).view(np.uint8).reshape(len(texts), -1)


_ACTIONS = range(ACTION_ENCODINGS[ACTION_ENCODING].size)
_ITEMS = _letters([f"{action}," for action in _ACTIONS])
_KEYS = _letters([f'"{action}":' for action in _ACTIONS])
_LENGTHS = np.array([len(str(action)) for action in _ACTIONS])
_POWERS = 10 ** np.arange(PROB_DIGITS, -1, -1)


def list_texts(actions: NDArray[np.int32 | np.int64], offsets: NDArray[np.int64]) -> list[str]:
    """Each list of actions as text, `1,2,3`. No list may be empty."""
    return _split(_ITEMS[actions], _LENGTHS[actions] + len(","), offsets)


def policy_texts(
    actions: NDArray[np.int64], probs: NDArray[np.float64], offsets: NDArray[np.int64]
) -> list[str]:
    """Each policy as text, `"1":0.6000000,"2":0.4000000`. No policy may be empty."""
    digits = np.rint(probs * _POWERS[0]).astype(np.int64)[:, None] // _POWERS % 10 + ord("0")
    number = np.full((len(probs), len("0.,") + PROB_DIGITS), ord("."), np.uint8)
    number[:, 0], number[:, 2:-1], number[:, -1] = digits[:, 0], digits[:, 1:], ord(",")
    letters = np.concatenate([_KEYS[actions], number], axis=1)
    return _split(letters, _LENGTHS[actions] + len('"":') + number.shape[1], offsets)


def _split(
    letters: NDArray[np.uint8], lengths: NDArray[np.int64], offsets: NDArray[np.int64]
) -> list[str]:
    """Joins rows of letters, padded with zeros, and splits them into lists at the offsets.

    `lengths` holds the letters of each row. The last comma of each list is removed.
    """
    text = letters.tobytes().translate(None, b"\0").decode("ascii")
    ends = np.concatenate([[0], np.cumsum(lengths)])[offsets].tolist()
    return [text[start : end - 1] for start, end in pairwise(ends)]


# Lines


def line_texts(
    boards: Sequence[Board],
    fens: Sequence[str],
    places: Sequence[tuple[int, int]],
    labels: Labels,
    moves: NDArray[np.uint16],
) -> list[str]:
    """An NDJSON line for each board; `places` holds its game number and ply."""
    actions, probs, offsets = _policies(labels)
    ts = time.time_ns() // 1_000_000
    rows = zip(
        fens,
        places,
        actions[offsets[:-1]].tolist(),
        list_texts(actions, offsets),
        policy_texts(actions, probs, offsets),
        labels.values_side_to_move.tolist(),
        list_texts(*legal_actions(ACTION_ENCODING, boards)),
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
    """Actions, probabilities and offsets; promotions that share an action are summed."""
    codes = labels.moves.astype(np.int64)  # from | to << 6 | promotion << 12
    actions = codes % 64 * 64 + codes // 64 % 64
    probs = labels.probs.copy()
    columns = np.arange(actions.shape[1])
    is_listed = columns < labels.counts[:, None]
    first = np.argmax(actions[:, None, :] == actions[:, :, None], axis=2)  # [B, K]
    for row, column in zip(*np.nonzero(is_listed & (first < columns)), strict=True):
        probs[row, first[row, column]] += probs[row, column]
        is_listed[row, column] = False
    offsets = np.concatenate([[0], np.cumsum(is_listed.sum(axis=1))])
    return actions[is_listed], probs[is_listed], offsets
