"""Matches on disk: logs, resuming, SPRT, and sessions that are watched and stopped by others."""

import errno
import io
import json
import os
import re
from dataclasses import asdict
from pathlib import Path

import chess.pgn
import pytest

from selfmate.arena import match_run
from selfmate.arena.match import Match, PlayedGame, write_match_pgn
from selfmate.arena.match_run import (
    MatchConditions,
    MatchLog,
    MatchRun,
    MatchSettings,
    read_progress,
    request_stop,
    stop_path,
)
from selfmate.arena.openings import Opening
from selfmate.arena.sprt import Sprt
from selfmate.players import load_player
from selfmate.rules import Board
from selfmate.runs.status import is_taken
from unit.arena.scripted import Scripted, by_seed
from unit.players.trained_runs import make_tree_run

OPENING = Opening(Board().fen(), ("e2e4", "e7e5"))
CONDITIONS = MatchConditions(players=("a", "b"), openings="x", seed=1, max_plies=9)


@pytest.fixture
def update_always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Progress is written after every round of moves."""
    monkeypatch.setattr(match_run, "SECONDS_BETWEEN_UPDATES", 0.0)


def game(number: int, result: int) -> PlayedGame:
    return PlayedGame(number, OPENING, ("e2e4", "e7e5"), result, "checkmate")


def make_run(folder: Path, games: int, *, resume: bool = False) -> MatchRun:
    players = (Scripted("a", by_seed), Scripted("b", by_seed))
    return MatchRun(players, MatchSettings(games=games, seed=3, max_plies=30), folder, resume)


def test_an_interrupted_match_resumes_with_the_same_games(tmp_path: Path) -> None:
    whole = make_run(tmp_path / "whole", 20)
    whole.play(lambda: None)

    class InterruptionError(Exception):
        pass

    def interrupt() -> None:
        if len(broken.log.games) == 7:
            raise InterruptionError

    broken = make_run(tmp_path / "broken", 20)
    with pytest.raises(InterruptionError):
        broken.play(interrupt)
    resumed = make_run(tmp_path / "broken", 20, resume=True)
    assert len(resumed.log.games) == 7
    resumed.play(lambda: None)
    assert resumed.games() == whole.games()


def test_a_match_can_be_extended(tmp_path: Path) -> None:
    make_run(tmp_path, 6).play(lambda: None)
    longer, fresh = make_run(tmp_path, 10, resume=True), make_run(tmp_path / "fresh", 10)
    played = 0

    def count() -> None:
        nonlocal played
        played += 1

    longer.play(count)
    fresh.play(lambda: None)
    assert played == 4
    assert longer.games() == fresh.games()


def test_without_resume_the_log_starts_anew(tmp_path: Path) -> None:
    make_run(tmp_path, 4).play(lambda: None)
    anew = make_run(tmp_path, 4)
    assert anew.log.games == {}
    anew.log.close()


def test_sprt_stops_a_match_at_a_pair(tmp_path: Path) -> None:
    players = (Scripted("a", by_seed, 7), Scripted("b", lambda *_: "!gone", 7))
    settings = MatchSettings(games=1000, seed=3, sprt=Sprt(0, 400))
    run = MatchRun(players, settings, tmp_path, resume=False)
    run.play(lambda: None)
    report = run.report()
    assert report.sprt is not None
    assert report.sprt.verdict == "H1"
    assert report.games % 2 == 0
    assert report.games < 40
    assert "H1 accepted" in report.sprt.sentence()


def test_a_game_whose_line_was_cut_off_is_played_again(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log = MatchLog(path, CONDITIONS, resume=False)
    log.add(game(0, 1))
    log.add(game(1, 0))
    log.close()
    path.write_bytes(path.read_bytes()[:-10])
    log = MatchLog(path, CONDITIONS, resume=True)
    assert log.games == {0: game(0, 1)}
    log.add(game(1, -1))
    log.close()
    again = MatchLog(path, CONDITIONS, resume=True)
    assert again.games == {0: game(0, 1), 1: game(1, -1)}
    again.close()


def test_a_damaged_or_foreign_log_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    MatchLog(path, CONDITIONS, resume=False).close()
    other = MatchConditions(players=("a", "c"), openings="x", seed=1, max_plies=9)
    with pytest.raises(ValueError, match="is the log of another match"):
        MatchLog(path, other, resume=True)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('"number": 0, ', "", "it has no 'number'"),
        ('"result": 1', '"result": 7', "the result is 7, not 1, 0 or -1"),
        ('"result": 1', '"result": ' + "[" * 10**5 + "]" * 10**5, "it is nested too deeply"),
        ('"e7e5"], "result"', '"e2e4"], "result"', "illegal move 'e2e4'"),
        ('"e7e5"], "result"', '7], "result"', "a value is of the wrong kind"),
        ("checkmate", "\udcff", "it is not UTF-8 text"),
    ],
)
def test_damage_in_a_log_is_named(tmp_path: Path, old: str, new: str, reason: str) -> None:
    """In logs without checksums, as version 0.1 wrote them."""
    path = tmp_path / "log.jsonl"
    log = MatchLog(path, CONDITIONS, resume=False)
    log.add(game(0, 1))
    log.close()
    text = re.sub(r', "crc32": "\w+"', "", path.read_text("utf-8"))
    assert old in text
    path.write_bytes(text.replace(old, new).encode("utf-8", "surrogateescape"))
    with pytest.raises(ValueError, match=f"log.jsonl, line 2 is damaged: .*{reason}"):
        MatchLog(path, CONDITIONS, resume=True)


def test_a_changed_result_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log = MatchLog(path, CONDITIONS, resume=False)
    log.add(game(0, -1))
    log.close()
    path.write_bytes(path.read_bytes().replace(b'"result": -1', b'"result": 1'))
    with pytest.raises(ValueError, match=r"line 2 is damaged: its checksum does not fit"):
        MatchLog(path, CONDITIONS, resume=True)


def test_a_log_of_version_0_1_is_read_with_a_notice(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    lines = [{"agreement": asdict(CONDITIONS)}, asdict(game(0, 1)), asdict(game(1, 0))]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    log = MatchLog(path, CONDITIONS, resume=True)
    assert log.games == {0: game(0, 1), 1: game(1, 0)}
    assert f"{path} has 3 lines without a checksum" in (log.notice or "")
    log.add(game(2, 1))
    log.close()
    again = MatchLog(path, CONDITIONS, resume=True)
    assert len(again.games) == 3
    again.close()


def test_on_a_full_disk_games_count_and_the_log_stays_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, fsync = make_run(tmp_path, 20), os.fsync
    done = 0

    def full(descriptor: int) -> None:
        nonlocal done
        done += 1
        if done > 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"No space left on device: '.*\.jsonl'"):
        run.play()
    assert run.report().games == 4
    monkeypatch.undo()
    resumed = make_run(tmp_path, 20, resume=True)
    resumed.play()
    whole = make_run(tmp_path / "whole", 20)
    whole.play()
    assert resumed.games() == whole.games()


def test_a_match_stops_between_moves_and_drops_forfeits_of_ended_engines(tmp_path: Path) -> None:
    stopping = False

    def ended(board: Board, seed: int) -> str:
        return "!crashed" if stopping else by_seed(board, seed)

    def stop() -> None:
        nonlocal stopping
        stopping = len(run.log.games) >= 3

    players = (Scripted("a", ended, 4), Scripted("b", by_seed, 4))
    run = MatchRun(players, MatchSettings(games=20, seed=3, max_plies=30), tmp_path, resume=False)
    run.play(on_game=stop, should_stop=lambda: stopping)
    assert run.stopped
    assert 3 <= run.report().games < 20
    assert run.report().forfeits == 0


def test_comments_of_searches_are_kept_with_the_game(tmp_path: Path) -> None:
    make_tree_run(tmp_path / "net")
    players = (load_player(f"{tmp_path}/net:sims=4"), load_player("random"))
    (played,) = Match(players, [OPENING], seed=1, max_plies=6).play([0])
    assert [bool(comment) for comment in played.comments] == [True, False] * 3
    log = MatchLog(tmp_path / "log.jsonl", CONDITIONS, resume=False)
    log.add(played)
    log.close()
    log = MatchLog(tmp_path / "log.jsonl", CONDITIONS, resume=True)
    assert log.games == {0: played}
    log.close()
    file = io.StringIO()
    write_match_pgn([played], ("a", "b"), file, date="2026.01.01", seed=1)
    file.seek(0)
    read = chess.pgn.read_game(file)
    assert read is not None
    said = [node.comment for node in read.mainline()]
    assert said == ["", "", *played.comments]


@pytest.mark.usefixtures("update_always")
def test_a_match_that_is_asked_to_stop_keeps_its_games_and_resumes(tmp_path: Path) -> None:
    whole = make_run(tmp_path / "whole", 20)
    whole.play(lambda: None)
    stopped = make_run(tmp_path / "stopped", 20)
    path = stopped.log.path
    stopped.play(lambda: request_stop(path))
    assert stopped.stopped
    assert 0 < len(stopped.log.games) < 20
    assert not stop_path(path).exists()
    assert not is_taken(path)
    resumed = make_run(tmp_path / "stopped", 20, resume=True)
    resumed.play(lambda: None)
    assert not resumed.stopped
    assert resumed.games() == whole.games()


@pytest.mark.usefixtures("update_always")
def test_the_progress_file_shows_a_running_game_and_none_at_the_end(tmp_path: Path) -> None:
    run = make_run(tmp_path, 20)
    written = []
    run.play(lambda: written.append(read_progress(run.log.path)))
    assert written[-1]["games"] == 20
    assert any(
        len(progress["playing"]["moves"]) > 8 for progress in written if progress.get("playing")
    )
    assert read_progress(run.log.path) == {"games": 20, "sprt": None, "playing": None}


@pytest.mark.usefixtures("update_always")
def test_a_late_request_does_not_stop_the_next_session(tmp_path: Path) -> None:
    run = make_run(tmp_path, 20)
    request_stop(run.log.path)
    run.play(lambda: None)
    assert len(run.log.games) == 20


def test_only_one_process_plays_a_match(tmp_path: Path) -> None:
    run = make_run(tmp_path, 20)
    with pytest.raises(ValueError, match="being played by another process"):
        make_run(tmp_path, 20, resume=True)
    run.log.close()
    make_run(tmp_path, 20).log.close()
