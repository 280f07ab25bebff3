"""`match`, `rate`, `puzzles` and `uci` with the built-in players."""

import io
import json
from pathlib import Path

import chess
import chess.engine
import chess.pgn
import pytest

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


def test_an_odd_number_of_games_is_made_even_and_can_be_extended(tmp_path: Path) -> None:
    short = selfmate("match", "greedy", "random", "--games", "3", "--json", cwd=tmp_path)
    longer = selfmate(
        "match", "greedy", "random", "--games", "8", "--resume", "--json", cwd=tmp_path
    )
    fresh = selfmate("match", "greedy", "random", "--games", "8", "--json", cwd=tmp_path)
    assert json.loads(short.stdout)["games"] == 4
    assert without_time(longer.stdout) == without_time(fresh.stdout)


def test_a_match_prints_a_table_and_writes_pgn(tmp_path: Path) -> None:
    run = selfmate("match", "greedy", "random", "--games", "4", "--pgn", "m.pgn", cwd=tmp_path)
    assert run.returncode == 0
    assert "greedy against random" in run.stdout
    file = io.StringIO((tmp_path / "m.pgn").read_text("utf-8"))
    games = [chess.pgn.read_game(file) for _ in range(5)]
    assert [game is None for game in games] == [False] * 4 + [True]


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
