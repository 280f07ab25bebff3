"""`selfmate import`: what it writes, prints and refuses, and how it resumes."""

import json
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from selfmate.data.dataset import ChunkFolder
from selfmate.data.pgn_import import ImportSettings
from unit.cli.process import command_of, selfmate
from unit.data.imports import games_text, import_all
from unit.runs.kept import contents

WRONG = '[White "A"]\n[Result "1-0"]\n\n1. e4 e5 2. Ke3 1-0\n\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "games.pgn").write_text(games_text(20, seed=1) + WRONG)
    return tmp_path


def test_json_is_one_object_and_correct(folder: Path) -> None:
    done = selfmate("import", "games.pgn", "--out", "new/chunks", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    chunks = ChunkFolder(folder / "new" / "chunks")
    assert summary["folder"] == "new/chunks"
    assert not summary["was_finished"]
    assert summary["positions"] == chunks.counts
    assert summary["games"]["read"] == 21
    assert summary["games"]["dropped"] == {"error": 1}
    assert sum(summary["games"]["kept"].values()) == 20
    assert sum(summary["games"]["results"].values()) == 20
    sizes = [path.stat().st_size for path in (folder / "new" / "chunks").glob("*.h5")]
    assert summary["bytes"] == sum(sizes)
    assert sum(summary["chunks"].values()) == len(sizes)
    assert chunks.manifest.settings == {
        "least_elo": 2200, "unrated": False, "skip_plies": 24,
        "validation": 0.05, "chunk_rows": 20_000, "seed": 1,
    }  # fmt: skip


def test_a_table_summarises_the_import(folder: Path) -> None:
    done = selfmate("import", "games.pgn", "--out", "chunks", cwd=folder)
    assert done.returncode == 0, done.stderr
    for text in ("training", "19 games", "adjudication 20", "dropped", "1 of 21 games", "error"):
        assert text in done.stdout
    assert "illegal move 'Ke3' (2.)" in done.stdout
    assert "chunks/dropped.tsv" in done.stdout
    assert "\x1b" not in done.stdout + done.stderr
    again = selfmate("import", "games.pgn", "--out", "chunks", cwd=folder)
    assert again.returncode == 0
    assert "chunks is finished already" in again.stdout


def test_every_option_has_an_effect(folder: Path) -> None:
    tags = {"WhiteElo": "1500", "BlackElo": "", "TimeControl": "600+0"}
    (folder / "games.pgn").write_text(games_text(20, seed=1, TimeControl="300+3") + WRONG)
    (folder / "more.pgn").write_text(
        games_text(12, seed=2, **tags) + games_text(9, seed=3, TimeControl="60+0")
    )
    options = ["--least-elo", "1400", "--unrated", "--skip-plies", "0"]
    options += ["--time-control", "blitz,rapid", "--max-games", "29"]
    options += ["--validation", "0.5", "--seed", "3"]
    files = ("games.pgn", "more.pgn")
    done = selfmate("import", *files, *options, "--out", "chunks", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    kept = json.loads(done.stdout)["games"]["kept"]
    assert sum(kept.values()) == 29
    assert kept["validation"] > 5
    settings = ChunkFolder(folder / "chunks").manifest.settings
    assert (settings["least_elo"], settings["unrated"], settings["seed"]) == (1400, True, 3)
    assert (settings["skip_plies"], settings["validation"]) == (0, 0.5)
    assert (settings["time_controls"], settings["max_games"]) == ("blitz,rapid", 29)


@pytest.mark.parametrize(
    ("kind", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)]
)
def test_after_a_signal_the_same_command_resumes(
    kind: signal.Signals, code: int, tmp_path: Path
) -> None:
    (tmp_path / "games.pgn").write_text(games_text(800, seed=1) * 40)
    command = ("import", "games.pgn", "--out", "chunks", "--json")
    with subprocess.Popen(
        command_of(*command), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        while not (tmp_path / "chunks" / "unfinished" / "origin.json").exists():
            with suppress(subprocess.TimeoutExpired):
                pytest.fail(f"it ended with {process.wait(0.01)}")
        process.send_signal(kind)
        process.communicate(timeout=60)
    assert process.returncode == code
    resumed = selfmate(*command, cwd=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    assert "resuming the import in chunks" in resumed.stderr
    import_all([tmp_path / "games.pgn"], tmp_path / "again", ImportSettings())
    assert contents(tmp_path / "chunks") == contents(tmp_path / "again")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.pgn", "--out", "x"], "there is no file nothing.pgn"),
        (["folder", "--out", "x"], "folder is a directory, not a PGN file"),
        (["/dev/null", "--out", "x"], "/dev/null is not a regular file"),
        (["cut.pgn.gz", "--out", "x"], "cut.pgn.gz is damaged: "),
        (["noise.pgn", "--out", "x"], "noise.pgn is binary data, not text"),
        (["games.pgn", "--out", "games.pgn"], "games.pgn is a file, not a folder for chunks"),
        (["games.pgn", "--out", "folder"], "folder holds something else, such as notes"),
        (["games.pgn", "--out", "done"], "done was made with seed 2, not 1"),
        (["games.pgn"], "Missing option '--out'"),
        (["--out", "x"], "Missing argument 'GAMES...'"),
        (["games.pgn", "--out", "x", "--least-elo", "-1"], "'-1' is not a whole number from 0"),
        (["games.pgn", "--out", "x", "--validation", "1"], "'1' is not a number from 0 to 0.9"),
    ],
)
def test_bad_input_is_one_line_and_code_2(arguments: list[str], message: str, folder: Path) -> None:
    (folder / "folder").mkdir()
    (folder / "folder" / "notes").touch()
    (folder / "noise.pgn").write_bytes(bytes(range(256)) * 9)
    (folder / "cut.pgn.gz").write_bytes(b"\x1f\x8b\x08\x00" + bytes(9))
    import_all([folder / "games.pgn"], folder / "done", ImportSettings(seed=2))
    before = contents(folder)
    done = selfmate("import", *arguments, cwd=folder)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert message in done.stderr
    assert contents(folder) == before
    assert not (folder / "x").exists()


def test_nothing_kept_is_a_failed_job(folder: Path) -> None:
    done = selfmate("import", "games.pgn", "--out", "x", "--least-elo", "3000", cwd=folder)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "nothing was imported: none of 21 games was kept (low rating: 20; error: 1)" in (
        done.stderr
    )
    assert not (folder / "x").exists()


def test_a_full_disk_is_one_line_and_the_import_can_be_resumed(folder: Path) -> None:
    limited = (
        "import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (70000, 70000));"
        "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "sys.argv[0] = 'selfmate'; runpy.run_module('selfmate', run_name='__main__')"
    )
    command = ("import", "games.pgn", "--out", "chunks")
    done = subprocess.run(
        [command_of()[0], "-c", limited, *command],
        cwd=folder, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "cannot write chunks: File too large; the same command resumes" in done.stderr
    assert selfmate(*command, cwd=folder).returncode == 0
    import_all([folder / "games.pgn"], folder / "again", ImportSettings())
    assert contents(folder / "chunks") == contents(folder / "again")
