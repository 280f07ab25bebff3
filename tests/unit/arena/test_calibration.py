"""A calibration from the ratings of a pool, and what uses it."""

import subprocess
from pathlib import Path

import pytest

from selfmate.arena.calibration import plan_calibration
from selfmate.arena.elo import Pentanomial
from selfmate.arena.ladder import Ladder, shipped_ruler
from selfmate.arena.rating import Pairing
from selfmate.players import load_player
from unit.cli.process import selfmate
from unit.players.trained_runs import make_transformer_run, make_tree_run

# Of each setting from the weakest on, against teacher:depth=2. The one before the last is no
# stronger than the one before it.
RESULTS = (
    (8, 2, 0, 0, 0),
    (6, 2, 2, 0, 0),
    (2, 2, 2, 2, 2),
    (1, 2, 2, 2, 3),
    (0, 0, 2, 2, 6),
    (0, 0, 2, 2, 6),
    (0, 0, 0, 2, 8),
)
RUNG = "teacher:depth=2"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose settings have played already."""
    folder = tmp_path_factory.mktemp("runs")
    make_tree_run(folder / "az")
    ladder = Ladder(folder / "pool.jsonl", seed=1)
    players = plan_calibration(f"{folder}/az", max_simulations=16).players
    for player, pairs in zip(players, RESULTS, strict=True):
        ladder.pool.add(Pairing(player, RUNG, Pentanomial(pairs)))
    done = calibrate(folder / "az")
    assert done.returncode == 0, done.stderr
    assert "sims=4 is left out: it is no stronger" in done.stdout
    return folder / "az"


def calibrate(run: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    pool = str(run.parent / "pool.jsonl")
    settings = ("--games", "20", "--max-simulations", "16", "--pool", pool)
    return selfmate("calibrate", str(run), *settings, *options)


def test_players_can_be_as_strong_as_a_rating(run: Path) -> None:
    rung = shipped_ruler().elo("teacher:depth=2")
    name = load_player(f"{run}:elo={rung:.0f}").name.removesuffix(",terminal=exact")
    name, _, temperature = name.rpartition("=")
    assert name.endswith(",sims=0,temperature")
    assert float(temperature) == pytest.approx(0.5, abs=0.01), "as strong as the rung it draws with"
    strong = load_player(f"{run}:elo={rung + 362:.0f}").name
    assert 1 <= int(strong.partition("sims=")[2]) <= 16
    with pytest.raises(ValueError, match=r"elo=5000 of player .* is not a whole number"):
        load_player(f"{run}:elo=5000")
    with pytest.raises(ValueError, match="chooses sims itself"):
        load_player(f"{run}:elo={rung:.0f},sims=4")


def test_uci_limits_the_strength_of_these_weights(run: Path) -> None:
    said = selfmate("uci", str(run), typed="uci\n").stdout
    assert "option name UCI_LimitStrength type check default false\n" in said
    assert "option name UCI_Elo type spin default " in said
    assert "UCI_Elo" not in selfmate("uci", f"{run}:sims=8", typed="uci\n").stdout


def test_a_net_without_a_calibration_says_so(tmp_path: Path) -> None:
    make_transformer_run(tmp_path / "searchless")
    with pytest.raises(ValueError, match="was not calibrated: selfmate calibrate"):
        load_player(f"{tmp_path}/searchless:elo=500")
    assert "UCI_Elo" not in selfmate("uci", f"{tmp_path}/searchless", typed="uci\n").stdout


@pytest.mark.parametrize(
    ("player", "message"),
    [
        ("alphazero-tiny:sims=8", "cannot be calibrated: leave out sims"),
        ("teacher:depth=2", "cannot be calibrated: leave out depth"),
        ("random", "no net"),
    ],
)
def test_only_nets_without_settings_are_calibrated(player: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        plan_calibration(player, 16)


def test_bad_folders_are_refused_before_any_game(run: Path) -> None:
    done = calibrate(run, "--out", "/no/such/calibration.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert "there is no folder '/no/such'" in done.stderr
