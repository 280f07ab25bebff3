"""Games to pretrain on, made from the page."""

import io
import zipfile
from pathlib import Path
from random import Random

import chess.pgn
import pytest

from selfmate.lab.datasets import Datasets, NewCollection, NewImport
from selfmate.lab.errors import BusyError
from selfmate.lab.run_archive import zipped
from selfmate.lab.runs_folder import RunsFolder
from selfmate.lab.trainings import NewTraining, Trainings
from selfmate.runs import RunDirectory
from unit.players.trained_runs import make_run

PLIES = 60


def game_text(seed: int) -> str:
    """A game by chance, long enough to be imported."""
    rng, board = Random(seed), chess.Board()
    while len(board.move_stack) < PLIES and not board.is_game_over():
        board.push(rng.choice(list(board.legal_moves)))
    game = chess.pgn.Game.from_board(board)
    game.headers["Result"] = "1-0"
    return f"{game}\n\n"


GAME = game_text(1)


@pytest.fixture
def games(tmp_path: Path) -> Path:
    folder = tmp_path / "games"
    (folder / "below").mkdir(parents=True)
    (folder / "club.pgn").write_text("".join(map(game_text, range(12))))
    (folder / "below" / "more.pgn.gz").write_bytes(b"")
    (folder / "secret.txt").write_text("no games")
    (tmp_path / "elsewhere.pgn").write_text(GAME)
    (folder / "link.pgn").symlink_to(tmp_path / "elsewhere.pgn")
    return folder


def wait(datasets: Datasets) -> None:
    for making in datasets._making.values():
        making.job.wait()


def test_games_of_the_folders_are_listed_and_imported(tmp_path: Path, games: Path) -> None:
    datasets = Datasets(RunsFolder(tmp_path / "runs"), [games])
    assert datasets.data()["files"] == ["games/below/more.pgn.gz", "games/club.pgn"]
    before = datasets.version()
    datasets.import_games(NewImport(name="club", files=["games/club.pgn"]))
    wait(datasets)
    assert datasets.version() != before
    (row,) = datasets.data()["datasets"]
    assert (row["name"], row["kind"], row["state"]) == ("club", "games", "ready"), row
    assert row["path"] == "runs/datasets/club"
    assert (tmp_path / row["path"]).is_dir()
    again = Datasets(RunsFolder(tmp_path / "runs"), [games])  # the lab was restarted
    assert again.data()["datasets"] == [row]
    with pytest.raises(BusyError, match="there is a dataset club already"):
        again.import_games(NewImport(name="club", files=["games/club.pgn"]))


def test_games_that_are_too_few_to_validate_with_are_said_at_once(
    tmp_path: Path, games: Path
) -> None:
    """And not when a training has been loaded for them."""
    (games / "one.pgn").write_text(GAME)
    datasets = Datasets(RunsFolder(tmp_path / "runs"), [games])
    datasets.import_games(NewImport(name="one", files=["games/one.pgn"]))
    wait(datasets)
    (row,) = datasets.data()["datasets"]
    assert (row["state"], row["path"]) == ("failed", "")
    assert row["problem"] == "none of its games was held out for validation: import more"


@pytest.mark.parametrize(
    "file", ["games/secret.txt", "games/link.pgn", "../elsewhere.pgn", "games/../elsewhere.pgn"]
)
def test_no_other_file_is_read(tmp_path: Path, games: Path, file: str) -> None:
    datasets = Datasets(RunsFolder(tmp_path / "runs"), [games])
    with pytest.raises(ValueError, match="a folder that this lab may read"):
        datasets.import_games(NewImport(name="x", files=[file]))


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".x", "x.ndjson"])
def test_names_lead_nowhere_else(tmp_path: Path, name: str) -> None:
    datasets = Datasets(RunsFolder(tmp_path / "runs"), [])
    with pytest.raises(ValueError, match="a dataset cannot be called"):
        datasets.collect(NewCollection(name=name))


def test_the_teacher_plays_games_and_failures_are_told(tmp_path: Path, games: Path) -> None:
    datasets = Datasets(RunsFolder(tmp_path / "runs"), [games])
    datasets.collect(NewCollection(name="lessons", games=1, depth=1))
    datasets.import_games(NewImport(name="empty", files=["games/below/more.pgn.gz"]))
    wait(datasets)
    empty, lessons = datasets.data()["datasets"]
    assert (lessons["kind"], lessons["state"]) == ("teacher", "ready")
    assert lessons["path"] == "runs/datasets/lessons.ndjson"
    assert empty["state"] == "failed"
    assert empty["problem"]


def test_a_pretraining_reads_datasets_and_nothing_else(tmp_path: Path, games: Path) -> None:
    trainings = Trainings(RunsFolder(tmp_path / "runs"))
    for data in (str(games), "/etc", "runs/../games"):
        new = NewTraining(learner="pretrain-alphazero", settings={"data": f'["{data}"]'})
        with pytest.raises(ValueError, match="data: there is no"):
            trainings.start(new)


def test_a_run_is_downloaded_without_its_replay_buffer(tmp_path: Path) -> None:
    make_run(tmp_path / "runs" / "x")
    run = RunDirectory(tmp_path / "runs" / "x")
    (run.path / "replay").mkdir()
    (run.path / "replay" / "shard").write_bytes(b"large")
    (run.path / "link").symlink_to("/etc/passwd")
    file = zipped(run)
    names = zipfile.ZipFile(io.BytesIO(file.read_bytes())).namelist()
    file.unlink()
    assert "x/config.toml" in names
    assert any(name.startswith("x/checkpoints/") for name in names)
    assert not any("replay" in name or "link" in name for name in names)
