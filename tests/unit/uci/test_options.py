"""Capabilities of a player before it is loaded."""

from pathlib import Path

import pytest

from selfmate.players import DEFAULT_C_PUCT, parse_name, parse_run_name
from selfmate.searches.config import SearchConfig
from selfmate.uci.options import Capabilities, capabilities_of
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
    ("text", "capabilities"),
    [
        ("alphazero-1", Capabilities(0.0, 1.5, uses_time=True, has_wdl=True)),
        (
            "alphazero-1:cpuct=2,temperature=0.5",
            Capabilities(0.5, 2.0, uses_time=True, has_wdl=True),
        ),
        ("alphazero-1:sims=200", Capabilities(0.0, 1.5, has_wdl=True)),
        ("alphazero-1:sims=0", Capabilities(0.0, has_wdl=True, exact_endings=True)),
        ("alphazero-1:by=value", Capabilities(0.0, has_wdl=True)),
        ("dqn-1:temperature=0.1", Capabilities(0.1, exact_endings=True)),
        ("dqn-1:terminal=off", Capabilities(0.0, exact_endings=False)),
        ("dqn-1:sims=400", Capabilities(0.0, 1.5)),
        ("dqn-1:movetime=50", Capabilities(0.0, 1.5, uses_time=True)),
        ("dqn-1:mask=0", Capabilities(0.0)),
        ("empty", Capabilities(0.0, exact_endings=True)),
        ("odd", Capabilities(0.0, exact_endings=True)),
    ],
)
def test_capabilities_of_runs(runs: Path, text: str, capabilities: Capabilities) -> None:
    assert capabilities_of(parse_run_name(f"{runs}/{text}")) == capabilities


def test_built_in_players_have_no_options() -> None:
    assert capabilities_of(parse_name("teacher:depth=2")) == Capabilities()


def test_the_default_c_puct_is_that_of_the_search() -> None:
    assert SearchConfig().c_puct == DEFAULT_C_PUCT
