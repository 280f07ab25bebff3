"""`selfmate collect`: what it writes, how it ends, how it resumes."""

import json
import resource
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import zstandard

from selfmate.data.teacher_data import read_positions
from selfmate.rules import Board
from unit.cli.process import command_of, selfmate
from unit.data.collected import without_ts
from unit.players.scoring_engines import ScoringEngine
from unit.players.trained_runs import make_run

COLLECT = ("collect", "--depth", "1", "--games", "12", "--max-plies", "60")
ONE_MOVE = "7k/8/8/8/8/8/1q6/K7 w - - 0 1"  # and the game is over
LONG = ("collect", "--depth", "1", "--games", "100000", "--json", "--out", "long.ndjson")


def entries_of(path: Path) -> list[dict[str, Any]]:
    return without_ts(path.read_text())


def test_json_is_one_object_and_correct(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    done = selfmate(*COLLECT, "--out", "new/t.ndjson.zst", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    positions = read_positions(tmp_path / "new" / "t.ndjson.zst")
    text = (
        zstandard.ZstdDecompressor()
        .decompressobj(read_across_frames=True)
        .decompress((tmp_path / "new" / "t.ndjson.zst").read_bytes())
    )
    boards = [json.loads(line)["fen"].rsplit(" ", 2)[0] for line in text.splitlines()]
    assert summary["file"] == "new/t.ndjson.zst"
    assert summary["positions"] == len(positions)
    assert summary["unique_share"] == pytest.approx(len(set(boards)) / len(boards))
    assert summary["games"] == summary["played_now"] == 12
    assert summary["white_wins"] + summary["black_wins"] + summary["no_winner"] == 12
    assert sum(summary["ends"].values()) == 12
    assert 0 < summary["mean_plies"] <= 60


def test_a_table_summarises_the_games(tmp_path: Path) -> None:
    done = selfmate(*COLLECT, "--out", "t.ndjson", cwd=tmp_path)
    assert done.returncode == 0
    for text in ("t.ndjson", "of 12 games", "unique", "won by White", "mean length", "positions/s"):
        assert text in done.stdout
    assert "\x1b" not in done.stdout + done.stderr


def test_the_seed_decides_all_games(tmp_path: Path) -> None:
    for name, seed in (("a", "5"), ("b", "5"), ("c", "6")):
        assert not selfmate(
            *COLLECT, "--seed", seed, "--out", f"{name}.ndjson", cwd=tmp_path
        ).returncode
    first, again, other = (entries_of(tmp_path / f"{name}.ndjson") for name in "abc")
    assert first == again
    assert first != other


def test_every_option_has_an_effect(tmp_path: Path) -> None:
    (tmp_path / "o.epd").write_text("4k3/8/8/8/8/8/4P3/4K3 w - -\n")
    options = ["--openings", "o.epd", "--topk", "2", "--tau", "2", "--tau-end", "0.5"]
    options += ["--max-repeats", "1", "--drop-draws", "0.2", "--teacher", "teacher:depth=1"]
    options += ["--mix", "random=0.25,endgames=0.25", "--games", "16", "--max-plies", "30"]
    done = selfmate("collect", *options, "--out", "t.ndjson", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    entries = entries_of(tmp_path / "t.ndjson")
    assert max(len(entry["top_k"]) for entry in entries) == 2
    starts = {entry["fen"].split()[0] for entry in entries if entry["ply"] == 0}
    assert "4k3/8/8/8/8/8/4P3/4K3" in starts
    assert len(starts) > 2
    boards = [entry["fen"].rsplit(" ", 2)[0] for entry in entries]
    assert len(set(boards)) == len(boards)
    settings = json.loads((tmp_path / "t.ndjson.settings.json").read_text())
    assert (settings["random_share"], settings["endgame_share"]) == (0.25, 0.25)
    assert (settings["tau"], settings["tau_end"], settings["drop_draws"]) == (2, 0.5, 0.2)


@pytest.mark.parametrize(
    ("kind", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)]
)
def test_after_a_signal_the_file_can_be_resumed(
    kind: signal.Signals, code: int, tmp_path: Path
) -> None:
    path = tmp_path / "long.ndjson"
    with subprocess.Popen(
        command_of(*LONG), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        while not path.exists() or not path.stat().st_size:
            with suppress(subprocess.TimeoutExpired):
                pytest.fail(f"it ended with {process.wait(0.01)}")
        process.send_signal(kind)
        printed, _ = process.communicate(timeout=60)
    assert process.returncode == code
    stopped = without_ts(path.read_text().rpartition("\n")[0])  # a kill may cut a line
    last = stopped[-1]["game_id"]
    if kind != signal.SIGKILL:
        assert json.loads(printed)["positions"] == len(stopped)
    games = ("--games", str(last + 5))
    resumed = selfmate(*LONG, *games, "--resume", cwd=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    assert f"resuming at game {last:,} of {last + 5:,}" in resumed.stderr
    again = selfmate(*LONG, *games, "--out", "again.ndjson", cwd=tmp_path)
    assert again.returncode == 0
    assert entries_of(path) == entries_of(tmp_path / "again.ndjson")
    assert entries_of(path)[: len(stopped)] == stopped


def test_any_player_that_scores_its_moves_teaches(tmp_path: Path) -> None:
    make_run(tmp_path / "runs" / "x")
    options = ("--games", "3", "--max-plies", "9", "--topk", "3")
    for out, name in (("e", ScoringEngine(tmp_path).name), ("q", "runs/x:version=3,terminal=off")):
        done = selfmate(
            "collect", *options, "--teacher", name, "--out", f"{out}.ndjson", cwd=tmp_path
        )
        assert done.returncode == 0, done.stderr
        assert len(read_positions(tmp_path / f"{out}.ndjson"))
        settings = json.loads((tmp_path / f"{out}.ndjson.settings.json").read_text())
        assert settings["teacher"] == name


def test_ctrl_c_ends_engines_and_their_games_can_be_resumed(tmp_path: Path) -> None:
    engine, path = ScoringEngine(tmp_path), tmp_path / "e.ndjson"
    collect = ("collect", "--teacher", engine.name, "--max-plies", "6", "--json")
    long = (*collect, "--games", "100000", "--out", "e.ndjson")
    with subprocess.Popen(
        command_of(*long), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        while engine.searches() < 200:  # more than the first games have
            with suppress(subprocess.TimeoutExpired):
                pytest.fail(f"it ended with {process.wait(0.01)}")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 130
    assert engine.left() == []
    games = ("--games", str(entries_of(path)[-1]["game_id"] + 5))
    assert selfmate(*collect, *games, "--out", "e.ndjson", "--resume", cwd=tmp_path).returncode == 0
    assert selfmate(*collect, *games, "--out", "again.ndjson", cwd=tmp_path).returncode == 0
    assert entries_of(path) == entries_of(tmp_path / "again.ndjson")
    assert engine.left() == []


def test_an_engine_that_fails_is_exit_code_1_and_costs_no_game(tmp_path: Path) -> None:
    (tmp_path / "o.epd").write_text(f"{ONE_MOVE}\n{Board().fen()}\n")
    engine = ScoringEngine(tmp_path, "crash")
    options = ("--openings", "o.epd", "--topk", "1", "--games", "4")
    collect = ("collect", *options, "--teacher", engine.name, "--out", "e.ndjson")
    failed = selfmate(*collect, cwd=tmp_path)
    assert failed.returncode == 1
    assert failed.stderr.count("\n") == 1
    assert f"{engine.name} failed: crashed; the games written so far are good" in failed.stderr
    assert engine.left() == []
    assert {entry["game_id"] for entry in entries_of(tmp_path / "e.ndjson")} == {0}


def test_an_engine_that_does_not_start_leaves_nothing_behind(tmp_path: Path) -> None:
    failed = selfmate(
        "collect", "--teacher", "uci:path=/bin/false", "--out", "e.ndjson", cwd=tmp_path
    )
    assert failed.returncode == 1
    assert "uci:path=/bin/false cannot teach, it failed: did_not_start:" in failed.stderr
    assert failed.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_exit_code_1_and_costs_nothing(tmp_path: Path) -> None:
    """A limit on the size of files stands for a full disk."""
    limit = 400_000
    full = subprocess.run(
        command_of(*LONG), cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )  # fmt: skip
    assert full.returncode == 1
    assert full.stderr.count("\n") == 1
    assert "cannot write long.ndjson" in full.stderr
    assert "--resume continues" in full.stderr
    entries = entries_of(tmp_path / "long.ndjson")
    games = ("--games", str(entries[-1]["game_id"] + 1))
    assert selfmate(*LONG, *games, "--resume", cwd=tmp_path).returncode == 0
    assert entries_of(tmp_path / "long.ndjson") == entries


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--games", "0"], "'0' is not a whole number from 1"),
        (["--depth", "7"], "'7' is not a whole number from 1 to 6"),
        (["--topk", "0"], "'0' is not a whole number from 1 to 218"),
        (["--tau", "0"], "'0' is not a number from 0.01 to 100"),
        (["--tau", "nan"], "'nan' is not a number from 0.01 to 100"),
        (["--tau-end", "-1"], "'-1' is not a number from 0.01 to 100"),
        (["--drop-draws", "1.5"], "'1.5' is not a number from 0 to 1"),
        (["--max-repeats", "0"], "'0' is not a whole number from 1"),
        (["--max-plies", "x"], "'x' is not a whole number from 1"),
        (["--mix", "random=2"], "bad --mix 'random=2': '2' is not a number from 0 to 1"),
        (["--mix", "random"], "bad --mix 'random': '' is not a number from 0 to 1"),
        (["--mix", "puzzles=0.1"], "bad --mix 'puzzles=0.1': it is a list such as random=0.2"),
        (["--mix", "random=0.6,endgames=0.6"], "fractions that sum to at most 1"),
        (["--teacher", "random"], "random cannot teach: it does not score its moves; teacher:"),
        (["--teacher", "nobody"], "no player 'nobody'"),
        (["--teacher", "teacher:depth=9"], "is not a whole number 1..6"),
        (["--teacher", "teacher:random=5"], "by random= it plays against its scores; teacher:"),
        (["--teacher", "teacher:depth=3", "--depth", "2"], "--depth is for the default teacher"),
        (["--openings", "none.epd"], "No such file"),
        (["--seed", "-1"], "'-1' is not a whole number from 0"),
    ],
)
def test_bad_input_leaves_nothing_behind(
    arguments: list[str], message: str, tmp_path: Path
) -> None:
    refused = selfmate("collect", "--out", "new/t.ndjson", *arguments, cwd=tmp_path)
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert message in refused.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (
            "t.txt",
            "t.txt cannot be written: its name must end in .ndjson, .ndjson.gz, "
            ".ndjson.zst, .pgn, .pgn.gz, .pgn.zst",
        ),
        ("no/t.ndjson", "there is no folder no for t.ndjson: make it first"),
    ],
)
def test_a_place_that_will_not_do_is_refused(out: str, message: str, tmp_path: Path) -> None:
    refused = selfmate(*COLLECT, "--out", out, cwd=tmp_path)
    assert (refused.returncode, refused.stderr) == (2, f"selfmate: {message}\n")
    assert list(tmp_path.iterdir()) == []


def test_out_is_required_and_not_overwritten(tmp_path: Path) -> None:
    assert "--out" in selfmate("collect", cwd=tmp_path).stderr
    (tmp_path / "t.ndjson").write_text("mine")
    refused = selfmate(*COLLECT, "--out", "t.ndjson", cwd=tmp_path)
    assert refused.returncode == 2
    assert "t.ndjson exists already" in refused.stderr
    assert (tmp_path / "t.ndjson").read_text() == "mine"
