"""Work that is watched and stopped from outside, by the example of a match."""

from pathlib import Path

import pytest

from selfmate.arena import sitting
from selfmate.arena.run_match import MatchRun, MatchSettings
from selfmate.arena.sitting import ask_to_stop, read_news, stop_path
from selfmate.runs.lock import is_taken
from unit.arena.scripted import Scripted, by_dice


@pytest.fixture(autouse=True)
def look_up_every_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sitting, "SECONDS_BETWEEN_NEWS", 0.0)


def make_run(folder: Path, *, resume: bool = False) -> MatchRun:
    players = (Scripted("a", by_dice, 4), Scripted("b", by_dice, 4))
    return MatchRun(players, MatchSettings(games=20, seed=3, max_plies=30), folder, resume)


def test_a_match_that_is_asked_to_stop_keeps_its_games_and_goes_on(tmp_path: Path) -> None:
    whole = make_run(tmp_path / "whole")
    whole.play(lambda: None)
    stopped = make_run(tmp_path / "stopped")
    path = stopped.log.path
    stopped.play(lambda: ask_to_stop(path))
    assert stopped.stopped
    assert 0 < len(stopped.log.games) < 20
    assert not stop_path(path).exists()
    assert not is_taken(path)
    resumed = make_run(tmp_path / "stopped", resume=True)
    resumed.play(lambda: None)
    assert not resumed.stopped
    assert resumed.games() == whole.games()


def test_what_goes_on_is_told_and_nothing_when_it_is_over(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    heard = []
    run.play(lambda: heard.append(read_news(run.log.path)))
    assert heard[-1]["games"] == 20
    assert any(len(news["playing"]["moves"]) > 8 for news in heard if news.get("playing"))
    assert read_news(run.log.path) == {"games": 20, "sprt": None, "playing": None}


def test_a_wish_that_came_too_late_stops_no_later_match(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    ask_to_stop(run.log.path)
    run.play(lambda: None)
    assert len(run.log.games) == 20


def test_only_one_at_a_time(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    with pytest.raises(ValueError, match="being played by another process"):
        make_run(tmp_path, resume=True)
    run.log.close()
    make_run(tmp_path).log.close()
