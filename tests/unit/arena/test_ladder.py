"""The ladder and its pool, with players whose strength a test decides."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from selfmate.arena import ladder as ladder_module
from selfmate.arena.elo import Pentanomial
from selfmate.arena.ladder import (
    ANCHORS,
    DIGEST_LENGTH,
    RULES_VERSION,
    Ladder,
    PairingPlan,
    Pool,
    merged,
    shipped_results,
    shipped_ruler,
)
from selfmate.arena.rating import Anchor, Pairing, fit_ruler
from selfmate.players import Player, load_player
from selfmate.rules import Board
from selfmate.weights.card import read_card
from unit.arena.scripted import Scripted, by_seed

LEVELS = range(-2, 9)
STEP_ELO = 150
SEARCHLESS, ALPHAZERO = (
    read_card(name).weights_sha256[:DIGEST_LENGTH] for name in ("searchless-tiny", "alphazero-tiny")
)


def pairing(player: str, opponent: str, *counts: int) -> Pairing:
    low, half, even, more, full = counts
    return Pairing(player, opponent, Pentanomial((low, half, even, more, full)))


@pytest.fixture
def levels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rungs that toss a coin in every game: `level 3` wins against `level 2` as 150 Elo say."""
    anchors = {f"level {n}": Anchor(1000.0 + STEP_ELO * n, 1) for n in LEVELS}
    even = Pentanomial((0, 0, 1, 0, 0))
    links = [Pairing(a, b, even) for a, b in pairwise(anchors)]

    def load(name: str) -> Player:
        odds = 10 ** (STEP_ELO * float(name.rsplit(maxsplit=1)[-1]) / 400)

        def answer(board: Board, seed: int) -> str:
            """Gives up with a chance that falls with the strength; the first to give up loses."""
            return "!gave up" if seed % 10**6 < 10**6 * 0.2 / (1 + odds) else by_seed(board, seed)

        return Scripted(name, answer)

    monkeypatch.setattr(ladder_module, "load_player", load)
    monkeypatch.setattr(ladder_module, "shipped_ruler", lambda: fit_ruler(links, anchors))
    monkeypatch.setattr(ladder_module, "ANCHORS", {})


def play_plans(ladder: Ladder, player: str, games: int) -> list[PairingPlan]:
    plans = []
    while (plan := ladder.next_plan(player, games)) is not None:
        plans.append(plan)
        ladder.play(plan, lambda: None)
    return plans


@pytest.mark.usefixtures("levels")
def test_opponents_are_chosen_near_the_player(tmp_path: Path) -> None:
    ladder = Ladder(tmp_path / "pool.jsonl", seed=1)
    plans = play_plans(ladder, "player 6", 120)
    assert sum(plan.games for plan in plans) == 120
    rating = ladder.rating("player 6")
    assert rating is not None
    late = [plan.opponent for plan in plans[6:]]
    assert len(set(late)) >= 3
    for name in late:
        assert abs(ladder.ruler.elo(name) - rating.elo) < 4 * STEP_ELO


@pytest.mark.usefixtures("levels")
def test_the_same_seed_and_pool_give_the_same_rating(tmp_path: Path) -> None:
    first, second = (Ladder(tmp_path / f"{name}.jsonl", seed=3) for name in "ab")
    assert play_plans(first, "player 2", 60) == play_plans(second, "player 2", 60)
    assert first.rating("player 2") == second.rating("player 2")
    again = Ladder(tmp_path / "a.jsonl", seed=3)
    assert again.next_plan("player 2", 60) is None
    assert again.rating("player 2") == first.rating("player 2")


@pytest.mark.usefixtures("levels")
def test_results_are_used_again(tmp_path: Path) -> None:
    path = tmp_path / "pool.jsonl"
    play_plans(Ladder(path, seed=1), "player 2", 40)
    assert sum(plan.games for plan in play_plans(Ladder(path, seed=1), "player 2", 61)) == 22
    assert Ladder(path, seed=1).games_of("player 2") == 62


@pytest.mark.usefixtures("levels")
def test_who_else_is_in_the_pool_does_not_matter(tmp_path: Path) -> None:
    ladder = Ladder(tmp_path / "pool.jsonl", seed=1)
    play_plans(ladder, "player 2", 40)
    before = ladder.ratings()
    for rung in ladder.ruler.names:
        ladder.pool.add(pairing("draws everything", rung, 0, 0, 50, 0, 0))
    after = ladder.ratings()
    assert after.pop("draws everything").misfit > 1
    assert {name: after[name] for name in before} == before


@pytest.mark.usefixtures("levels")
def test_a_rung_has_its_rating_without_games(tmp_path: Path) -> None:
    ladder = Ladder(tmp_path / "pool.jsonl", seed=1)
    assert ladder.next_plan("level 2", 100) is None
    assert ladder.rating("level 2") == ladder.ruler.rating("level 2")
    assert ladder.rating("nobody") is None
    assert list(ladder.ratings()) == [f"level {n}" for n in reversed(LEVELS)]


def test_stockfish_is_an_opponent_of_strong_players_where_it_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opponents(rung: str, *, installed: bool = True) -> set[str]:
        """Of a player as strong as this rung, over many games."""
        found = "/usr/games/stockfish" if installed else None
        monkeypatch.setattr(ladder_module, "find_program", lambda _: found)
        ladder = Ladder(tmp_path / "none.jsonl", seed=1)
        ladder.pool.pairings = [pairing("x", rung, 2, 2, 2, 2, 2)]
        names = set()
        for _ in range(10):
            plan = ladder.next_plan("x", 10**6)
            assert plan is not None
            names.add(plan.opponent)
            ladder.pool.pairings.append(pairing("x", plan.opponent, 2, 2, 2, 2, 2))
        return names

    assert opponents("teacher:depth=4") & ANCHORS.keys()
    assert not opponents("teacher:depth=4", installed=False) & ANCHORS.keys()
    assert not opponents("teacher:depth=2") & ANCHORS.keys()
    assert len(opponents("teacher:depth=2")) >= 3


def test_results_of_one_pair_are_added_up() -> None:
    parts = [pairing("a", "b", 1, 2, 3, 4, 5), pairing("b", "a", 1, 0, 0, 0, 2)]
    assert merged(parts) == [pairing("a", "b", 3, 2, 3, 4, 6)]


# The ruler that ships


def test_the_ruler_that_ships_hangs_together() -> None:
    ruler = shipped_ruler()
    assert {f"stockfish:skill={level}" for level in range(6)} <= {*ruler.names}
    assert all(match.pairs.pairs >= 30 for match in merged(shipped_results()))
    ratings = {name: ruler.rating(name) for name in ruler.names}
    assert min(ratings, key=lambda name: ratings[name].elo) == "random"
    for name, anchor in ANCHORS.items():
        if name in ratings:
            assert abs(ratings[name].elo - anchor.elo) < 100
    in_order = sorted(rating.elo for rating in ratings.values())
    assert max(b - a for a, b in pairwise(in_order)) < 350  # nobody falls between two rungs


def test_every_built_in_rung_can_be_loaded() -> None:
    for name in set(shipped_ruler().names) - ANCHORS.keys():
        assert load_player(name).name == name


# The pool


def test_a_pool_drops_a_line_that_was_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "pool.jsonl"
    Pool(path).add(pairing("a", "random", 1, 2, 3, 4, 5))
    with path.open("a") as file:
        file.write('{"player": "a", "oppo')
    again = Pool(path)
    assert again.pairings == [pairing("a", "random", 1, 2, 3, 4, 5)]
    assert again.left_out_text() is None
    assert (again.games("a", "random"), again.games("a", "b")) == (30, 0)
    again.add(pairing("a", "random", 0, 0, 0, 0, 1))
    assert Pool(path).games("a", "random") == 32


def test_results_that_cannot_be_compared_are_left_out_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "pool.jsonl"
    pool = Pool(path)
    old = {"pairs": [0, 0, 5, 0, 0], "conditions": pool.conditions}
    lines = [
        {"player": "mine", "opponent": "teacher:depth=2", **old},  # of 0.1, as good as new
        {"player": "mine", "opponent": "stockfish:elo=1350", **old},
        {"player": "stockfish:elo=1350", "opponent": "teacher:depth=3", **old},
        {"player": "mine", "opponent": "stockfish:skill=1", **old},
        {"player": "alphazero-tiny:sims=9", "opponent": "random", **old},  # which weights?
        {"player": "greedy", "opponent": "mine", **old},
        {"player": "teacher:depth=2", "opponent": "teacher:depth=1", **old},
        {"player": "mine", "opponent": "random", **old, "conditions": "other openings"},
        {"player": "alphazero-tiny:sims=0", "opponent": "random", **old, "weights": "another"},
        {"player": "searchless-tiny", "opponent": "random", **old, "weights": SEARCHLESS},
        {"player": "alphazero-tiny:sims=0", "opponent": "random", **old, "weights": ALPHAZERO},
        {"player": "alphazero-tiny:sims=9", "opponent": "random", **old, "weights": ALPHAZERO},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    again = Pool(path)
    assert again.pairings == [
        pairing("mine", "teacher:depth=2", 0, 0, 5, 0, 0),
        pairing("alphazero-tiny:sims=9", "random", 0, 0, 5, 0, 0),
    ]
    text = again.left_out_text() or ""
    assert text.startswith(f"10 results of {path} are not used: 3 of version 0.1 with Stockfish")
    for reason in ("no rung", "between rungs", "other openings", "2 of nets with other weights"):
        assert reason in text
    assert "2 of nets without search that did not know yet what a move ends" in text
    assert text.count("12 lines without a checksum") == 1


def test_a_changed_result_of_the_pool_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "pool.jsonl"
    Pool(path).add(pairing("a", "random", 1, 2, 3, 4, 5))
    path.write_text(path.read_text().replace("[1, 2,", "[0, 2,"))
    with pytest.raises(ValueError, match=r"pool\.jsonl, line 1 is damaged: its checksum"):
        Pool(path)


def test_a_result_of_0_1_counts_whichever_side_the_rung_was(tmp_path: Path) -> None:
    path = tmp_path / "pool.jsonl"
    entry = {"player": "teacher:depth=1", "opponent": "greedy", "pairs": [1, 2, 3, 4, 5]}
    path.write_text(json.dumps(entry | {"conditions": Pool(path).conditions}) + "\n")
    assert Pool(path).pairings == [pairing("greedy", "teacher:depth=1", 5, 4, 3, 2, 1)]


def test_results_of_nets_say_which_weights_played_by_which_rules(tmp_path: Path) -> None:
    path = tmp_path / "pool.jsonl"
    Pool(path).add(pairing("alphazero-tiny:sims=0,terminal=exact", "random", 0, 0, 1, 0, 0))
    entry = json.loads(path.read_text())
    assert (entry["weights"], entry["rules"]) == (ALPHAZERO, RULES_VERSION)
    assert len(Pool(path).pairings) == 1


@pytest.mark.parametrize(
    "entry",
    [
        {"player": "a", "opponent": "random", "pairs": [1, 2], "conditions": ""},
        {"player": "a", "opponent": "random", "pairs": [1, 2, 3, 4, -5], "conditions": ""},
        {"player": "a", "opponent": "random", "pairs": [1, 2, 3, 4, 5]},
        {"opponent": "random", "pairs": [1, 2, 3, 4, 5], "conditions": ""},
        [],
    ],
)
def test_a_damaged_pool_is_refused_with_its_line(tmp_path: Path, entry: object) -> None:
    path = tmp_path / "pool.jsonl"
    path.write_text(json.dumps(entry) + "\n")
    with pytest.raises(ValueError, match="line 1 is damaged"):
        Pool(path)


def test_stockfish_levels_have_the_ratings_of_their_authors() -> None:
    assert ANCHORS["stockfish:skill=0"].elo == 1320
    assert ANCHORS["stockfish:skill=10"].elo == 2788
