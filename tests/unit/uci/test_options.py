"""Capabilities of a player before it is loaded."""

from pathlib import Path

import pytest

from selfmate.players import parse_name, parse_run_name
from selfmate.searches.numbers import NUMBERS
from selfmate.uci.options import Capabilities, Options, capabilities_of
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
        ("alphazero-1", Capabilities(0.0, {}, uses_time=True, has_wdl=True)),
        (
            "alphazero-1:cpuct=2,temperature=0.5",
            Capabilities(0.5, {"c_puct": 2.0}, uses_time=True, has_wdl=True),
        ),
        (
            "alphazero-1:sims=9,two_fold_draws=1,num_considered_actions=8",
            Capabilities(0.0, {"two_fold_draws": True, "num_considered_actions": 8}, has_wdl=True),
        ),
        ("alphazero-1:sims=200", Capabilities(0.0, {}, has_wdl=True)),
        ("alphazero-1:sims=0", Capabilities(0.0, has_wdl=True, exact_endings=True)),
        ("alphazero-1:by=value", Capabilities(0.0, has_wdl=True)),
        ("dqn-1:temperature=0.1", Capabilities(0.1, exact_endings=True)),
        ("dqn-1:terminal=off", Capabilities(0.0, exact_endings=False)),
        ("dqn-1:sims=400", Capabilities(0.0, {})),
        ("dqn-1:movetime=50", Capabilities(0.0, {}, uses_time=True)),
        ("dqn-1:mask=0", Capabilities(0.0)),
        ("empty", Capabilities(0.0, exact_endings=True)),
        ("odd", Capabilities(0.0, exact_endings=True)),
    ],
)
def test_capabilities_of_runs(runs: Path, text: str, capabilities: Capabilities) -> None:
    assert capabilities_of(parse_run_name(f"{runs}/{text}")) == capabilities


def test_built_in_players_have_no_options() -> None:
    assert capabilities_of(parse_name("teacher:depth=2")) == Capabilities()


@pytest.mark.parametrize("name", NUMBERS)
def test_every_number_of_the_search_is_an_option(name: str) -> None:
    """With the default of the player's name, or else that of the search."""
    number = NUMBERS[name]
    (line,) = [
        line
        for line in Options(Capabilities(search={})).lines()
        if line.startswith(f"option name {number.uci} ")
    ]
    assert ("type check" in line) == isinstance(number.default, bool)
    options = Options(Capabilities(search={name: number.high}))
    assert options.search == {}
    lowest = "false" if isinstance(number.default, bool) else str(_spin(name, number.low))
    options.set(["name", number.uci, "value", lowest])
    assert options.search == {name: number.low}


def _spin(name: str, value: float) -> int:
    """As UCI states it: decimal numbers in hundredths."""
    return round(100 * value) if isinstance(NUMBERS[name].default, float) else int(value)


def test_options_that_exclude_each_other_are_refused() -> None:
    options = Options(Capabilities(search={}))
    options.set(["name", "Widening", "value", "200"])
    with pytest.raises(ValueError, match="cannot be used together: set one to 0"):
        options.set(["name", "NumConsideredActions", "value", "8"])
    assert options.search == {"widening": 2.0}
    options.set(["name", "Widening", "value", "0"])
    options.set(["name", "NumConsideredActions", "value", "8"])
    assert options.search == {"num_considered_actions": 8}
