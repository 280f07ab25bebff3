"""Players are known by their names in the lab, which lead to no file and no program."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from selfmate.arena.elo import Pentanomial
from selfmate.arena.ladder import Pool, shipped_ruler
from selfmate.arena.rating import Pairing
from selfmate.lab.errors import NotFoundError
from selfmate.lab.players import LabPlayers
from selfmate.lab.runs_folder import RunsFolder
from selfmate.runs import Checkpoints, Json
from selfmate.runs.card import Card
from selfmate.weights import model_names
from selfmate.weights.card import read_card
from unit.lab.asking import AskedLab
from unit.players.trained_runs import make_run, make_scorer_run, make_tree_run
from unit.runs.toy import run_toy


@pytest.fixture
def players(tmp_path: Path, no_flushing: None) -> LabPlayers:
    run_toy(tmp_path / "runs" / "mine")
    run_toy(tmp_path / "secret")
    return LabPlayers(RunsFolder(tmp_path / "runs"))


@pytest.fixture
def no_flushing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.fsync", lambda descriptor: None)


@pytest.mark.parametrize(
    "name",
    [
        "uci:path=/bin/sh",
        "uci:/bin/sh",
        "UCI:path=/bin/sh",
        "stockfish:path=/bin/sh",
        "random:path=/bin/sh",
        "/etc/passwd",
        "./runs/mine",
        "../secret",
        "mine",
        "runs",
        "runs/",
        "runs/.",
        "runs/..",
        "runs/../secret",
        "runs/mine/../../secret",
        "runs/mine/",
        "runs//etc/passwd",
        "runs/mine/checkpoints",
        "runs/mine\0",
        "runs/no-such",
        "",
        "\n",
        "x" * 100_000,
    ],
    ids=lambda name: repr(name[:30]),
)
def test_no_name_leads_elsewhere(players: LabPlayers, name: str) -> None:
    with pytest.raises((ValueError, NotFoundError)) as refused:
        players.load(name)
    assert len(str(refused.value)) < 1000


def test_nothing_is_said_of_where_the_runs_are(players: LabPlayers, tmp_path: Path) -> None:
    for name in ("runs/mine", "runs/mine:version=99", "runs/mine:speed=9"):
        with pytest.raises(ValueError, match="runs/mine") as refused:
            players.load(name)
        assert str(tmp_path) not in str(refused.value)


def test_a_net_that_searches_is_offered_in_strengths_that_play(tmp_path: Path) -> None:
    make_tree_run(tmp_path / "runs" / "deep")
    players = LabPlayers(RunsFolder(tmp_path / "runs"))
    offer = next(players.offers())
    names = [strength.name for strength in offer.strengths]
    assert {"runs/deep:sims=0", "runs/deep:sims=200", "runs/deep:by=value"} <= set(names)
    for name in names:
        full = players.shown(players.load(name).name)
        assert name.partition(":")[2].partition(",")[0] in full or "version=best" in name


def test_a_small_net_is_offered_with_a_search_first(tmp_path: Path) -> None:
    make_run(tmp_path / "runs" / "q")
    make_scorer_run(tmp_path / "runs" / "scorer")
    players = LabPlayers(RunsFolder(tmp_path / "runs"))
    for offer in list(players.offers())[:2]:
        first, *others = (strength.name for strength in offer.strengths)
        assert first == f"runs/{offer.title}:sims=400"
        assert f"runs/{offer.title}" in others
        players.load(first).close()


def elos(players: LabPlayers) -> dict[str, float | None]:
    return {one.name: one.elo for offer in players.offers() for one in offer.strengths}


def test_offers_carry_the_ratings_that_ship(tmp_path: Path) -> None:
    known = elos(LabPlayers(RunsFolder(tmp_path / "runs")))
    card = {rating.player: rating.elo for rating in read_card("alphazero-tiny").ratings}
    assert known["alphazero-tiny:sims=200"] == card["alphazero-tiny:sims=200"]
    assert known["alphazero-tiny:sims=0"] == card["alphazero-tiny:sims=0,terminal=exact"]
    assert known["teacher:depth=3"] == shipped_ruler().elo("teacher:depth=3")
    assert known["random"] == shipped_ruler().elo("random")
    assert known["greedy"] is None


def test_a_rated_checkpoint_carries_its_rating_and_a_later_one_does_not(tmp_path: Path) -> None:
    make_run(tmp_path / "runs" / "mine")  # three steps, the second is the best
    players = LabPlayers(RunsFolder(tmp_path / "runs"))
    pool = Pool(tmp_path / "runs" / "pool.jsonl")
    for version, pairs in ((1, (9, 1, 0, 0, 0)), (2, (0, 0, 0, 5, 5)), (3, (1, 2, 4, 2, 1))):
        name = f"{tmp_path}/runs/mine:version={version}"
        pool.add(Pairing(name, "teacher:depth=1", Pentanomial(pairs)))
    known = elos(players)
    newest, best = known["runs/mine"], known["runs/mine:version=best"]
    assert newest is not None
    assert best is not None
    assert newest == pytest.approx(shipped_ruler().elo("teacher:depth=1"), abs=1)
    assert best > newest + 100
    assert known["runs/mine:temperature=0.7"] is None


def test_a_damaged_pool_leaves_the_ratings_that_ship(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "pool.jsonl").write_text("7\n")
    known = elos(LabPlayers(RunsFolder(tmp_path / "runs")))
    assert known["random"] == shipped_ruler().elo("random")


def test_what_has_not_learned_says_so(tmp_path: Path) -> None:
    make_run(tmp_path / "runs" / "demo")
    make_run(tmp_path / "runs" / "new")
    for step in (1, 2, 3):
        shutil.rmtree(Checkpoints(tmp_path / "runs" / "new").path(step))
    offers = {offer.title: offer for offer in LabPlayers(RunsFolder(tmp_path / "runs")).offers()}
    assert (offers["demo"].trained, offers["new"].trained) == (True, False)
    assert offers["new"].about == "not trained yet, dqn"
    assert {name for name, offer in offers.items() if offer.ships} == set(model_names())


def test_names_inside_and_outside_the_lab(players: LabPlayers, tmp_path: Path) -> None:
    full = f"{tmp_path}/runs/mine:temperature=0.5"
    assert players.resolve("runs/mine:temperature=0.5") == full
    assert players.shown(full) == "runs/mine:temperature=0.5"
    assert players.shown("runs/mine:temperature=0.5") == "runs/mine:temperature=0.5"
    assert players.shown("teacher:depth=1") == players.resolve("teacher:depth=1")
    assert players.shown("searchless-tiny:terminal=exact") == "searchless-tiny"
    assert players.shown(f"{full},terminal=exact") == "runs/mine:temperature=0.5"
    assert players.shown(f"{full},terminal=off") == "runs/mine:temperature=0.5,terminal=off"


@pytest.mark.parametrize("kind", [["q_net"], {"a": 1}, 7, None])
def test_a_card_of_a_stranger_is_refused_with_a_sentence(tmp_path: Path, kind: Json) -> None:
    make_run(tmp_path / "runs" / "odd")
    for step in (0, 1, 2, 3):
        path = Checkpoints(tmp_path / "runs" / "odd").path(step) / "card.json"
        card = Card.from_bytes(path.read_bytes())
        path.write_bytes(replace(card, player=dict(card.player) | {"kind": kind}).to_bytes())
    lab = AskedLab(tmp_path / "runs", tmp_path / "page")
    assert lab.get("/api/players").status == 200
    refused = lab.post("/api/games", {"player": "runs/odd", "side": "white"})
    assert refused.status == 400
    assert "kind" in refused.json["error"]


def test_a_run_with_a_date_among_its_settings_is_no_run(tmp_path: Path) -> None:
    make_run(tmp_path / "runs" / "odd")
    with (tmp_path / "runs" / "odd" / "config.toml").open("a") as file:
        file.write("when = 2020-01-01\n")
    lab = AskedLab(tmp_path / "runs", tmp_path / "page")
    assert "odd" not in [offer["title"] for offer in lab.get("/api/players").json]
    assert lab.post("/api/games", {"player": "runs/odd", "side": "white"}).status in (400, 404)


def test_a_pool_that_is_nested_deeply_leaves_the_ratings_that_ship(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "pool.jsonl").write_text("[" * 100_000 + "\n")
    lab = AskedLab(tmp_path / "runs", tmp_path / "page")
    assert lab.get("/api/players").status == 200
    assert lab.get("/api/ladder").status == 400
