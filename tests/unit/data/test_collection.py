"""Collected files against python-chess and the teacher asked anew; going on with cut files."""

import gzip
import json
import random
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pytest
import zstandard

from selfmate.data.collection import CollectionFilter
from selfmate.data.ndjson import label
from selfmate.data.teacher_games import NO_PROGRESS_PLIES, Plan
from selfmate.rules import Board
from selfmate.searches.teacher import score_moves, values_side_to_move
from unit.data.collected import MIXED, SOME, collect, without_ts

KEYS = ["fen", "side", "best_action", "top_k", "teacher_policy", "value", "valid_actions", "move"]
KEYS += ["game_id", "ply", "ts"]
ENDINGS = (".ndjson", ".ndjson.gz", ".ndjson.zst")


def text_of(path: Path) -> str:
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    elif path.suffix == ".zst":
        reader = zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True)
        data = reader.read()
    return data.decode()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same games in every kind of file, in chunks of a game or two."""
    folder = tmp_path_factory.mktemp("whole")
    paths = {ending: folder / f"whole{ending}" for ending in ENDINGS}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("selfmate.data.collection.CHUNK_CHARACTERS", 1 << 14)
        for path in paths.values():
            collect(path)
    return paths


@pytest.fixture(scope="module")
def entries(whole: dict[str, Path]) -> list[dict[str, Any]]:
    return without_ts(text_of(whole[".ndjson"]))


def action_of(move: chess.Move) -> int:
    return 64 * move.from_square + move.to_square


def test_lines_have_exactly_the_keys(whole: dict[str, Path]) -> None:
    lines = text_of(whole[".ndjson"]).splitlines()
    assert len(lines) > 300
    assert all(list(json.loads(line)) == KEYS for line in lines)


def test_every_line_is_true(entries: list[dict[str, Any]]) -> None:
    for entry in entries:
        board = chess.Board(entry["fen"])
        assert entry["side"] == ("w" if board.turn else "b")
        assert chess.Move.from_uci(entry["move"]) in board.legal_moves
        legal = [action_of(move) for move in board.legal_moves]
        assert len(set(entry["valid_actions"])) == len(entry["valid_actions"])
        assert set(entry["valid_actions"]) == set(legal)
        policy = entry["teacher_policy"]
        assert list(map(int, policy)) == entry["top_k"]
        assert entry["best_action"] == entry["top_k"][0]
        assert set(entry["top_k"]) <= set(legal)
        assert sum(policy.values()) == pytest.approx(1, abs=1e-6)
        assert action_of(chess.Move.from_uci(entry["move"])) in entry["top_k"]


def test_labels_are_the_teachers(entries: list[dict[str, Any]]) -> None:
    """Asked one position at a time. Repetitions, which a FEN does not know, are left aside."""
    seen: Counter[str] = Counter()
    asked = 0
    for entry in entries:
        seen[entry["fen"].rsplit(" ", 2)[0]] += 1
        if entry["ply"] > 6 or max(seen.values()) > 2:
            continue
        asked += 1
        scores = score_moves([Board(entry["fen"])], depth=1)
        labels = label(scores, MIXED.top_k, np.array([MIXED.tau]))
        policy: Counter[int] = Counter()
        for move, prob in zip(labels.moves[0], labels.probs[0], strict=True):
            if prob:
                policy[int(move) % 64 * 64 + int(move) // 64 % 64] += prob
        assert {int(k): v for k, v in entry["teacher_policy"].items()} == pytest.approx(
            dict(policy), abs=1e-6
        )
        assert entry["value"] == pytest.approx(float(values_side_to_move(scores)[0]), abs=1e-6)
    assert asked > 20


def test_promotions_that_share_an_action_are_added(tmp_path: Path) -> None:
    plan = Plan(games=1, starts=("8/P6k/8/8/8/8/8/K7 w - - 0 1",), max_plies=1, tau=10.0)
    collect(tmp_path / "p.ndjson", plan)
    (entry,) = without_ts((tmp_path / "p.ndjson").read_text())
    scores = score_moves([Board(entry["fen"])], depth=1)
    labels = label(scores, plan.top_k, np.array([10.0]))
    to_a8 = labels.moves[0] // 64 % 64 == chess.A8
    assert to_a8.sum() > 1
    action = str(64 * chess.A7 + chess.A8)
    assert entry["teacher_policy"][action] == pytest.approx(labels.probs[0][to_a8].sum(), abs=1e-6)
    assert entry["valid_actions"].count(int(action)) == 1


def test_games_can_be_played_through(entries: list[dict[str, Any]]) -> None:
    """Where no position was left out as a repeat, each follows from the one before."""
    followed = 0
    for before, after in pairwise(entries):
        if before["game_id"] == after["game_id"] and after["ply"] == before["ply"] + 1:
            board = Board(before["fen"])
            board.push(before["move"])
            assert board.fen() == after["fen"]
            followed += 1
    assert followed > len(entries) / 2


def test_kinds_of_games_come_by_their_shares(entries: list[dict[str, Any]]) -> None:
    plan = Plan(games=1000, random_share=0.2, endgame_share=0.1, few_pieces_share=0.3)
    for stretch in (range(1000), range(400, 500)):
        kinds = Counter(map(plan.kind, stretch))
        assert kinds["random"] == pytest.approx(0.2 * len(stretch), abs=2)
        assert kinds["endgame"] == pytest.approx(0.1 * len(stretch), abs=2)
        assert kinds["few_pieces"] == pytest.approx(0.3 * len(stretch), abs=2)
    sides: dict[int, set[str]] = defaultdict(set)
    for entry in entries:
        sides[entry["game_id"]].add(entry["side"])
        kind = MIXED.kind(entry["game_id"])
        pieces = len(chess.Board(entry["fen"]).piece_map())
        assert kind != "endgame" or pieces <= 4
    for number, of_game in sides.items():
        if MIXED.kind(number) == "random":
            assert of_game == {"w" if number % 2 == 0 else "b"}


def test_repeats_are_capped_in_the_whole_file(tmp_path: Path) -> None:
    plan = Plan(games=40, max_plies=4, top_k=2)
    for most in (1, 3):
        path = tmp_path / f"{most}.ndjson"
        collection = collect(path, plan, CollectionFilter(max_repeats=most))
        fens = [entry["fen"].rsplit(" ", 2)[0] for entry in without_ts(path.read_text())]
        assert max(Counter(fens).values()) == most
        assert collection.stats.repeats == Counter(fens)


def test_games_without_a_winner_are_left_out_by_their_share(tmp_path: Path) -> None:
    plan = Plan(games=60, max_plies=3)
    for share, low, high in ((0.0, 60, 60), (0.5, 18, 42), (1.0, 0, 0)):
        path = tmp_path / f"{share}.ndjson"
        collection = collect(path, plan, CollectionFilter(drop_draws=share, max_repeats=60))
        kept = {entry["game_id"] for entry in without_ts(path.read_text())}
        assert low <= len(kept) <= high
        assert collection.stats.dropped == 60 - len(kept)


def test_games_that_go_nowhere_are_cut(tmp_path: Path) -> None:
    blocked = "4k3/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/8/4K3 w - - 0 1"
    collection = collect(tmp_path / "n.ndjson", Plan(games=3, starts=(blocked,), tau=100.0), SOME)
    assert set(collection.stats.reasons) <= {"going_nowhere", "threefold_repetition"}
    assert collection.stats.reasons["going_nowhere"]
    assert collection.stats.plies <= 3 * (NO_PROGRESS_PLIES + 1)


def test_temperature_falls_evenly(tmp_path: Path) -> None:
    plan = Plan(games=5, tau=1.0, tau_end=0.2)
    assert plan.taus(np.arange(5)) == pytest.approx([1.0, 0.8, 0.6, 0.4, 0.2])
    collect(tmp_path / "t.ndjson", replace(plan, max_plies=1), CollectionFilter(max_repeats=9))
    best = [
        next(iter(entry["teacher_policy"].values()))
        for entry in without_ts((tmp_path / "t.ndjson").read_text())
    ]
    assert best == sorted(best)
    assert best[0] < best[-1]


def test_the_seed_decides_however_many_games_are_played_at_once(
    tmp_path: Path, entries: list[dict[str, Any]]
) -> None:
    collect(tmp_path / "same.ndjson", parallel_games=64)
    assert without_ts((tmp_path / "same.ndjson").read_text()) == entries
    collect(tmp_path / "other.ndjson", replace(MIXED, seed=4))
    assert without_ts((tmp_path / "other.ndjson").read_text()) != entries


def test_every_kind_of_file_holds_the_same(
    whole: dict[str, Path], entries: list[dict[str, Any]]
) -> None:
    for path in whole.values():
        assert without_ts(text_of(path)) == entries


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_cut_anywhere_is_gone_on_with(
    ending: str, whole: dict[str, Path], entries: list[dict[str, Any]], tmp_path: Path
) -> None:
    data = whole[ending].read_bytes()
    path = tmp_path / f"cut{ending}"
    cuts = random.Random(1).sample(range(len(data)), 8)
    for size in (0, 1, *cuts, len(data) - 1, len(data)):
        path.write_bytes(data[:size])
        collect(path, resume=True)
        assert without_ts(text_of(path)) == entries


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_stopped_collection_goes_on(
    ending: str, entries: list[dict[str, Any]], tmp_path: Path
) -> None:
    path = tmp_path / f"stopped{ending}"
    collect(path, most_plies=70)
    assert 0 < len(without_ts(text_of(path))) < len(entries)
    collect(path, resume=True)
    assert without_ts(text_of(path)) == entries


def test_more_games_can_be_asked_for(entries: list[dict[str, Any]], tmp_path: Path) -> None:
    path = tmp_path / "grown.ndjson.zst"
    collect(path, replace(MIXED, games=6))
    collect(path, resume=True)
    assert without_ts(text_of(path)) == entries
    with pytest.raises(ValueError, match="holds game 13 already, more than the 6 games asked for"):
        collect(path, replace(MIXED, games=6), resume=True)
    assert without_ts(text_of(path)) == entries


@pytest.mark.parametrize(
    ("plan", "choosiness", "message"),
    [
        (replace(MIXED, tau=0.5), SOME, "with tau 1.0, not 0.5"),
        (replace(MIXED, seed=9), SOME, "with seed 3, not 9"),
        (replace(MIXED, tau_end=0.5), SOME, "with games None, not 14"),
        (MIXED, CollectionFilter(drop_draws=0.1), "with drop_draws 0.3, not 0.1"),
        (replace(MIXED, starts=("8/8/8/8/8/8/8/KQ5k w - - 0 1",)), SOME, "with starts"),
    ],
)
def test_other_settings_are_refused(
    plan: Plan, choosiness: CollectionFilter, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.ndjson"
    collect(path, most_plies=70)
    before = path.read_bytes()
    with pytest.raises(ValueError, match=message):
        collect(path, plan, choosiness, resume=True)
    assert path.read_bytes() == before


def test_what_is_there_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "mine.ndjson"
    path.write_text("mine")
    with pytest.raises(ValueError, match="exists already: resume it or choose another file"):
        collect(path)
    assert path.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("ending", ENDINGS)
def test_damage_before_the_end_is_named(
    ending: str, whole: dict[str, Path], tmp_path: Path
) -> None:
    data = bytearray(whole[ending].read_bytes())
    at = data.index(b"\n") + 1 if ending == ".ndjson" else 200
    data[at : at + 9] = b"*" * 9
    path = tmp_path / f"damaged{ending}"
    path.write_bytes(data)
    with pytest.raises(ValueError, match="line 2 is damaged" if ending == ".ndjson" else "damaged"):
        collect(path, resume=True)
    assert path.read_bytes() == data


def test_only_one_process_writes(tmp_path: Path) -> None:
    path = tmp_path / "shared.ndjson"
    path.touch()
    program = (
        "import fcntl, sys\n"
        f"file = open({str(path)!r})\n"
        "fcntl.flock(file, fcntl.LOCK_EX)\n"
        "print('locked', flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"locked\n"
        with pytest.raises(ValueError, match="is being written by another process"):
            collect(path, resume=True)
        holder.communicate()
