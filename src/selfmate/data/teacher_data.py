"""Teacher data: positions with a teacher's labels, read from NDJSON and served in batches.

The NDJSON may come from `selfmate collect` or from another program. Positions and actions are kept
in flat arrays, seen from the side to move.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic_core import from_json

from selfmate.data.ndjson import ACTION_ENCODING
from selfmate.encodings import ACTION_ENCODINGS, is_black_to_move, legal_actions
from selfmate.encodings.features import Packed, encode_packed, flipped_actions
from selfmate.rules import Board, Ragged, places_of_rows
from selfmate.rules.pgn import read_texts

ACTIONS = ACTION_ENCODINGS[ACTION_ENCODING].size
READ_BYTES = 1 << 18
MAX_LINE_BYTES = 1 << 20
SUM_ERROR = 1e-3  # files hold probabilities with a few digits only

Entry = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Positions:
    """N labelled positions with P policy entries and L legal actions in all.

    Position i owns policy entries policy_offsets[i] to policy_offsets[i + 1], and legal actions
    likewise. A place is the index of an action among the legal ones of its position.
    """

    packed: NDArray[np.uint8]  # [N, 107] packed features
    games: NDArray[np.int64]  # [N] numbered 0, 1 ... in file order; files share no game
    best_places: NDArray[np.uint8]  # [N]
    values_side_to_move: NDArray[np.float32]  # [N]
    policy_places: NDArray[np.uint8]  # [P]
    policy_probs: NDArray[np.float32]  # [P]
    policy_offsets: NDArray[np.int64]  # [N + 1]
    legal: NDArray[np.int16]  # [L] each once, in the order of the legal moves
    legal_offsets: NDArray[np.int64]  # [N + 1]

    def __len__(self) -> int:
        return len(self.packed)


def read_positions(*paths: Path) -> Positions:
    """All positions of NDJSON files, plain or compressed with zstd or gzip.

    Raises ValueError with file and line if something is wrong.
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
    """Numbers games across files, whatever a file calls them."""

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
    """Lists of lines of a file."""
    rest = b""
    if path.is_dir():
        raise ValueError(f"{path} is a directory, not an NDJSON file")
    if not path.exists():
        raise ValueError(f"there is no file {path}")
    with path.open("rb") as file:
        for text in read_texts(file, str(path), READ_BYTES):
            *lines, rest = (rest + text).split(b"\n")
            if len(rest) > MAX_LINE_BYTES:
                raise ValueError(f"{path} has a line of more than {MAX_LINE_BYTES:,} bytes")
            yield lines
    yield [rest]


def _read_lines(path: Path, first: int, lines: list[bytes], games: _Games) -> Positions:
    """Parses all lines at once; if that fails, one by one to find the line at fault."""
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
    legal, legal_offsets = legal_actions(ACTION_ENCODING, boards)
    places = _places(legal, legal_offsets)
    _check_valid(entries, places)
    policy_places, policy_probs, policy_offsets = _policies(entries, places)
    best_places = _best_places(entries, places)
    black = is_black_to_move(boards)[_rows(legal_offsets)]
    return Positions(
        packed=encode_packed(boards),
        games=np.array([games.number(name) for name in _column(entries, "game_id")], np.int64),
        best_places=best_places,
        values_side_to_move=_values(entries),
        policy_places=policy_places,
        policy_probs=policy_probs,
        policy_offsets=policy_offsets,
        legal=flipped_actions(legal.astype(np.int16), black),
        legal_offsets=legal_offsets,
    )


def _places(legal: NDArray[np.int32], offsets: NDArray[np.int64]) -> NDArray[np.int16]:
    """[N, 4096] The place of each action among the legal ones, -1 if it is not legal."""
    places = np.full((len(offsets) - 1, ACTIONS), -1, np.int16)
    rows = _rows(offsets)
    places[rows, legal] = np.arange(len(legal)) - offsets[rows]
    return places


def _check_valid(entries: Sequence[Entry], places: NDArray[np.int16]) -> None:
    """The valid actions of a file must be the legal ones.

    Otherwise the file uses another action encoding, for example one seen from the side to move,
    and its labels would be wrong.
    """
    lists = _column(entries, "valid_actions", list)
    claimed = _actions(chain.from_iterable(lists), "valid_actions")
    valid = np.zeros_like(places, np.bool_)
    valid[_rows(_offsets(lists)), claimed] = True
    if not np.array_equal(valid, places >= 0):
        raise ValueError("valid_actions are not the legal moves of the position")


def _policies(
    entries: Sequence[Entry], places: NDArray[np.int16]
) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.int64]]:
    """Places [P] and probabilities [P] of the teacher's policies, and offsets [N + 1]."""
    policies = _column(entries, "teacher_policy", dict)
    actions = _actions(chain.from_iterable(policies), "teacher_policy")
    offsets = _offsets(policies)
    probs = _numbers(chain.from_iterable(map(dict.values, policies)), "teacher_policy")
    _check_probs(probs, offsets)
    found = places[_rows(offsets), actions]
    _check_legal(found, "teacher_policy must be of valid_actions")
    return found.astype(np.uint8), probs.astype(np.float32), offsets


def _best_places(entries: Sequence[Entry], places: NDArray[np.int16]) -> NDArray[np.uint8]:
    actions = _actions(_column(entries, "best_action"), "best_action")
    found = places[np.arange(len(entries)), actions]
    _check_legal(found, "best_action must be among valid_actions")
    return found.astype(np.uint8)


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
        raise ValueError(f"{key} must hold finite numbers")
    return numbers


def _actions(values: Iterable[Any], key: str) -> NDArray[np.int16]:
    """Actions from JSON values. Other programs may write 12 as 12.0, and keys are strings."""
    numbers = _numbers(values, key)
    actions = np.clip(numbers, 0, ACTIONS - 1).astype(np.int16)
    if not np.array_equal(actions, numbers):
        raise ValueError(f"{key} must hold actions, whole numbers from 0 to {ACTIONS - 1}")
    return actions


def _offsets(rows: Sequence[Sequence[Any] | dict[Any, Any]]) -> NDArray[np.int64]:
    return np.cumsum([0, *map(len, rows)], dtype=np.int64)


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


Rows = NDArray[np.int64]


@dataclass(frozen=True)
class LabelledBatch:
    """Some positions, and what the teacher says of them."""

    packed: Packed  # [B, 107]
    legal: Ragged
    probs: NDArray[np.float32]  # [N] the teacher's, sharpened, of every legal action
    best: Rows  # [B] where the best actions stand among all legal ones
    values: NDArray[np.float32]  # [B]


class TeacherDataset:
    """Labelled positions, split by game into training and validation."""

    def __init__(
        self, positions: Positions, *, validation: float, sharpness: float, seed: int
    ) -> None:
        """`validation` is a fraction of the games.

        The teacher's probabilities are raised to the power of `sharpness` and normalised.
        """
        self._positions, self._sharpness = positions, sharpness
        rng = np.random.default_rng(seed)
        count = int(positions.games.max(initial=-1)) + 1
        held = np.zeros(count, np.bool_)
        held[rng.permutation(count)[: math.ceil(validation * count)]] = True
        self.training = np.flatnonzero(~held[positions.games])
        self.validation = np.flatnonzero(held[positions.games])
        if not len(self.training):
            raise ValueError("data holds too few games: training and validation need some each")

    def lesson(self, rows: Rows) -> LabelledBatch:
        positions = self._positions
        places, offsets = places_of_rows(positions.legal_offsets, rows)
        legal = Ragged(positions.legal[places].astype(np.int32), offsets)
        return LabelledBatch(
            packed=positions.packed[rows],
            legal=legal,
            probs=self._probs(rows, legal, self._sharpness),
            best=offsets[:-1] + positions.best_places[rows],
            values=positions.values_side_to_move[rows],
        )

    def collected_probs(self, rows: Rows, legal: Ragged) -> NDArray[np.float32]:
        """[N] The teacher's probabilities as they were collected, for the legal actions of rows."""
        return self._probs(rows, legal, 1.0)

    def _probs(self, rows: Rows, legal: Ragged, sharpness: float) -> NDArray[np.float32]:
        positions = self._positions
        entries, offsets = places_of_rows(positions.policy_offsets, rows)
        probs = positions.policy_probs[entries]
        # Relative to the largest: high powers of small numbers would all be 0.
        probs = probs / np.repeat(np.maximum.reduceat(probs, offsets[:-1]), np.diff(offsets))
        powers = probs ** np.float32(sharpness)
        powers /= np.repeat(np.add.reduceat(powers, offsets[:-1]), np.diff(offsets))
        targets = np.zeros(len(legal.values), np.float32)
        begins = np.repeat(legal.offsets[:-1], np.diff(offsets))
        np.add.at(targets, begins + positions.policy_places[entries], powers)
        return targets

    @cached_property
    def digest(self) -> str:
        """A digest of all positions and labels."""
        parts = [getattr(self._positions, field.name) for field in fields(self._positions)]
        return sha256(b"".join(sha256(part.tobytes()).digest() for part in parts)).hexdigest()[:16]
