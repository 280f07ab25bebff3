"""What is told of a player before it is loaded."""

from pathlib import Path

import pytest

from selfmate.players.names import USUAL_C_PUCT, parse_name, parse_run_name
from selfmate.search.tree import TreeSettings
from selfmate.uci.traits import Traits, traits_of
from unit.players.trained_runs import make_run, make_tree_run


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    make_run(folder / "dqn-1")
    make_tree_run(folder / "alphazero-1")
    (folder / "empty").mkdir()
    (folder / "odd" / "checkpoints" / "00000001").mkdir(parents=True)
    (folder / "odd" / "checkpoints" / "none").write_text("of ours")
    return folder


@pytest.mark.parametrize(
    ("text", "traits"),
    [
        ("alphazero-1", Traits(0.0, 1.5, uses_time=True)),
        ("alphazero-1:cpuct=2,temperature=0.5", Traits(0.5, 2.0, uses_time=True)),
        ("alphazero-1:sims=200", Traits(0.0, 1.5)),
        ("alphazero-1:sims=0", Traits(0.0)),
        ("alphazero-1:by=value", Traits(0.0)),
        ("dqn-1:temperature=0.1", Traits(0.1)),
        ("empty", Traits(0.0)),
        ("odd", Traits(0.0)),
    ],
)
def test_runs(runs: Path, text: str, traits: Traits) -> None:
    assert traits_of(parse_run_name(f"{runs}/{text}")) == traits


def test_built_in_players_have_none() -> None:
    assert traits_of(parse_name("teacher:depth=2")) == Traits()


def test_the_usual_c_puct_is_the_search_s() -> None:
    assert TreeSettings().c_puct == USUAL_C_PUCT
