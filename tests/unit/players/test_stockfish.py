"""Stockfish as a player. Tests that play need it installed; names and errors do not."""

import numpy as np
import pytest

from selfmate.players import Analysis, Limits, SearchRequest, load_player
from selfmate.players import engine as programs
from selfmate.players.engine import find_program
from selfmate.rules import Board

needs_stockfish = pytest.mark.skipif(
    find_program("stockfish") is None, reason="Stockfish is not installed"
)

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("stockfish", "needs exactly one of elo=, skill=, nodes="),
        ("stockfish:elo=1500,nodes=5", "needs exactly one of"),
        ("stockfish:elo=1319", r"not a whole number 1320\.\.2788"),
        ("stockfish:skill=21", r"not a whole number 0\.\.20"),
        ("stockfish:depth=3", "no setting 'depth'"),
        ("stockfish:nodes=3,movetime=9", "has two limits"),
    ],
)
def test_bad_names(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load_player(name)


def test_without_stockfish_the_error_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    empty = tmp_path_factory.mktemp("empty")
    monkeypatch.setenv("PATH", str(empty))
    monkeypatch.setattr(programs, "GAMES_FOLDER", empty)
    with pytest.raises(ValueError, match="apt install stockfish"):
        load_player("stockfish:elo=1500")


@needs_stockfish
@pytest.mark.parametrize(
    ("setting", "full"),
    [
        ("skill=0", "skill=0"),
        ("skill=3,movetime=5", "skill=3,movetime=5"),
        ("skill=3,movetime=100", "skill=3"),  # the default
        ("nodes=1000", "nodes=1000"),
        ("elo=1350", "skill=0"),  # the nearest of 1320 and 1468
        ("elo=1600,movetime=5", "skill=2,movetime=5"),
        ("elo=2788", "skill=10"),
    ],
)
def test_it_plays_legal_moves(setting: str, full: str) -> None:
    boards = [Board(), Board(MATE_IN_ONE)] * 2
    player = load_player(f"stockfish:{setting}")
    try:
        assert player.name == f"stockfish:{full}"
        assert not player.choose(boards, np.zeros(4, np.uint64)).forfeits
    finally:
        player.close()


@needs_stockfish
def test_it_analyses() -> None:
    player = load_player("stockfish:nodes=5000")
    analyses: list[Analysis] = []
    try:
        last = player.analyse(
            SearchRequest(
                board=Board(MATE_IN_ONE),
                seed=0,
                limits=Limits(depth=3),
                report=analyses.append,
            )
        )
    finally:
        player.close()
    assert last.best == "a1a8"
    assert last.mate_in == 1
    assert analyses
