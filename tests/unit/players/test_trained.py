"""Run directories as players: which version, what is refused."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from selfmate.nets.config import (
    MoveScorerConfig,
    NetConfig,
    QNetConfig,
    ResNetConfig,
    TransformerConfig,
)
from selfmate.players import check_name, load_player
from selfmate.players.network import QPlayer
from selfmate.rules import Board, GameBatch, uci_text
from selfmate.runs.run import Json
from selfmate.weights import model_names
from unit.players.trained_runs import TINY, make_run, make_scorer_run, make_tree_run, seeded_net


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Relative, as users type it."""
    monkeypatch.chdir(tmp_path)
    make_run(Path("runs/x"))
    return Path("runs/x")


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ("", "runs/x:version=3,terminal=exact"),
        ("/", "runs/x:version=3,terminal=exact"),
        (":version=last", "runs/x:version=3,terminal=exact"),
        (":version=best", "runs/x:version=2,terminal=exact"),
        (":version=1,temperature=0", "runs/x:version=1,terminal=exact"),
        (":temperature=0.10", "runs/x:version=3,temperature=0.1,terminal=exact"),
        (
            ":temperature=1e-3,version=best",
            "runs/x:version=2,temperature=0.001,terminal=exact",
        ),
        (":temperature=10", "runs/x:version=3,temperature=10,terminal=exact"),
        (":terminal=exact", "runs/x:version=3,terminal=exact"),
        (":terminal=off", "runs/x:version=3,terminal=off"),
    ],
)
def test_names_say_which_checkpoint_it_is(run: Path, settings: str, name: str) -> None:
    assert load_player(f"{run}{settings}").name == name
    assert load_player(name).name == name


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ("", "runs/tree:version=1,sims=100"),
        (":sims=0", "runs/tree:version=1,sims=0,terminal=exact"),
        (":sims=0,terminal=off", "runs/tree:version=1,sims=0,terminal=off"),
        (":sims=8,terminal=exact", "runs/tree:version=1,sims=8"),
        (":movetime=50", "runs/tree:version=1,movetime=50"),
        (":sims=800,cpuct=2.50", "runs/tree:version=1,sims=800,cpuct=2.5"),
        (":cpuct=1.5,temperature=1", "runs/tree:version=1,sims=100,temperature=1"),
        (
            ":two_fold_draws=1,prove_draws=0,c_puct_factor=2.0,root_fpu_reduction=-1",
            "runs/tree:version=1,sims=100,c_puct_factor=2,two_fold_draws=1",
        ),
        (
            ":num_considered_actions=8,virtual_loss=0.5,fpu_value=-0.5,c_puct_base=500",
            "runs/tree:version=1,sims=100,c_puct_base=500,fpu_value=-0.5,virtual_loss=0.5,"
            "num_considered_actions=8",
        ),
        (":by=value", "runs/tree:version=1,by=value"),
        (":temperature=0.1,by=value", "runs/tree:version=1,by=value,temperature=0.1"),
    ],
)
def test_names_say_how_a_net_is_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: str, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    make_tree_run(Path("runs/tree"))
    assert load_player(f"runs/tree{settings}").name == name
    assert load_player(name).name == name


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("sims=-1", r"sims=-1 of player .* is not a whole number 0\.\.1000000"),
        ("sims=many", "is not a whole number"),
        ("cpuct=nan", r"cpuct=nan of player .* is not a number 0\.\.100"),
        ("lcb_stdevs=-1", r"lcb_stdevs=-1 of player .* is not a number 0\.\.100"),
        ("fpu_value=x", r"fpu_value=x of player .* is not a number -1\.\.1"),
        ("prove_draws=yes", r"prove_draws=yes of player .* is not a whole number 0\.\.1"),
        ("c_puct_base=0", r"c_puct_base=0 of player .* is not a whole number 1\.\.1000000"),
        ("widening=2,num_considered_actions=8", "cannot be used together: set one to 0"),
        ("sims=0,two_fold_draws=1", "does not search: two_fold_draws= is of no use"),
        ("by=value,widening=2", "does not search: widening= is of no use"),
        ("by=policy", "by=policy of player .* is not value"),
        ("sims=9,movetime=50", "has two limits; give sims or movetime"),
        ("by=value,movetime=9", "does not search: movetime= is of no use"),
        ("by=value,sims=100", "plays by value and does not search: sims= is of no use"),
        (
            "lookahead=1",
            "no setting 'lookahead'; it has version, by, temperature, sims, movetime, termi",
        ),
        ("terminal=off", "sees what they end: terminal=off needs sims=0"),
        ("by=value,terminal=off", "sees what they end: terminal=off needs sims=0"),
        ("sims=0,terminal=on", "terminal=on of player .* is not exact or off"),
    ],
)
def test_wrong_ways_to_search_are_refused(tmp_path: Path, settings: str, message: str) -> None:
    make_tree_run(tmp_path / "tree")
    with pytest.raises(ValueError, match=message):
        load_player(f"{tmp_path}/tree:{settings}")


def test_nets_that_cannot_be_are_refused(tmp_path: Path) -> None:
    shape: dict[str, Json] = {"kind": "se_resnet", "blocks": 1, "filters": 12}
    make_run(tmp_path / "odd", shape)
    with pytest.raises(ValueError, match=r"holds no player of chess: filters: .* multiple of 8"):
        load_player(f"{tmp_path}/odd")
    make_run(tmp_path / "deep", shape | {"filters": 8, "attention_blocks": 2})
    message = "holds no player of chess: attention_blocks 2 cannot be more than blocks 1"
    with pytest.raises(ValueError, match=message):
        load_player(f"{tmp_path}/deep")


def test_the_version_asked_for_plays(run: Path) -> None:
    batch = GameBatch(60, seed=2)
    batch.step(batch.random_moves())
    boards, seeds = [batch.board(slot) for slot in range(60)], np.zeros(60, np.uint64)
    for version, seed in (("last", 3), ("best", 2), ("1", 1)):
        loaded = load_player(f"{run}:version={version}").choose(boards, seeds)
        expected = QPlayer("net", seeded_net(TINY, seed)).choose(boards, seeds)
        assert np.array_equal(loaded.moves, expected.moves)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("runs/x:version=7", "runs/x has no checkpoint '7': last, best or one of 0, 1, 2, 3"),
        ("runs/x:version=newest", "runs/x has no checkpoint 'newest'"),
        ("runs/x:temperature=hot", r"temperature=hot of player .* is not a number 0\.\.10"),
        ("runs/x:temperature=-0.1", r"is not a number 0\.\.10"),
        ("runs/x:temperature=nan", r"is not a number 0\.\.10"),
        ("runs/x:temperature=11", r"is not a number 0\.\.10"),
        ("runs/x:depth=2", "'runs/x' has no setting 'depth'; it has version, temperature, sims"),
        ("runs/x:version=1,version=2", "setting 'version' of player .* is given twice"),
        ("runs/x:version=", "bad setting 'version=' of player 'runs/x:version='"),
        ("runs/x:best", "there is no directory 'runs/x:best'; a run as a player is PATH or"),
        ("runs/y", "there is no directory 'runs/y'"),
        ("runs/y:version=1", "there is no directory 'runs/y'"),
        ("runs/x/config.toml", "there is no directory 'runs/x/config.toml'"),
        ("runs", "runs is not a run: "),
        (
            "nobody",
            f"there are: random, .*, {', '.join(model_names())}, or the path of",
        ),
        ("nobody:depth=1", "no player 'nobody'"),
        ("x/" * 5000, "there is no directory"),
        ("x/\0", "there is no directory"),
    ],
)
def test_bad_names_are_refused(run: Path, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load_player(text)


def test_a_path_may_hold_colons_and_commas(tmp_path: Path) -> None:
    path = tmp_path / "a:b=1,c"
    make_run(path)
    assert check_name(str(path)).settings == {}
    name = load_player(str(path)).name
    assert name == f"{path}:version=3,terminal=exact"
    assert load_player(name).name == name


def test_a_run_is_never_taken_for_a_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for directory in ("random", "mine"):
        make_run(Path(directory))
    assert load_player("random").name == "random"
    assert load_player("random/").name == "./random:version=3,terminal=exact"
    assert load_player("./random").name == "./random:version=3,terminal=exact"
    assert load_player("mine").name == "./mine:version=3,terminal=exact"


@pytest.mark.parametrize(
    ("player", "message"),
    [
        ({"kind": "minichess"}, "plays the mini-chess, not chess: selfmate play "),
        ({"kind": "toy"}, "holds no player of chess: kind: "),
        ({}, "holds no player of chess: kind: None is not a text"),
        ({"kind": ["q_net"]}, "holds no player of chess: kind: .* is not a text"),
        ({"kind": {"q_net": 1}}, "holds no player of chess: kind: .* is not a text"),
        ({"kind": "q_net", "hidden": [], "dueling": False}, "no player of chess: hidden: "),
        ({"kind": "q_net", "hidden": [16, 9], "dueling": True}, "cannot be played: "),
        ({"kind": "q_net", "hidden": [16, 8], "dueling": False}, "cannot be played: "),
    ],
)
def test_what_is_no_player_of_chess_is_refused(
    tmp_path: Path, player: dict[str, Json], message: str
) -> None:
    make_run(tmp_path / "x", player)
    with pytest.raises(ValueError, match=message):
        load_player(str(tmp_path / "x"))


@pytest.mark.parametrize(
    ("config", "count"),
    [
        (TransformerConfig(width=4096, blocks=64), "12,884,901,888"),  # 51 GB
        (ResNetConfig(filters=1024, blocks=64), "1,207,959,552"),
        (QNetConfig(hidden=(8192,) * 8), "497,606,656"),
        (MoveScorerConfig(hidden=(8192,) * 8), "469,762,048"),
    ],
)
def test_a_net_that_the_weights_cannot_fill_is_never_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, config: NetConfig, count: str
) -> None:
    make_run(tmp_path / "x", config.model_dump(mode="json"))
    monkeypatch.setattr(type(config), "make_net", lambda _: pytest.fail("it was made"))
    with pytest.raises(ValueError, match=f"cannot be played: .* at least {count} weights, but the"):
        load_player(str(tmp_path / "x"))


@pytest.mark.parametrize("kind", [TransformerConfig, ResNetConfig, QNetConfig, MoveScorerConfig])
def test_least_weights_are_a_fair_part_of_a_net(kind: type[NetConfig]) -> None:
    config = kind()
    there_are = sum(array.size for array in config.make_net().arrays().values())
    assert there_are / 9 < config.least_weights < there_are


def test_a_run_without_a_checkpoint_is_refused(run: Path) -> None:
    (run / "checkpoints").rename(run / "elsewhere")
    with pytest.raises(ValueError, match="runs/x has no checkpoint yet"):
        load_player(str(run))


def test_settings_are_those_of_the_kind(run: Path) -> None:
    make_scorer_run(Path("runs/s"))
    name = "runs/s:version=1,temperature=0.7,terminal=exact,lookahead=1"
    assert load_player("runs/s:lookahead=1,temperature=0.70").name == name
    assert load_player("runs/s:lookahead=0").name == "runs/s:version=1,terminal=exact"
    with pytest.raises(ValueError, match=r"lookahead=2 of player .* is not a whole number 0\.\.1"):
        load_player("runs/s:lookahead=2")
    with pytest.raises(ValueError, match="no setting 'depth'; it has version, temperature, looka"):
        load_player("runs/s:depth=1")
    with pytest.raises(ValueError, match="no setting 'lookahead'; it has version, tempera"):
        load_player(f"{run}:lookahead=1")


def test_small_nets_search_when_they_are_given_simulations(run: Path) -> None:
    assert load_player(f"{run}:sims=20").name == "runs/x:version=3,sims=20"
    assert load_player(f"{run}:sims=0").name == "runs/x:version=3,terminal=exact"
    timed = load_player(f"{run}:movetime=50,cpuct=2,temperature=0.5")
    assert timed.name == "runs/x:version=3,movetime=50,cpuct=2,temperature=0.5"
    mate_in_one = Board("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
    chosen = load_player(f"{run}:sims=20").choose([mate_in_one], np.zeros(1, np.uint64))
    assert uci_text(int(chosen.moves[0])) == "a1a8"
    with pytest.raises(ValueError, match="has two limits; give sims or movetime"):
        load_player(f"{run}:sims=20,movetime=50")
    with pytest.raises(ValueError, match="does not search: cpuct= is of no use"):
        load_player(f"{run}:cpuct=2")
    make_scorer_run(Path("runs/s"))
    chosen = load_player("runs/s:sims=20").choose([mate_in_one], np.zeros(1, np.uint64))
    assert uci_text(int(chosen.moves[0])) == "a1a8"
    with pytest.raises(ValueError, match="searches: lookahead= is of no use"):
        load_player("runs/s:sims=20,lookahead=1")


def test_another_version_is_not_played_for_a_damaged_one(run: Path) -> None:
    card = run / "checkpoints" / "00000003" / "card.json"
    card.write_text(json.dumps(json.loads(card.read_text()) | {"step": 4}))
    with pytest.raises(ValueError, match=r"00000003 cannot be used: .*; version=2 is good"):
        load_player(str(run))
    with pytest.raises(ValueError, match="00000003 cannot be used"):
        load_player(f"{run}:version=3")
    assert load_player(f"{run}:version=2").name == "runs/x:version=2,terminal=exact"


def test_loading_leaves_the_chance_of_others_alone(run: Path) -> None:
    torch.manual_seed(4)
    expected = torch.rand(3)
    torch.manual_seed(4)
    load_player(str(run)).choose([Board()], np.zeros(1, np.uint64))
    assert torch.equal(torch.rand(3), expected)
