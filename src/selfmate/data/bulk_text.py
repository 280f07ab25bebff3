"""Numbers as text, many lists in one go; a loop over every number would slow the teacher down.

Each number is a row of letters, filled up with zero bytes that are left out in the end.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from selfmate.encodings import CODINGS

PROB_DIGITS = 7  # behind the point


def _letters(texts: list[str]) -> NDArray[np.uint8]:
    return np.array(texts, np.bytes_).view(np.uint8).reshape(len(texts), -1)


_ACTIONS = range(CODINGS["from_to4096"].size)
_ITEMS = _letters([f"{action}," for action in _ACTIONS])
_KEYS = _letters([f'"{action}":' for action in _ACTIONS])
_LENGTHS = np.array([len(str(action)) for action in _ACTIONS])
_POWERS = 10 ** np.arange(PROB_DIGITS, -1, -1)


def list_texts(actions: NDArray[np.int32 | np.int64], offsets: NDArray[np.int64]) -> list[str]:
    """Each list of actions as `1,2,3`; none is empty."""
    return _cut(_ITEMS[actions], _LENGTHS[actions] + len(","), offsets)


def policy_texts(
    actions: NDArray[np.int64], probs: NDArray[np.float64], offsets: NDArray[np.int64]
) -> list[str]:
    """Each policy as `"1":0.6000000,"2":0.4000000`; none is empty."""
    digits = np.rint(probs * _POWERS[0]).astype(np.int64)[:, None] // _POWERS % 10 + ord("0")
    number = np.full((len(probs), len("0.,") + PROB_DIGITS), ord("."), np.uint8)
    number[:, 0], number[:, 2:-1], number[:, -1] = digits[:, 0], digits[:, 1:], ord(",")
    letters = np.concatenate([_KEYS[actions], number], axis=1)
    return _cut(letters, _LENGTHS[actions] + len('"":') + number.shape[1], offsets)


def _cut(
    letters: NDArray[np.uint8], lengths: NDArray[np.int64], offsets: NDArray[np.int64]
) -> list[str]:
    """Puts rows together and cuts them into lists, without the comma behind each."""
    text = letters.tobytes().translate(None, b"\0").decode("ascii")
    ends = np.concatenate([[0], np.cumsum(lengths)])[offsets].tolist()
    return [text[start : end - 1] for start, end in pairwise(ends)]
