"""`selfmate models`: cards that ship, compared and played again."""

import json
from pathlib import Path

import pytest

from selfmate.arena.checks import Replay
from selfmate.cli.models import has_its_weights
from selfmate.weights import model_names
from selfmate.weights.card import Check, read_card
from unit.cli.process import selfmate


def match(points: float, games: int = 20) -> Check:
    return Check(kind="match", player="a", opponent="b", games=games, points=points)


@pytest.mark.parametrize(
    ("points", "now", "agrees"),
    [(20, 20, True), (20, 19.5, True), (20, 19, False), (10, 16.5, True), (10, 17.5, False)],
)
def test_a_figure_agrees_if_chance_explains_the_difference(
    points: float, now: float, agrees: bool
) -> None:
    """The standard error of 10 of 20 is sqrt(5), 2.24."""
    assert Replay(match(points), now).agrees == agrees


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "match", "player": "a", "games": 2, "points": 1},
        {"kind": "queen", "player": "a", "opponent": "b", "games": 2, "points": 1},
        {"kind": "queen", "player": "a", "games": 2, "points": 3},
    ],
)
def test_an_impossible_check_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"opponent|too many"):
        Check.model_validate(wrong)


def test_every_net_has_figures_that_can_be_played_again() -> None:
    for name in model_names():
        kinds = {check.kind for check in read_card(name).checks}
        assert kinds == {"match", "tactics", "queen", "rook", "bishops"}, name


def test_figures_of_a_shipped_net_come_out_again(tmp_path: Path) -> None:
    run = selfmate("models", "verify", "searchless-tiny", "--json", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    assert report["damaged"] == []
    assert len(report["checks"]) == len(read_card("searchless-tiny").checks)
    assert all(check["agrees"] for check in report["checks"])


def test_weights_of_another_net_are_noticed() -> None:
    card = read_card("alphazero-swift")
    assert has_its_weights(card)
    assert not has_its_weights(card.model_copy(update={"weights_sha256": "0" * 64}))


def test_all_nets_are_compared_strongest_first(tmp_path: Path) -> None:
    run = selfmate("models", "compare", "--json", cwd=tmp_path)
    rows = json.loads(run.stdout)["players"]
    assert {row["player"].split(":")[0] for row in rows} == {*model_names(), "teacher"}
    elos = [float(row["rating"].split()[0]) for row in rows if row["rating"] != "-"]
    assert elos == sorted(elos, reverse=True)


def test_an_unknown_net_is_refused(tmp_path: Path) -> None:
    run = selfmate("models", "verify", "nix", cwd=tmp_path)
    assert run.returncode == 2
    assert "'nix' does not ship; these do: alphazero-swift" in run.stderr
