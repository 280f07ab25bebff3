"""Imports: the right positions in the right columns, the same bytes every time."""

import gzip
import io
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import chess
import chess.pgn
import numpy as np
import pytest
import zstandard

from selfmate.data.dataset import SPLITS, Chunk, ChunkFolder, concatenate_chunks
from selfmate.data.game_filter import ENDINGS, GameFilter
from selfmate.data.pgn_import import GameImport, NothingKeptError
from selfmate.encodings import encode
from selfmate.encodings.records import planes_of
from selfmate.rules import Board, uci_text
from unit.data.imports import RUN_ROWS, SETTINGS, game_files, games_text, import_all
from unit.runs.kept import contents

MATE = """[White "A"]
[WhiteElo "2300"]
[BlackElo "2700"]
[Result "0-1"]

1. f3 e5 2. a3 Nc6 3. g4 Qh4# 0-1

"""
WRONG = """[White "A"]
[Result "1-0"]

1. e4 e5 2. Ke3 1-0

"""


class Row(NamedTuple):
    """A position as python-chess tells of it."""

    planes: bytes
    move: str
    result: int
    plies_left: int
    ratings: tuple[int, int]


def rows_of(chunk: Chunk) -> list[Row]:
    planes = planes_of(chunk.stored)
    return [
        Row(planes[i].tobytes(), uci_text(int(chunk.moves[i])), int(chunk.results[i]),
            int(chunk.plies_left[i]), (int(chunk.white_elo[i]), int(chunk.black_elo[i])))
        for i in range(len(chunk))
    ]  # fmt: skip


def rows_by_python_chess(text: str, skip_plies: int) -> Counter[Row]:
    """Of a file whose games are all good."""
    rows, stream = Counter[Row](), io.StringIO(text)
    while (game := chess.pgn.read_game(stream)) is not None:
        headers, moves, board = game.headers, list(game.mainline_moves()), Board()
        result = {"1-0": 1, "1/2-1/2": 0, "0-1": -1}[headers["Result"]]
        ratings = (int(headers["WhiteElo"]), int(headers["BlackElo"]))
        for ply, move in enumerate(moves):
            if ply >= skip_plies:
                planes = encode("planes96", [board]).tobytes()
                rows[Row(planes, move.uci(), result, len(moves) - ply, ratings)] += 1
            board.push(move.uci(), past_draw=True)
    return rows


def all_of(folder: ChunkFolder) -> dict[str, Chunk]:
    return {
        split: concatenate_chunks(
            [folder.read(split, n) for n in range(len(folder.chunk_sizes(split)))]
        )
        for split in SPLITS
    }


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.pgn"
    path.write_text(games_text(30, seed=4) + MATE)
    return path


def test_every_position_is_there_once(games: Path, tmp_path: Path) -> None:
    parts = all_of(import_all([games], tmp_path / "out"))
    found = Counter(row for chunk in parts.values() for row in rows_of(chunk))
    assert found == rows_by_python_chess(games.read_text(), SETTINGS.game_filter.skip_plies)


def test_a_game_is_on_one_side_and_its_rows_are_apart(games: Path, tmp_path: Path) -> None:
    parts = all_of(import_all([games], tmp_path / "out"))
    numbers = {split: set(chunk.games.tolist()) for split, chunk in parts.items()}
    assert numbers["training"] | numbers["validation"] == set(range(31))
    assert not numbers["training"] & numbers["validation"]
    training = parts["training"].games
    assert np.mean(training[1:] == training[:-1]) < 0.2


def test_a_game_is_parted_in_the_same_way_among_others(games: Path, tmp_path: Path) -> None:
    (tmp_path / "more.pgn").write_text(games_text(30, seed=5))
    few = import_all([games], tmp_path / "few")
    settings = replace(SETTINGS, seed=99)
    many = import_all([tmp_path / "more.pgn", games], tmp_path / "many", settings)
    held = set(rows_of(all_of(few)["validation"]))
    assert held
    assert held <= set(rows_of(all_of(many)["validation"]))


def test_endings_are_told(games: Path, tmp_path: Path) -> None:
    folder = import_all([games], tmp_path / "out")
    parts = all_of(folder)
    by_game = {
        game: ENDINGS[ending]
        for chunk in parts.values()
        for game, ending in zip(chunk.games.tolist(), chunk.endings.tolist(), strict=True)
    }
    assert by_game[30] == "checkmate"
    assert Counter(by_game.values()) == folder.manifest.games.endings


def test_the_same_import_has_the_same_bytes(games: Path, tmp_path: Path) -> None:
    once = contents(import_all([games], tmp_path / "once").path)
    assert set(once) >= {"manifest.json", "dropped.tsv", "training-00000.h5", "validation-00000.h5"}
    assert contents(import_all([games], tmp_path / "again", run_rows=10**6).path) == once
    other = import_all([games], tmp_path / "other", replace(SETTINGS, seed=8))
    assert contents(other.path)["training-00000.h5"] != once["training-00000.h5"]


def test_compressed_files_are_read(games: Path, tmp_path: Path) -> None:
    plain = import_all([games], tmp_path / "plain")
    text = games.read_bytes()
    for name, data in (
        ("games.pgn.gz", gzip.compress(text)),
        ("games.pgn.zst", zstandard.compress(text)),
    ):
        (tmp_path / name).write_bytes(data)
        folder = import_all([tmp_path / name], tmp_path / f"{name}.out")
        assert folder.manifest.chunks == plain.manifest.chunks
        assert folder.manifest.inputs[0].sha256 != plain.manifest.inputs[0].sha256


def test_what_is_dropped_is_told_with_its_line(games: Path, tmp_path: Path) -> None:
    weak = MATE.replace("2300", "1300")
    late = games_text(1, seed=8, Termination="time forfeit", Result="1-0")
    texts = [MATE, weak, WRONG, MATE, late]
    lines = [1 + "".join(texts[:number]).count("\n") for number in range(len(texts))]
    (tmp_path / "odd\tname.pgn").write_text("".join(texts))
    folder = import_all([tmp_path / "odd\tname.pgn"], tmp_path / "out")
    tally = folder.manifest.games
    assert tally.read == 5
    assert tally.dropped == {"low rating": 1, "error": 1, "repeated": 1, "broken off": 1}
    table = (tmp_path / "out" / "dropped.tsv").read_text().splitlines()
    assert [line.split("\t") for line in table] == [
        ["file", "line", "reason", "detail"],
        ["odd name.pgn", str(lines[1]), "low rating", ""],
        ["odd name.pgn", str(lines[2] + 3), "error", "illegal move 'Ke3' (2.)"],
        ["odd name.pgn", str(lines[3]), "repeated", ""],
        ["odd name.pgn", str(lines[4]), "broken off", "time forfeit"],
    ]


def test_it_goes_on_after_being_left_anywhere(tmp_path: Path) -> None:
    games = game_files(tmp_path)
    whole = contents(import_all(games, tmp_path / "whole").path)
    steps = 0
    while True:
        work = GameImport(games, tmp_path / "broken", SETTINGS, run_rows=RUN_ROWS)
        for number, _ in enumerate(work.run()):
            if number == steps:
                break
        work.close()
        if work.manifest is not None:
            break
        steps += 1
    assert steps > 10
    assert contents(tmp_path / "broken") == whole


def test_killed_at_any_write_it_comes_to_the_same(tmp_path: Path) -> None:
    program = Path(__file__).with_name("kill_imports.py")
    done = subprocess.run(
        [sys.executable, str(program), str(tmp_path), "20"],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) >= 20


def test_a_finished_import_is_left_alone(games: Path, tmp_path: Path) -> None:
    before = contents(import_all([games], tmp_path / "out").path)
    work = GameImport([games], tmp_path / "out", SETTINGS)
    assert len(list(work.run())) == 1  # the file is hashed
    work.close()
    assert work.was_finished
    assert contents(tmp_path / "out") == before


@pytest.mark.parametrize("finished", [True, False])
def test_another_import_is_refused(games: Path, tmp_path: Path, finished: bool) -> None:
    work = GameImport([games], tmp_path / "out", SETTINGS)
    for _ in work.run():
        if not finished and work.progress.stage == "reading":
            break
    work.close()
    before = contents(tmp_path / "out")
    other = replace(SETTINGS, game_filter=GameFilter(skip_plies=5))
    with pytest.raises(ValueError, match="made with skip_plies 4, not 5"):
        import_all([games], tmp_path / "out", other)
    (tmp_path / "more.pgn").write_text(MATE)
    with pytest.raises(ValueError, match=r"made from other files \(games\.pgn\)"):
        import_all([games, tmp_path / "more.pgn"], tmp_path / "out")
    games.write_text(MATE)
    with pytest.raises(ValueError, match="or they have changed since"):
        import_all([games], tmp_path / "out")
    assert contents(tmp_path / "out") == before


def test_a_folder_of_something_else_is_left_alone(games: Path, tmp_path: Path) -> None:
    for number, name in enumerate(("notes.txt", "training-00000.h5", "unfinished/mine", "x/y")):
        path = tmp_path / str(number) / name
        path.parent.mkdir(parents=True)
        path.write_text("mine")
        with pytest.raises(ValueError, match="holds something else, such as"):
            import_all([games], tmp_path / str(number))
        assert contents(tmp_path / str(number)) == {name: b"mine"}


def test_two_processes_do_not_write_at_once(games: Path, tmp_path: Path) -> None:
    work = GameImport([games], tmp_path / "out", SETTINGS)
    with pytest.raises(ValueError, match="is being written by another process"):
        GameImport([games], tmp_path / "out", SETTINGS)
    work.close()
    import_all([games], tmp_path / "out")


def test_a_damaged_file_leaves_nothing(games: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.pgn.zst"
    cut.write_bytes(zstandard.compress(games.read_bytes())[:-50])
    with pytest.raises(ValueError, match=r"cut\.pgn\.zst is damaged"):
        import_all([games, cut], tmp_path / "out", run_rows=1)
    assert not (tmp_path / "out").exists()


def test_nothing_kept_is_said_and_leaves_nothing(tmp_path: Path) -> None:
    games = tmp_path / "games.pgn"
    for text, reason in (
        ("", "there are no games in it"),
        (WRONG * 2 + MATE.replace("2300", "13"), "none of 3 games .*error: 2; low rating: 1"),
    ):
        games.write_text(text)
        with pytest.raises(NothingKeptError, match=reason):
            import_all([games], tmp_path / "out")
        assert not (tmp_path / "out").exists()


def test_an_import_ends_when_enough_games_are_kept(tmp_path: Path) -> None:
    files = game_files(tmp_path)
    files[0].write_text(WRONG + files[0].read_text() + WRONG)
    whole = import_all(files, tmp_path / "whole").manifest.games
    some = import_all(files, tmp_path / "some", replace(SETTINGS, max_games=12)).manifest.games
    more = import_all(files, tmp_path / "more", replace(SETTINGS, max_games=17)).manifest.games
    assert sum(whole.kept.values()) == 60
    assert (sum(some.kept.values()), some.read, some.dropped) == (12, 13, {"error": 1})
    assert (sum(more.kept.values()), more.read, more.dropped) == (17, 19, {"error": 2})
    settings = ChunkFolder(tmp_path / "some").manifest.settings
    assert settings == SETTINGS.table() | {"max_games": 12}
    by_split, expected = (
        all_of(folder)
        for folder in (ChunkFolder(tmp_path / "some"), import_all(files[:1], tmp_path / "first"))
    )
    for split in SPLITS:
        assert Counter(rows_of(by_split[split])) == Counter(rows_of(expected[split]))
