"""Labelled positions as nets see them, in flat arrays, from NDJSON of ours or another program's."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic_core import from_json

from selfmate.data.ndjson import CODING
from selfmate.encodings import CODINGS, legal_actions
from selfmate.encodings.packed import encode_packed, turned_actions
from selfmate.rules import Board
from selfmate.rules.texts import read_texts

ACTIONS = CODINGS[CODING].size
READ_BYTES = 1 << 18
MOST_LINE_BYTES = 1 << 20
SUM_ERROR = 1e-3  # probabilities are printed with a few digits

Entry = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Positions:
    """Position i has the policy rows policy_offsets[i] to policy_offsets[i + 1], and so on.

    Actions are seen from the side to move, as nets see them. A place is where an action stands
    among the legal ones of its position.
    """

    packed: NDArray[np.uint8]  # [N, 107] turned so that the mover is White
    games: NDArray[np.int64]  # [N] 0, 1 ... in the order of their coming; no two files share one
    best_places: NDArray[np.uint8]  # [N]
    values_side_to_move: NDArray[np.float32]  # [N]
    policy_places: NDArray[np.uint8]  # [P]
    policy_probs: NDArray[np.float32]  # [P]
    policy_offsets: NDArray[np.int64]  # [N + 1]
    legal: NDArray[np.int16]  # [L] each once, in the order of the legal list
    legal_offsets: NDArray[np.int64]  # [N + 1]

    def __len__(self) -> int:
        return len(self.packed)


def read_positions(*paths: Path) -> Positions:
    """All positions of some files, plain or compressed with zstd or gzip.

    ValueError names the file and line where something is wrong.
    """
    games = _Games()
    parts = [_positions([], games)]
    for path in paths:
        games.begin_file()
        number = 1
        for lines in _lines_of(path):
            parts.append(_read_lines(path, number, lines, games))
            number += len(lines)
    return _joined(parts)


class _Games:
    """Numbers games, whatever a file calls them."""

    def __init__(self) -> None:
        self._count = 0
        self._numbers: dict[str, int] = {}

    def begin_file(self) -> None:
        self._numbers = {}

    def number(self, name: object) -> int:
        number = self._numbers.setdefault(str(name), self._count)
        self._count += number == self._count
        return number


def _lines_of(path: Path) -> Iterator[list[bytes]]:
    """Lines of the file, some at a time."""
    rest = b""
    if path.is_dir():
        raise ValueError(f"{path} is a directory, not an NDJSON file")
    if not path.exists():
        raise ValueError(f"there is no file {path}")
    with path.open("rb") as file:
        for text in read_texts(file, str(path), READ_BYTES):
            *lines, rest = (rest + text).split(b"\n")
            if len(rest) > MOST_LINE_BYTES:
                raise ValueError(f"{path} has a line of more than {MOST_LINE_BYTES:,} bytes")
            yield lines
    yield [rest]


def _read_lines(path: Path, first: int, lines: list[bytes], games: _Games) -> Positions:
    """All lines together; only when something is wrong one after the other, to name it."""
    try:
        return _positions([_entry(line) for line in lines if not line.isspace() and line], games)
    except ValueError:
        for number, line in enumerate(lines, first):
            try:
                _positions([_entry(line)] if line.strip() else [], games)
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: {error}") from error
        raise


def _entry(line: bytes) -> Entry:
    entry = from_json(line)
    if not isinstance(entry, dict):
        raise ValueError("it is not a JSON object")
    return entry


def _positions(entries: Sequence[Entry], games: _Games) -> Positions:
    boards = [Board(fen) for fen in _column(entries, "fen", str)]
    legal, legal_offsets = legal_actions(CODING, boards)
    places = _places(legal, legal_offsets)
    valid = _column(entries, "valid_actions", list)
    _check_valid(_actions(chain.from_iterable(valid), "valid_actions"), _offsets(valid), places)
    policies = _column(entries, "teacher_policy", dict)
    policy_actions = _actions(chain.from_iterable(policies), "teacher_policy")
    policy_offsets = _offsets(policies)
    probs = _numbers(chain.from_iterable(map(dict.values, policies)), "teacher_policy")
    _check_probs(probs, policy_offsets)
    best_actions = _actions(_column(entries, "best_action"), "best_action")
    best_places = places[np.arange(len(entries)), best_actions]
    policy_places = places[_rows(policy_offsets), policy_actions]
    _check_legal(best_places, "best_action must be among valid_actions")
    _check_legal(policy_places, "teacher_policy must be of valid_actions")
    black = np.array([board.turn == "black" for board in boards], np.bool_)
    return Positions(
        packed=encode_packed(boards),
        games=np.array([games.number(name) for name in _column(entries, "game_id")], np.int64),
        best_places=best_places.astype(np.uint8),
        values_side_to_move=_values(entries),
        policy_places=policy_places.astype(np.uint8),
        policy_probs=probs.astype(np.float32),
        policy_offsets=policy_offsets,
        legal=turned_actions(legal.astype(np.int16), black[_rows(legal_offsets)]),
        legal_offsets=legal_offsets,
    )


def _places(legal: NDArray[np.int32], offsets: NDArray[np.int64]) -> NDArray[np.int16]:
    """[N, 4096] Where each action stands among the legal ones, -1 for those that are not."""
    places = np.full((len(offsets) - 1, ACTIONS), -1, np.int16)
    rows = _rows(offsets)
    places[rows, legal] = np.arange(len(legal)) - offsets[rows]
    return places


def _values(entries: Sequence[Entry]) -> NDArray[np.float32]:
    values = _numbers(_column(entries, "value"), "value")
    if not np.all(np.abs(values) <= 1):
        raise ValueError("value must be a number from -1 to 1")
    return values.astype(np.float32)


def _column(entries: Sequence[Entry], key: str, kind: type = object) -> list[Any]:
    try:
        values = [entry[key] for entry in entries]
    except KeyError as error:
        raise ValueError(f"the key {key!r} is missing") from error
    if not all(isinstance(value, kind) for value in values):
        raise ValueError(f"{key} must be a {_JSON_NAMES[kind]}")
    return values


_JSON_NAMES: dict[type, str] = {str: "text", list: "list", dict: "JSON object"}


def _numbers(values: Iterable[Any], key: str) -> NDArray[np.float64]:
    try:
        numbers = np.fromiter(values, np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{key} must hold numbers: {error}") from error
    if not np.all(np.isfinite(numbers)):
        raise ValueError(f"{key} holds what is no finite number")
    return numbers


def _actions(values: Iterable[Any], key: str) -> NDArray[np.int16]:
    """Other programs may print 12 as 12.0, and a key of an object is a text."""
    numbers = _numbers(values, key)
    actions = np.clip(numbers, 0, ACTIONS - 1).astype(np.int16)
    if not np.array_equal(actions, numbers):
        raise ValueError(f"{key} must hold actions, whole numbers from 0 to {ACTIONS - 1}")
    return actions


def _offsets(rows: Sequence[Sequence[Any] | dict[Any, Any]]) -> NDArray[np.int64]:
    return np.cumsum([0, *map(len, rows)], dtype=np.int64)


def _check_valid(
    claimed: NDArray[np.int16], offsets: NDArray[np.int64], places: NDArray[np.int16]
) -> None:
    """The valid actions of a file must be the legal ones.

    Else it is of another coding (seen from the side to move, say) and would teach nonsense.
    """
    valid = np.zeros_like(places, np.bool_)
    valid[_rows(offsets), claimed] = True
    if not np.array_equal(valid, places >= 0):
        raise ValueError("valid_actions are not the legal moves of the position")


def _check_legal(places: NDArray[np.int16], reason: str) -> None:
    if np.any(places < 0):
        raise ValueError(reason)


def _rows(offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def _check_probs(probs: NDArray[np.float64], offsets: NDArray[np.int64]) -> None:
    sums = np.diff(np.concatenate([[0.0], np.cumsum(probs)])[offsets])
    if np.any(probs < 0) or np.any(np.abs(sums - 1) > SUM_ERROR):
        raise ValueError("teacher_policy must hold probabilities that sum to 1")


def _joined(parts: Sequence[Positions]) -> Positions:
    columns: dict[str, NDArray[Any]] = {}
    for column in fields(Positions):
        arrays = [getattr(part, column.name) for part in parts]
        if column.name.endswith("_offsets"):
            lengths = np.concatenate([np.diff(array) for array in arrays])
            columns[column.name] = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        else:
            columns[column.name] = np.concatenate(arrays)
    return Positions(**columns)
