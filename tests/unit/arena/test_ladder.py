"""The ladder and its pool, with players whose strength a test decides."""

import json
from pathlib import Path

import pytest

from selfmate.arena import ladder as ladder_module
from selfmate.arena.elo import Pentanomial
from selfmate.arena.ladder import Ladder, PairingPlan, Pool
from selfmate.arena.rating import Pairing
from selfmate.players import Player
from selfmate.rules import Board
from unit.arena.scripted import Scripted, by_seed

CONDITIONS = "some openings"


def pairing(player: str, opponent: str, *counts: int) -> Pairing:
    low, half, even, more, full = counts
    return Pairing(player, opponent, Pentanomial((low, half, even, more, full)))


@pytest.fixture
def three_rungs(monkeypatch: pytest.MonkeyPatch) -> None:
    """`weak` gives up at once, `random` soon, `even` at times; `steady` and `strong` never do."""
    chance = {"weak": 1.0, "even": 0.3, "strong": 0.0, "steady": 0.0, "random": 0.9}

    def load(name: str) -> Player:
        def answer(board: Board, seed: int) -> str:
            gives_up = seed % 1000 < 1000 * chance[name]
            return "!gives up" if gives_up else by_seed(board, seed)

        return Scripted(name, answer)

    monkeypatch.setattr(ladder_module, "load_player", load)
    monkeypatch.setattr(ladder_module, "rungs", lambda: ["random", "even"])
    monkeypatch.setattr(ladder_module, "BUILT_IN_RUNGS", ("random", "even"))


def play_plans(ladder: Ladder, player: str) -> list[PairingPlan]:
    plans = []
    for plan in ladder.player_plans(player):
        plans.append(plan)
        ladder.play(plan, lambda: None)
    return plans


@pytest.mark.usefixtures("three_rungs")
def test_stronger_players_have_higher_ratings(tmp_path: Path) -> None:
    ladder = Ladder(tmp_path / "pool.jsonl", 40, seed=1)
    for plan in ladder.rung_plans():
        ladder.play(plan, lambda: None)
    play_plans(ladder, "strong")
    ratings = ladder.ratings()
    assert ratings["random"].elo == pytest.approx(0)
    assert 0 < ratings["even"].elo < ratings["strong"].elo
    assert ladder.tied_ratings() is None


@pytest.mark.usefixtures("three_rungs")
def test_results_are_used_again(tmp_path: Path) -> None:
    path = tmp_path / "pool.jsonl"
    first = play_plans(Ladder(path, 10, seed=1), "strong")
    assert [plan.games for plan in first] == [10, 10]
    assert play_plans(Ladder(path, 10, seed=1), "strong") == []
    assert [plan.games for plan in play_plans(Ladder(path, 16, seed=1), "strong")] == [6, 6]


@pytest.mark.usefixtures("three_rungs")
def test_a_player_stops_after_two_hopeless_rungs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ladder_module, "rungs", lambda: ["steady", "strong", "random"])
    plans = play_plans(Ladder(tmp_path / "pool.jsonl", 10, seed=1), "weak")
    assert [plan.opponent for plan in plans] == ["steady", "strong"]


def test_a_pool_drops_a_line_that_was_cut_off_and_other_conditions(tmp_path: Path) -> None:
    path = tmp_path / "pool.jsonl"
    pool = Pool(path, CONDITIONS)
    pool.add(pairing("a", "b", 1, 2, 3, 4, 5))
    Pool(path, "others").add(pairing("a", "c", 0, 0, 1, 0, 0))
    with path.open("a") as file:
        file.write('{"player": "a", "oppo')
    again = Pool(path, CONDITIONS)
    assert again.pairings == [pairing("a", "b", 1, 2, 3, 4, 5)]
    assert (again.games("a", "b"), again.games("b", "a"), again.games("a", "c")) == (30, 30, 0)
    again.add(pairing("b", "a", 0, 0, 0, 0, 1))
    assert Pool(path, CONDITIONS).games("a", "b") == 32


@pytest.mark.parametrize(
    "entry",
    [
        {"player": "a", "opponent": "b", "pairs": [1, 2], "conditions": CONDITIONS},
        {"player": "a", "opponent": "b", "pairs": [1, 2, 3, 4, -5], "conditions": CONDITIONS},
        {"opponent": "b", "pairs": [1, 2, 3, 4, 5], "conditions": CONDITIONS},
        [],
    ],
)
def test_a_damaged_pool_is_refused_with_its_line(tmp_path: Path, entry: object) -> None:
    path = tmp_path / "pool.jsonl"
    path.write_text(json.dumps(entry) + "\n")
    with pytest.raises(ValueError, match="line 1 is damaged"):
        Pool(path, CONDITIONS)
