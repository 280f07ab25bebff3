"""Tournaments: a table of matches, kept in files."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from selfmate.lab.errors import BusyError, NotFoundError
from selfmate.lab.matches import Matches
from selfmate.lab.players import CommandLineNames, LabPlayers
from selfmate.lab.runs_folder import RunsFolder
from selfmate.lab.tournaments import NewTournament, Tournaments

PLAYERS = ["teacher:depth=1", "greedy", "random"]


class Undriven(Tournaments):
    """Nobody plays: the test writes the games."""

    def drive(self) -> None:
        pass


@pytest.fixture
def tournaments(tmp_path: Path) -> Tournaments:
    runs = tmp_path / "runs"
    names = CommandLineNames(runs, LabPlayers(RunsFolder(runs)))
    return Undriven(runs / "tournaments", Matches(runs / "matches", names), names)


def test_a_new_tournament_has_an_empty_table(tournaments: Tournaments) -> None:
    name = tournaments.start(NewTournament(players=PLAYERS, games=3))
    data = tournaments.data_of(name)
    assert (data["state"], data["done"], data["total"], data["games"]) == ("running", 0, 12, 4)
    assert [row["player"] for row in data["table"]] == PLAYERS
    assert data["table"][0]["cells"][0] is None
    assert data["table"][0]["cells"][1] == {"match": None, "points": 0.0, "games": 0}
    assert [row["id"] for row in tournaments.data()] == [name]


def test_it_is_stopped_and_resumed(tournaments: Tournaments) -> None:
    name = tournaments.start(NewTournament(players=PLAYERS))
    before = tournaments.version()
    tournaments.stop(name)
    assert tournaments.version() != before
    assert tournaments.data_of(name)["state"] == "stopped"
    tournaments.resume(name)
    assert tournaments.data_of(name)["state"] == "running"
    with pytest.raises(BusyError):
        tournaments.resume(name)


def test_a_player_is_named_once_and_must_exist(tournaments: Tournaments) -> None:
    with pytest.raises(ValueError, match="named once"):
        tournaments.start(NewTournament(players=["random", "greedy", "random"]))
    with pytest.raises(ValueError, match="the lab has no player"):
        tournaments.start(NewTournament(players=["random", "greedy", "nobody"]))
    with pytest.raises(ValidationError):
        NewTournament(players=["random", "greedy"])
    with pytest.raises(NotFoundError):
        tournaments.data_of("../matches")
