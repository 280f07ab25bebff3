"""`match`, `rate`, `puzzles`, `mine` and `uci` with the built-in players."""

import csv
import errno
import io
import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import chess
import chess.engine
import chess.pgn
import pytest
import zstandard

from selfmate.cli.console import BadInputError, JobFailedError
from selfmate.cli.rate import rate
from selfmate.cli.stopping import STOPPING
from unit.cli.process import command_of, selfmate

MATCH = ("match", "teacher:depth=1", "random", "--games", "20", "--json")
PUZZLES = (
    "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags\n"
    "x,6k1/5ppp/8/8/8/8/r4PPP/R3R1K1 b - - 0 1,a2b2 a1a8,650,1,1,1,mate mateIn1,u,\n"
)


def without_time(text: str) -> dict[str, object]:
    report: dict[str, object] = json.loads(text)
    del report["seconds"]
    return report


def test_a_match_is_decided_by_its_seed(tmp_path: Path) -> None:
    runs = [selfmate(*MATCH, "--seed", seed, cwd=tmp_path).stdout for seed in ("1", "1", "2")]
    first, again, other = map(without_time, runs)
    assert first == again
    assert first != other
    assert first["games"] == first["distinct_games"] == 20
    assert first["illegal_moves"] == first["forfeits"] == 0


def test_an_odd_number_of_games_becomes_even_and_can_be_extended(tmp_path: Path) -> None:
    short = selfmate("match", "greedy", "random", "--games", "3", "--json", cwd=tmp_path)
    longer = selfmate(
        "match", "greedy", "random", "--games", "8", "--resume", "--json", cwd=tmp_path
    )
    fresh = selfmate("match", "greedy", "random", "--games", "8", "--json", cwd=tmp_path)
    assert json.loads(short.stdout)["games"] == 4
    assert short.stderr == "3 games become 4: each opening is played twice\n"
    assert without_time(longer.stdout) == without_time(fresh.stdout)


def test_a_match_prints_a_table_and_writes_pgn(tmp_path: Path) -> None:
    run = selfmate("match", "greedy", "random", "--games", "4", "--pgn", "m.pgn", cwd=tmp_path)
    assert run.returncode == 0
    assert "greedy against random" in run.stdout
    file = io.StringIO((tmp_path / "m.pgn").read_text("utf-8"))
    games = [chess.pgn.read_game(file) for _ in range(5)]
    assert [game is None for game in games] == [False] * 4 + [True]


def test_a_match_of_chess960_plays_each_start_with_both_colours(tmp_path: Path) -> None:
    def games(seed: str) -> list[chess.pgn.Game | None]:
        arguments = ("--games", "6", "--chess960", "--seed", seed, "--pgn", "m.pgn")
        assert selfmate("match", "greedy", "random", *arguments, cwd=tmp_path).returncode == 0
        file = io.StringIO((tmp_path / "m.pgn").read_text("utf-8"))
        return [chess.pgn.read_game(file) for _ in range(6)]

    def moves(played: list[chess.pgn.Game | None]) -> list[str]:
        return [str(game.mainline_moves()) for game in played if game]

    first, again, other = games("1"), games("1"), games("2")
    assert all(game and not game.errors for game in first)
    assert {game.headers["Variant"] for game in first if game} == {"Chess960"}
    starts = [game.headers["FEN"] for game in first if game]
    assert starts[::2] == starts[1::2]
    assert len(set(starts)) == 3
    assert moves(first) == moves(again)
    assert starts != [game.headers["FEN"] for game in other if game]


def test_a_match_of_chess960_needs_engines_that_play_it(tmp_path: Path) -> None:
    engine = tmp_path / "engine"
    engine.write_text("#!/bin/sh\nwhile read -r word; do case $word in uci) echo uciok;; "
                      "isready) echo readyok;; quit) exit;; esac; done\n")  # fmt: skip
    engine.chmod(0o755)
    run = selfmate("match", f"uci:path={engine}", "random", "--chess960", cwd=tmp_path)
    assert run.returncode == 1
    assert run.stderr.splitlines()[-1] == (
        f"selfmate: the engine {engine} has no option UCI_Chess960: it plays standard chess only"
    )


def test_starts_of_chess960_and_openings_exclude_each_other(tmp_path: Path) -> None:
    (tmp_path / "o.epd").write_text(chess.STARTING_FEN)
    run = selfmate("match", "greedy", "random", "--chess960", "--openings", "o.epd", cwd=tmp_path)
    assert run.returncode == 2
    assert "openings of a file or starts of Chess960, not both" in run.stderr


def test_sprt_is_reported(tmp_path: Path) -> None:
    arguments = (
        "match",
        "teacher:depth=2",
        "random",
        "--games",
        "200",
        "--sprt",
        "0,200",
        "--json",
    )
    report = json.loads(selfmate(*arguments, cwd=tmp_path).stdout)
    assert report["sprt"]["verdict"] == "H1"
    assert report["games"] < 200


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["match", "random"], "Missing argument"),
        (["match", "random", "nobody"], "no player 'nobody'; there are: random, greedy"),
        (["match", "random", "teacher:depth=9"], "depth=9 of player 'teacher:depth=9'"),
        (["match", "random", "teacher:dept=1"], "player 'teacher' has no setting 'dept'"),
        (["match", "random", "greedy:"], "bad player 'greedy:'"),
        (["match", "random", "greedy", "--games", "1"], "'1' is not a whole number from 2"),
        (["match", "random", "greedy", "--sprt", "5"], "bad SPRT '5'"),
        (["match", "random", "greedy", "--sprt", "5,1"], "bad SPRT bounds"),
        (["match", "random", "greedy", "--openings", "none.epd"], "No such file"),
        (
            ["match", "random", "greedy", "--pgn", "no/such/folder/x.pgn"],
            "no folder no/such/folder",
        ),
        (["match", "random", "uci:path=/nowhere"], "is not a file"),
        (["rate", "nobody"], "no player 'nobody'"),
        (["puzzles", "random", "none.csv"], "No such file"),
        (["mine", "none.pgn", "--out", "p.csv"], "No such file"),
        (["mine", "none.pgn", "--out", "."], "exists; name a new file"),
        (["uci", "nobody"], "no player 'nobody'"),
    ],
)
def test_bad_input_leaves_nothing_behind(
    tmp_path: Path, arguments: list[str], message: str
) -> None:
    run = selfmate(*arguments, cwd=tmp_path)
    assert run.returncode == 2
    assert run.stderr.count("\n") == 1
    assert message in run.stderr
    assert list(tmp_path.iterdir()) == []


def test_puzzles_are_scored(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text(PUZZLES)
    report = json.loads(
        selfmate("puzzles", "teacher:depth=1", "p.csv", "--json", cwd=tmp_path).stdout
    )
    assert (report["solved"], report["puzzles"]) == (1, 1)
    assert report["by_rating"] == {"600": {"solved": 1, "total": 1}}
    assert "solved 1 of 1" in selfmate("puzzles", "teacher", "p.csv", cwd=tmp_path).stdout


def test_python_chess_plays_a_game_with_our_engines() -> None:
    """With a clock of one second and an increment of ten milliseconds."""
    command = command_of("uci")
    clocks = {chess.WHITE: 1.0, chess.BLACK: 1.0}
    with (
        chess.engine.SimpleEngine.popen_uci([*command, "teacher:depth=3"]) as white,
        chess.engine.SimpleEngine.popen_uci([*command, "random"]) as black,
    ):
        board = chess.Board()
        while not board.is_game_over(claim_draw=True) and board.ply() < 120:
            engine = white if board.turn else black
            limit = chess.engine.Limit(
                white_clock=clocks[True], black_clock=clocks[False], white_inc=0.01, black_inc=0.01
            )
            result = engine.play(board, limit)
            assert result.move is not None
            board.push(result.move)
    assert board.is_checkmate()
    assert board.turn == chess.BLACK


def test_a_rating_depends_on_seed_and_pool_alone(tmp_path: Path) -> None:
    arguments = ("rate", "greedy", "--games", "24", "--json")
    reports = [
        json.loads(selfmate(*arguments, "--pool", pool, "--seed", seed, cwd=tmp_path).stdout)
        for pool, seed in (("a.jsonl", "1"), ("b.jsonl", "1"), ("a.jsonl", "1"), ("c.jsonl", "2"))
    ]
    first, again, kept, other = (report["ratings"]["greedy"] for report in reports)
    assert first == again == kept
    assert first != other
    assert first["games"] == 24
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    assert "Stockfish skill scale" in reports[0]["scale"]


def test_a_rating_in_words_with_what_more_games_bring(tmp_path: Path) -> None:
    run = selfmate("rate", "greedy", "--games", "24", cwd=tmp_path)
    assert run.returncode == 0
    assert "greedy: about " in run.stdout
    assert "Stockfish skill scale, 100 ms a move" in run.stdout
    assert "24 more games would make that about ±" in run.stdout


def test_rating_by_time_needs_a_player_that_uses_time(tmp_path: Path) -> None:
    refused = selfmate("rate", "teacher:depth=2", "--movetime", "50", cwd=tmp_path)
    assert refused.returncode == 2
    assert "player 'teacher' has no setting 'movetime'" in refused.stderr
    options = ("--movetime", "1", "--games", "2", "--json")
    rated = selfmate("rate", "alphazero-tiny:sims=9", *options, cwd=tmp_path)
    assert json.loads(rated.stdout)["ratings"]["alphazero-tiny:movetime=1"]["games"] == 2


def script(path: Path, text: str) -> Path:
    """A program of a test."""
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_a_program_that_does_not_start_gives_no_rating(tmp_path: Path) -> None:
    engine = f"uci:path={script(tmp_path / 'engine', 'exit 3')}"
    run = selfmate("match", "random", engine, "--games", "4", "--json", cwd=tmp_path)
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.count("\n") == 1
    assert "did not start: it ended with code 3; this was no match" in run.stderr
    rating = selfmate("rate", engine, "--games", "4", "--pool", "pool.jsonl", cwd=tmp_path)
    assert rating.returncode == 1
    assert "did not start: it ended with code 3; no result was added" in rating.stderr
    assert (tmp_path / "pool.jsonl").read_bytes() == b""


def test_a_place_for_the_games_is_checked_before_they_are_played(tmp_path: Path) -> None:
    kept = tmp_path / "kept.pgn"
    kept.write_text("old games")
    for place in ("/dev/full", "/proc/games.pgn", str(tmp_path)):
        run = selfmate("match", "random", "greedy", "--pgn", place, cwd=tmp_path)
        assert run.returncode in (1, 2)
        assert run.stderr.startswith("selfmate: ")
        assert run.stderr.count("\n") == 1
        assert "Errno" not in run.stderr
        assert not (tmp_path / "runs").exists()
    run = selfmate("match", "random", "nobody", "--pgn", "kept.pgn", cwd=tmp_path)
    assert (run.returncode, kept.read_text()) == (2, "old games")


@pytest.mark.parametrize("arguments", [["models"], ["match", "random", "greedy", "--games", "2"]])
def test_a_full_standard_output_is_one_sentence(arguments: list[str], tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        run = subprocess.run(
            command_of(*arguments),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
            check=False,
        )
    assert run.returncode == 1
    assert run.stderr == "selfmate: the output cannot be written: No space left on device\n"


def test_puzzles_are_mined_from_games(tmp_path: Path) -> None:
    """Morphy's problem: after Bb8, Ra6 alone mates in two."""
    game = '[FEN "k1K5/pp6/1P1b4/8/8/8/8/R7 b - - 0 1"]\n\n1... Bb8 2. Ra6 bxa6 3. b7# 1-0\n'
    (tmp_path / "g.pgn").write_text(game, "utf-8")
    engines = ("--scan", "teacher:depth=3", "--check", "teacher:depth=3")
    run = selfmate("mine", "g.pgn", "--out", "p.csv", *engines, cwd=tmp_path)
    assert run.returncode == 0
    assert "1 puzzle from 1 game" in run.stderr
    (row,) = csv.DictReader(io.StringIO((tmp_path / "p.csv").read_text("utf-8")))
    assert row["FEN"].startswith("k1K5/pp6/1P1b4/")
    assert row["Moves"].startswith("d6b8 a1a6 ")
    assert {"mate", "mateIn2", "endgame"} <= set(row["Themes"].split())
    report = json.loads(
        selfmate("puzzles", "teacher:depth=3", "p.csv", "--json", cwd=tmp_path).stdout
    )
    assert (report["solved"], report["puzzles"]) == (1, 1)


def test_puzzles_of_a_cut_off_file_are_not_scored(tmp_path: Path) -> None:
    row = PUZZLES.splitlines(keepends=True)[1]
    packed = zstandard.ZstdCompressor().compress((PUZZLES + 3000 * row).encode())
    (tmp_path / "cut.zst").write_bytes(packed[: len(packed) // 2])
    run = selfmate("puzzles", "random", "cut.zst", cwd=tmp_path)
    assert (run.returncode, run.stdout) == (1, "")
    assert "cut.zst is damaged: the compressed stream is cut off" in run.stderr


def test_themes_are_text_and_not_markup(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text(PUZZLES.replace("mateIn1", "[/x]"))
    run = selfmate("puzzles", "teacher:depth=2", "p.csv", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "solved 1 of 1 (100.0%, 95 % interval 20.7% to 100.0%)" in run.stdout
    assert "[/x]" in run.stdout


PROGRAM = "python -m selfmate"
# An engine that answers, and then thinks for as long as it likes.
SLOW_ENGINE = """
trap '' TERM
while read line; do
  case "$line" in
    uci) echo uciok;;
    isready) echo readyok;;
    go*) touch thinking; sleep 60;;
    quit) exit;;
  esac
done"""


@contextmanager
def running(*arguments: str, cwd: Path) -> "Iterator[subprocess.Popen[str]]":
    process = subprocess.Popen(
        command_of(*arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 90
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_second_signal_ends_a_match_with_its_engines(
    number: signal.Signals, tmp_path: Path
) -> None:
    engine = script(tmp_path / "slow-engine", SLOW_ENGINE)
    name = f"uci:path={engine},nodes=1"
    with running("match", "random", name, "--games", "4", cwd=tmp_path) as process:
        wait_until((tmp_path / "thinking").exists)
        process.send_signal(number)
        assert process.stderr is not None
        assert process.stderr.readline() == f"{STOPPING}\n"
        process.send_signal(number)
        output, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert output == ""  # no game has ended, so there is no score
    command = f"match random {name} --games 4 --resume"
    assert errors == f"stopped after 0 games; the match continues with: {PROGRAM} {command}\n"
    assert (
        str(engine)
        not in subprocess.run(
            ["ps", "-eo", "args"], capture_output=True, text=True, check=True
        ).stdout
    )


def test_ctrl_c_keeps_the_score_and_says_how_to_continue(tmp_path: Path) -> None:
    arguments = ("match", "teacher:depth=1", "random", "--games", "4000", "--json")
    with running(*arguments, cwd=tmp_path) as process:
        logs = tmp_path / "runs" / "matches"
        wait_until(lambda: any(log.read_bytes().count(b"\n") > 20 for log in logs.glob("*.jsonl")))
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    report = json.loads(output)
    assert 10 < report["games"] < 4000
    assert report["elo_low"] is not None
    first, *_, told, last = errors.splitlines()
    assert first == STOPPING
    assert told.endswith(f"the match continues with: {PROGRAM} {' '.join(arguments)} --resume")
    assert last == "selfmate: interrupted"
    more = selfmate(*arguments[:3], "--games", "2", "--json", "--resume", cwd=tmp_path)
    assert json.loads(more.stdout)["seconds"] < 5  # its games were in the log


@pytest.mark.parametrize(
    "arguments",
    [
        ("puzzles", "ENGINE", "p.csv"),
        ("conversion", "ENGINE"),
        ("rate", "ENGINE", "--games", "4"),
    ],
)
def test_long_verbs_end_at_the_second_ctrl_c(arguments: tuple[str, ...], tmp_path: Path) -> None:
    name = f"uci:path={script(tmp_path / 'slow', SLOW_ENGINE)},nodes=1"
    (tmp_path / "p.csv").write_text(PUZZLES)
    typed = [name if word == "ENGINE" else word for word in arguments]
    with running(*typed, cwd=tmp_path) as process:
        wait_until((tmp_path / "thinking").exists)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert "stopping after this move" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert f"by: {PROGRAM} {' '.join(typed)}\n" in errors


def test_a_rating_that_cannot_be_kept_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    monkeypatch.setattr(sys, "argv", ["selfmate", "rate", "teacher:depth=1,random=45"])
    with pytest.raises(JobFailedError, match="the pool cannot be written: No space left on device"):
        rate(["teacher:depth=1,random=45"], games=4, pool=tmp_path / "pool.jsonl")
    shown = capsys.readouterr().out
    assert "teacher:depth=1,random=45: " in shown
    with pytest.raises(BadInputError, match="/dev/full is not a file"):
        rate(pool=Path("/dev/full"))
