"""`selfmate annotate`, and what becomes of its games: import, and `inspect` of the import."""

import json
from pathlib import Path

import pytest

from unit.cli.process import selfmate
from unit.data.imports import games_text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "games.pgn").write_text(games_text(40, seed=1))
    return tmp_path


def test_annotated_games_are_imported_and_drawn(folder: Path) -> None:
    command = ("annotate", "games.pgn", "--teacher", "teacher:depth=1", "--out", "a.pgn.zst")
    done = selfmate(*command, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["games"], summary["dropped"]) == (40, 0)
    assert summary["teacher"] == "teacher:depth=1"
    done = selfmate(
        "import",
        "a.pgn.zst",
        "--out",
        "data",
        "--skip-plies",
        "0",
        "--validation",
        "0.3",
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    assert "have a best move" in done.stdout
    done = selfmate("inspect", "data", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    games, positions = (json.loads(done.stdout)[key] for key in ("games", "positions"))
    assert games["evaluations"] == games["best_moves"] == positions


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("none.pgn", "--teacher", "teacher", "--out", "a.pgn"), "there is no file none.pgn"),
        (("games.pgn", "--teacher", "random", "--out", "a.pgn"), "random cannot teach"),
        (("games.pgn", "--teacher", "teacher", "--out", "a.txt"), "must end in .pgn"),
        (("games.pgn", "--teacher", "alphazero-tiny:movetime=5", "--out", "a.pgn"), "by time"),
    ],
)
def test_bad_input_is_refused_with_a_sentence(
    folder: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    done = selfmate("annotate", *arguments, cwd=folder)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert not list(folder.glob("a.*"))


def test_a_run_has_no_picture_of_evaluations(folder: Path) -> None:
    done = selfmate("inspect", str(folder), "--plot", "fit.png", cwd=folder)
    assert done.returncode == 2
    assert "--plot is for folders of selfmate import" in done.stderr
