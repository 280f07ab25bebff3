"""Matches of the lab: real processes that play them, followed through their logs."""

import io
import json
import os
import threading
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import chess.pgn
import pytest

from selfmate.arena.elo import Pentanomial, estimate_elo
from selfmate.arena.match import PlayedGame, make_report
from selfmate.arena.match_run import (
    MatchLog,
    MatchSettings,
    log_path,
    match_conditions,
    read_progress,
)
from selfmate.arena.openings import Opening
from selfmate.lab.errors import BusyError, NotFoundError
from selfmate.lab.match_file import ScoreHistory, game_record
from selfmate.lab.matches import Matches, MatchTopic
from selfmate.lab.players import CommandLineNames, LabPlayers
from selfmate.lab.runs_folder import RunsFolder
from selfmate.rules.pgn import read_pgn
from unit.cli.process import selfmate
from unit.lab.asking import AskedLab
from unit.lab.topic_data import data_of

SHORT = MatchSettings(games=6, seed=1)
LONG = MatchSettings(games=1000, seed=1)
SLOW = "teacher:depth=3"


def matches_of(folder: Path) -> Matches:
    """As a lab that was just started has them."""
    runs = folder / "runs"
    return Matches(runs / "matches", CommandLineNames(runs, LabPlayers(RunsFolder(runs))))


def wait_for(matches: Matches, name: str, *states: str, games: int = 0) -> None:
    """Until a match is in one of these states, with so many games at least."""
    pause = threading.Event()
    for _ in range(6000):
        match = matches.file(name)
        if matches.state(match) in states and len(match.games) >= games:
            return
        pause.wait(0.01)
    raise AssertionError(f"the match is {matches.state(match)} after {len(match.games)} games")


@pytest.fixture
def long_match(tmp_path: Path) -> Iterator[tuple[Matches, str]]:
    matches = matches_of(tmp_path)
    name = matches.start(SLOW, "random", LONG, new_seed=False)
    yield matches, name
    matches.stop(name)
    wait_for(matches, name, "stopped", "failed")


def test_a_match_of_the_lab_is_that_of_the_command_line(tmp_path: Path) -> None:
    matches = matches_of(tmp_path)
    name = matches.start("teacher:depth=1", "random", SHORT, new_seed=True)
    wait_for(matches, name, "finished")
    shown = data_of(MatchTopic(matches, name))
    typed = selfmate("match", "teacher:depth=1", "random", "--games", "6", "--json", cwd=tmp_path)
    told = json.loads(typed.stdout)
    del told["seconds"]
    assert json.loads(json.dumps(shown["report"])) == told
    assert shown["history"]["games"] == [1, 2, 3, 4, 5, 6]
    assert shown["history"]["score"][-1] == pytest.approx(told["score"], abs=1e-4)
    assert sorted(game["number"] for game in shown["newest"]) == list(range(6))
    assert [path.stem for path in (tmp_path / "runs" / "matches").glob("*.jsonl")] == [name]


def test_a_match_is_new_without_a_seed_and_resumed_with_one(
    tmp_path: Path,
) -> None:
    matches = matches_of(tmp_path)
    first = matches.start("greedy", "random", SHORT, new_seed=True)
    wait_for(matches, first, "finished")
    second = matches.start("greedy", "random", SHORT, new_seed=True)
    wait_for(matches, second, "finished")
    assert matches.file(second).conditions.seed == 2
    longer = matches.start("greedy", "random", replace(SHORT, games=8), new_seed=False)
    assert longer == first
    wait_for(matches, first, "finished", games=8)
    assert [row["total"] for row in data_of(matches)] == [8, 6]  # the newest first


def test_a_match_from_the_command_line_shows_too(tmp_path: Path) -> None:
    selfmate("match", "greedy", "random", "--games", "4", "--sprt", "0,400", cwd=tmp_path)
    (row,) = data_of(matches_of(tmp_path))
    assert row["players"] == ["greedy", "random"]
    assert row["state"] == "finished"
    assert row["done"] == row["total"] == 4


def test_another_lab_stops_a_match_and_resumes_it(
    long_match: tuple[Matches, str], tmp_path: Path
) -> None:
    matches, name = long_match
    wait_for(matches, name, "running", games=2)
    with pytest.raises(BusyError, match="being played already"):
        matches.resume(name, None)
    restarted = matches_of(tmp_path)
    assert data_of(restarted)[0]["state"] == "running"
    restarted.stop(name)
    wait_for(restarted, name, "stopped")
    played = dict(restarted.file(name).games)
    assert 2 <= len(played) < LONG.games
    wait_for(matches, name, "stopped")  # its process has ended in good order
    restarted.resume(name, None)
    wait_for(restarted, name, "running", games=len(played) + 1)
    again = restarted.file(name).games
    assert {number: again[number] for number in played} == played
    restarted.stop(name)
    wait_for(restarted, name, "stopped")


def test_a_live_game_is_shown(long_match: tuple[Matches, str]) -> None:
    matches, name = long_match
    wait_for(matches, name, "running", games=1)
    playing = data_of(MatchTopic(matches, name))["playing"]
    assert playing["plies"] > 0
    chess.Board(playing["fen"])
    assert read_progress(matches.path(name))["games"] == LONG.games


def test_a_second_process_on_the_same_match_is_refused(
    long_match: tuple[Matches, str], tmp_path: Path
) -> None:
    matches, name = long_match
    wait_for(matches, name, "running")
    second = selfmate("match", SLOW, "random", "--games", "1000", cwd=tmp_path)
    assert second.returncode == 2
    assert "being played by another process" in second.stderr


@pytest.mark.parametrize(
    ("player", "error"),
    [
        ("uci:path=/bin/sh", ValueError),
        ("/etc", ValueError),
        ("runs/../../etc", NotFoundError),
        ("teacher:depth=99", ValueError),
    ],
)
def test_players_are_checked_before_anything_starts(
    tmp_path: Path, player: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        matches_of(tmp_path).start(player, "random", SHORT, new_seed=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["", "..", "../pool", "x"])
def test_a_name_is_no_path(tmp_path: Path, name: str) -> None:
    (tmp_path / "runs" / "matches").mkdir(parents=True)
    (tmp_path / "runs" / "pool.jsonl").write_text("{}\n")
    with pytest.raises(NotFoundError, match="there is no match"):
        matches_of(tmp_path).file(name)


def test_what_is_no_log_is_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "matches"
    folder.mkdir(parents=True)
    (folder / "empty.jsonl").write_text("")
    (folder / "odd.jsonl").write_text('{"agreement": 7}\n')
    (folder / "link.jsonl").symlink_to(tmp_path / "elsewhere")
    assert data_of(matches_of(tmp_path)) == []


def test_a_stranger_may_have_written_anything(tmp_path: Path) -> None:
    """Games up to the first that is none; and names that are no text, or no name of a file."""
    folder = tmp_path / "runs" / "matches"
    matches = matches_of(tmp_path)
    name = matches.start("random", "greedy", MatchSettings(games=2, max_plies=4), new_seed=False)
    wait_for(matches, name, "finished")
    log = folder / f"{name}.jsonl"
    first, good, odd = log.read_bytes().splitlines(keepends=True)
    whole = [line.replace(b'"result": 0', b'"result": 7') for line in (first, good, odd)]
    log.write_bytes(first + good + whole[2])
    for stem in ("\N{BLACK CHESS QUEEN}", os.fsdecode(b"caf\xe9")):
        (folder / f"{stem}.jsonl").write_bytes(first)
    rows = {row["id"]: row["done"] for row in data_of(matches_of(tmp_path))}
    assert rows == {name: 1, "\N{BLACK CHESS QUEEN}": 0}
    lab = AskedLab(tmp_path / "runs", tmp_path / "page")
    assert lab.get("/api/matches").status == 200


OPENING = Opening(chess.STARTING_FEN, ("e2e4",))
PLAYED = PlayedGame(1, OPENING, ("e2e4", "e7e5"), 1, "checkmate")
GOOD = asdict(PLAYED)
DEEP = b"[" * 100_000 + b"]" * 100_000
DAMAGED = {
    "result": json.dumps(GOOD | {"result": 7}).encode(),
    "no result": json.dumps({key: GOOD[key] for key in GOOD if key != "result"}).encode(),
    "number": b'{"number": Infinity, "opening": {"fen": "", "moves": []}}',
    "huge number": json.dumps(GOOD | {"number": 10**30}).encode(),
    "deep": b'{"number": ' + DEEP + b"}",
    "no object": b"7",
    "no text": b"\xff\xfe",
    "no character": json.dumps(GOOD | {"reason": "\ud800"}).encode(),
    "no position": json.dumps(GOOD | {"opening": {"fen": 7, "moves": []}}).encode(),
    "no moves": json.dumps(GOOD | {"moves": [7]}).encode(),
}
UNPLAYABLE = {
    "moves": replace(PLAYED, number=0, moves=("e2e4", "e2e4")),
    "nonsense": replace(PLAYED, number=0, moves=("zz\n1. e4",)),
    "position": replace(PLAYED, number=0, opening=Opening("x", ())),
}


def write_log(folder: Path, *games: PlayedGame, then: bytes = b"") -> str:
    """A log with these games, and with what somebody else wrote after them; its name."""
    conditions = match_conditions(("random", "greedy"), MatchSettings(games=4))
    log = MatchLog(log_path(folder / "runs" / "matches", conditions), conditions, resume=False)
    for played in games:
        log.add(played)
    log.close()
    with log.path.open("ab") as file:
        file.write(then)
    return log.path.stem


@pytest.mark.parametrize("damaged", DAMAGED.values(), ids=DAMAGED.keys())
def test_a_damaged_log_is_shown_up_to_the_damage(tmp_path: Path, damaged: bytes) -> None:
    name = write_log(tmp_path, PLAYED, then=damaged + b"\n")
    lab = AskedLab(tmp_path / "runs", tmp_path / "page")
    (row,) = lab.get("/api/matches").json
    assert row["done"] == 1
    assert row["damage"].startswith(f"line 3 of the log {name}.jsonl is damaged: ")
    assert data_of(MatchTopic(matches_of(tmp_path), name))["damage"] == row["damage"]
    assert [one["number"] for one in lab.get(f"/api/matches/{name}/games").json] == [1]
    assert lab.get(f"/api/matches/{name}/games/1").status == 200
    assert lab.get(f"/api/matches/{name}/games/0").status == 404


@pytest.mark.parametrize("damaged", UNPLAYABLE.values(), ids=UNPLAYABLE.keys())
def test_a_game_that_cannot_be_played_spoils_no_other(tmp_path: Path, damaged: PlayedGame) -> None:
    name = write_log(tmp_path, damaged, PLAYED)
    lab = AskedLab(tmp_path / "runs", tmp_path / "page")
    refused = lab.get(f"/api/matches/{name}/games/0")
    assert refused.status == 400
    assert refused.json["error"].startswith("game 1 is damaged: ")
    answer = lab.get(f"/api/matches/{name}/pgn")
    assert answer.text.startswith("; game 1 is left out, for it is damaged: ")
    read = chess.pgn.read_game(io.StringIO(answer.text))
    assert read is not None
    assert [move.uci() for move in read.mainline_moves()] == ["e2e4", "e7e5"]
    (tmp_path / "match.pgn").write_text(answer.text)
    assert sum(len(chunk.games) for chunk in read_pgn(tmp_path / "match.pgn")) == 1


def game(number: int, result: int) -> PlayedGame:
    opening = Opening(chess.STARTING_FEN, ("e2e4",))
    return PlayedGame(number, opening, ("e2e4", "e7e5"), result, "resigned")


def test_the_history_is_what_reports_would_have_said() -> None:
    games = [game(2, 1), game(0, -1), game(3, 0), game(1, -1), game(5, 1), game(4, 0)]
    history = ScoreHistory()
    for one in games:
        history.add(one)
    points = history.curve()
    for done in range(1, len(games) + 1):
        report = make_report(games[:done])
        assert points["score"][done - 1] == pytest.approx(report.score, abs=1e-4)
        if report.elo_low is not None:
            low = 1 / (1 + 10 ** (-report.elo_low / 400))
            assert points["low"][done - 1] == pytest.approx(low, abs=1e-4)
    assert estimate_elo(Pentanomial((0, 1, 1, 1, 0))).score == pytest.approx(points["score"][-1])


def test_a_long_history_is_thinned_and_ends_with_the_newest() -> None:
    history = ScoreHistory()
    for number in range(1000):
        history.add(game(number, 1 if number % 2 == 0 else -1))
    points = history.curve()
    assert len(points["games"]) <= 200
    assert (points["games"][0], points["games"][-1]) == (1, 1000)
    assert points["score"][-1] == 1


def test_a_record_holds_every_position() -> None:
    record = game_record(game(0, 1))
    assert record["sans"] == ["e4", "e5"]
    board = chess.Board()
    for move, position in zip(("e2e4", "e7e5"), record["positions"][1:], strict=True):
        board.push_uci(move)
        assert chess.Board(position["fen"]).board_fen() == board.board_fen()
        assert position["move"] == (move[:2], move[2:])
