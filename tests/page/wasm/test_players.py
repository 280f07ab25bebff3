"""Nets that play in a browser, beside the same nets in Python."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
import safetensors.numpy
from playwright.sync_api import Error

from page.wasm.conftest import TabCore
from selfmate import Board, load_net, search
from selfmate.nets.config import MoveScorerConfig
from selfmate.players.evaluation import evaluate
from selfmate.weights import card_path, weights_path

LINE = ["e2e4", "c7c5", "g1f3", "d7d6"]
ANALYSE = """
  const weights = Uint8Array.from(atob(given.weights), letter => letter.charCodeAt(0));
  const player = core.player(given.card, weights);
  const game = core.game(given.fen);
  for (const uci of given.line) game.push(uci);
  let slices = 0, found;
  do { found = player.analyse(game, given.simulations, given.milliseconds); ++slices; }
  while (!found.done);
  player.free();
  game.free();
  return { ...found, slices, name: player.name };
"""


def shipped(name: str) -> dict[str, str]:
    card = json.loads(Path(card_path(name)).read_text("utf-8"))
    weights = Path(weights_path(name)).read_bytes()
    return {"card": json.dumps(card["player"]), "weights": base64.b64encode(weights).decode()}


def asked(net: dict[str, str], simulations: int, **changed: Any) -> dict[str, Any]:
    usual = {"fen": Board().fen(), "line": LINE, "milliseconds": 10}
    return net | usual | {"simulations": simulations} | changed


def board_after(moves: list[str]) -> Board:
    board = Board()
    for uci in moves:
        board.push(uci)
    return board


def probabilities(found: dict[str, Any]) -> dict[str, float]:
    return {move["uci"]: move["probability"] for move in found["moves"]}


def test_alphazero_tiny_has_its_policy_and_value(core: TabCore) -> None:
    found = core.run(ANALYSE, asked(shipped("alphazero-tiny"), 0))
    expected = load_net("alphazero-tiny").evaluate([board_after(LINE)])
    assert probabilities(found) == pytest.approx(expected.policy_of(0), abs=1e-5)
    assert expected.values_side_to_move is not None
    assert found["value"] == pytest.approx(float(expected.values_side_to_move[0]), abs=1e-5)
    assert found["best"] == next(iter(expected.policy_of(0)))


def test_alphazero_tiny_searches_as_in_python(core: TabCore) -> None:
    found = core.run(ANALYSE, asked(shipped("alphazero-tiny"), 60))
    expected = search(load_net("alphazero-tiny"), [board_after(LINE)], simulations=60)
    visits = {move["uci"]: move["visits"] for move in found["moves"]}
    assert visits == expected.visits_of(0)
    assert found["best"] == max(visits, key=lambda uci: visits[uci])
    assert found["slices"] > 1


def test_searchless_tiny_has_its_policy(core: TabCore) -> None:
    found = core.run(ANALYSE, asked(shipped("searchless-tiny"), 100))
    expected = load_net("searchless-tiny").evaluate([board_after(LINE)]).policy_of(0)
    assert probabilities(found) == pytest.approx(expected, abs=1e-5)
    assert (found["value"], found["best"]) == (None, next(iter(expected)))


@pytest.mark.parametrize("value_head", [False, True])
def test_move_scorers_play(core: TabCore, value_head: bool) -> None:
    config = MoveScorerConfig(encoding="turned768", hidden=(16, 8), value_head=value_head)
    net = config.make_net()
    weights = base64.b64encode(safetensors.numpy.save(net.arrays())).decode()
    given = {"card": config.model_dump_json(), "weights": weights}
    found = core.run(ANALYSE, asked(given, 0))
    expected = evaluate(net, [board_after(LINE)]).policy_of(0)
    assert probabilities(found) == pytest.approx(expected, abs=1e-5)
    searched = core.run(ANALYSE, asked(given, 40))
    visits = sum(move["visits"] for move in searched["moves"])
    assert visits == (40 if value_head else 0)


@pytest.mark.parametrize("name", ["alphazero-tiny", "searchless-tiny"])
@pytest.mark.parametrize("simulations", [0, 30])
def test_a_mate_in_one_is_played(core: TabCore, name: str, simulations: int) -> None:
    fen = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"
    found = core.run(ANALYSE, asked(shipped(name), simulations, fen=fen, line=[]))
    assert found["best"] == "d1d8"


@pytest.mark.parametrize(
    ("card", "sentence"),
    [
        ('{"kind": "q_net"}', "No net of the kind q_net"),
        ('{"kind": "transformer", "width": 64}', "does not say its blocks"),
        (MoveScorerConfig(hidden=(8,)).model_dump_json(), "the weights lack"),
        ("[]", "not the card of a net"),
    ],
)
def test_foreign_nets_are_refused(core: TabCore, card: str, sentence: str) -> None:
    with pytest.raises(Error, match=sentence):
        core.run(ANALYSE, asked(shipped("alphazero-tiny") | {"card": card}, 0))


def test_a_game_that_is_over_is_not_analysed(core: TabCore) -> None:
    mated = ["f2f3", "e7e5", "g2g4", "d8h4"]
    with pytest.raises(Error, match="no legal move"):
        core.run(ANALYSE, asked(shipped("alphazero-tiny"), 10, line=mated))
