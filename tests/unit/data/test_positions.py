"""NDJSON read into arrays: ours, other programs', and broken ones."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from selfmate.data.teacher_data import read_positions
from selfmate.encodings.features import encode_packed
from selfmate.rules import Board
from unit.data.collected import collect, without_ts

FOREIGN = {
    "ts": "2025-01-01T00:00:00Z",
    "valid_actions": [8.0, 1, 9],
    "teacher_policy": {"1": 1},
    "engine": "another",
    "value": -1,
    "best_action": 1.0,
    "fen": "k7/8/8/8/8/8/8/K7 w - - 12 90",
    "game_id": "a-b-c",
}


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ours") / "ours.ndjson"
    collect(path)
    return path


def foreign(**changes: Any) -> str:
    """A line of another program: two kings, of which White's has three moves."""
    return json.dumps(FOREIGN | changes)


def read_text(text: str, folder: Path) -> Any:
    path = folder / "some.ndjson"
    path.write_text(text)
    return read_positions(path)


@pytest.mark.parametrize("compressed", [False, True])
def test_arrays_hold_what_the_lines_say(compressed: bool, ours: Path, tmp_path: Path) -> None:
    text, path = ours.read_text(), ours
    if compressed:
        path = tmp_path / "ours.ndjson.gz"
        path.write_bytes(gzip.compress(text.encode()))
    positions, entries = read_positions(path), without_ts(text)
    assert len(positions) == len(entries)
    boards = [Board(entry["fen"]) for entry in entries]
    assert np.array_equal(positions.packed, encode_packed(boards))
    values = np.array([entry["value"] for entry in entries], np.float32)
    assert np.array_equal(positions.values_side_to_move, values)
    for i, entry in enumerate(entries):
        rows = slice(*positions.legal_offsets[i : i + 2])
        # Black's squares are seen from the other side: a1 is a8, and a8 is a1.
        turn = 0 if entry["side"] == "w" else 56 * 64 + 56
        legal = positions.legal[rows] ^ turn
        assert legal.tolist() == entry["valid_actions"]
        assert legal[positions.best_places[i]] == entry["best_action"]
        rows = slice(*positions.policy_offsets[i : i + 2])
        assert legal[positions.policy_places[rows]].tolist() == entry["top_k"]
        probs = list(entry["teacher_policy"].values())
        assert positions.policy_probs[rows] == pytest.approx(probs, abs=1e-6)


def test_games_are_told_apart_also_between_files(ours: Path) -> None:
    games = [entry["game_id"] for entry in without_ts(ours.read_text())]
    numbered = {game: number for number, game in enumerate(dict.fromkeys(games))}
    once, twice = read_positions(ours), read_positions(ours, ours)
    assert once.games.tolist() == [numbered[game] for game in games]
    second = once.games + len(numbered)
    assert twice.games.tolist() == [*once.games.tolist(), *second.tolist()]
    assert np.array_equal(twice.packed, np.concatenate([once.packed, once.packed]))
    assert twice.policy_offsets[-1] == 2 * once.policy_offsets[-1] == len(twice.policy_probs)


def test_files_of_other_programs_are_read(tmp_path: Path) -> None:
    """Other order, other spaces, whole numbers as 8.0, floats as 1, other keys, blank lines, no
    newline at the end."""
    spaced = (
        foreign(game_id=7, valid_actions=[1, 8, 9, 9]).replace(":", " :  ").replace(" :  //", "://")
    )
    positions = read_text(f"\n{foreign()}\r\n\n  {spaced}", tmp_path)
    assert positions.games.tolist() == [0, 1]
    assert positions.values_side_to_move.tolist() == [-1, -1]
    assert sorted(positions.legal[:3].tolist()) == [1, 8, 9]
    assert positions.legal_offsets.tolist() == [0, 3, 6]
    assert positions.legal[positions.legal_offsets[:2] + positions.best_places].tolist() == [1, 1]


def test_a_file_without_lines_has_no_positions(tmp_path: Path) -> None:
    assert len(read_text("", tmp_path)) == len(read_text("\n \n", tmp_path)) == 0


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (foreign()[:-20], "EOF"),
        ("[1, 2]", "it is not a JSON object"),
        ("[" * 5000, ""),
        (foreign().replace('"fen"', '"fan"'), "the key 'fen' is missing"),
        (foreign(fen="k7/8/8 w - - 0 1"), "k7/8/8"),
        (foreign(fen=5), "fen must be a text"),
        (foreign(best_action=4096), "best_action must hold actions, whole numbers from 0 to 4095"),
        (foreign(best_action=-1), "best_action must hold actions"),
        (foreign(best_action=1.5), "best_action must hold actions"),
        (foreign(best_action=2), "best_action must be among valid_actions"),
        (foreign(best_action=None), "best_action"),
        (foreign(valid_actions=[1, 8]), "valid_actions are not the legal moves"),
        (foreign(valid_actions=[1, 8, 9, 10]), "valid_actions are not the legal moves"),
        (foreign(valid_actions="189"), "valid_actions must be a list"),
        (foreign(valid_actions=[[1], 8, 9]), "valid_actions must hold numbers"),
        (foreign(teacher_policy={}), "teacher_policy must hold probabilities that sum to 1"),
        (foreign(teacher_policy={"1": 0.5, "8": 0.4}), "teacher_policy must hold probabilities"),
        (foreign(teacher_policy={"1": 1.5, "8": -0.5}), "teacher_policy must hold probabilities"),
        (foreign(teacher_policy={"1": float("nan")}), "teacher_policy must hold finite"),
        (foreign(teacher_policy={"7": 1}), "teacher_policy must be of valid_actions"),
        (foreign(teacher_policy={"b1": 1}), "teacher_policy must hold numbers"),
        (foreign(teacher_policy=[1]), "teacher_policy must be a JSON object"),
        (foreign(value=1.01), "value must be a number from -1 to 1"),
        (foreign(value=float("inf")), "value must hold finite numbers"),
        (foreign(value=10**400), "value"),
        (foreign(value=[0]), "value must hold numbers"),
    ],
)
def test_a_broken_line_is_named_by_its_number(line: str, reason: str, tmp_path: Path) -> None:
    text = f"{foreign()}\n\n{foreign()}\n{line}\n{foreign()}\n"
    with pytest.raises(ValueError, match=r"some\.ndjson, line 4: ") as caught:
        read_text(text, tmp_path)
    assert reason in str(caught.value)


def test_cut_and_endless_files_are_refused(ours: Path, tmp_path: Path) -> None:
    path = tmp_path / "cut.ndjson.gz"
    path.write_bytes(gzip.compress(ours.read_bytes())[:-100])
    with pytest.raises(ValueError, match="is damaged"):
        read_positions(path)
    path.write_bytes(gzip.compress(b" " * 3_000_000))
    with pytest.raises(ValueError, match="has a line of more than 1,048,576 bytes"):
        read_positions(path)
    with pytest.raises(ValueError, match="is a directory"):
        read_positions(tmp_path)
