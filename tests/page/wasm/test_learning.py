"""REINFORCE in a browser beside the native core, and its checkpoints beside Python's."""

import base64
import json
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from numpy.typing import NDArray
from playwright.sync_api import Error

import selfmate._core as native
from page.wasm.conftest import TabCore
from selfmate import Board
from selfmate.learners.reinforce.config import Config
from selfmate.nets.config import MoveScorerConfig, TransformerConfig, read_net_config
from selfmate.nets.move_scorer import MoveScorer
from selfmate.players.evaluation import evaluate

Settings = dict[str, Any]
# What core.Reinforce takes, beside the seed.
SETTINGS: list[Settings] = [
    {},
    {
        "encoding": "turned768",
        "hidden": [20, 12, 7],
        "baseline": "value_head",
        "entropy_bonus": 0.02,
        "vs_random": 0.5,
        "updates": 3,
        "replay_iterations": 2,
        "learning_rate": 0.01,
    },
    {
        "encoding": "counts",
        "hidden": [9],
        "baseline": "moving_average",
        "plays_mate_in_one": True,
        "learning_rate": 0.03,
        "max_plies": 60,
    },
]

HELPERS = """
  const text = bytes => btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(""));
  const bytes = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  const iterate = (learner, games) => {
    learner.beginIteration(games);
    for (;;) { const progress = learner.advance(20); if (progress.done) return progress.metrics; }
  };
  const saved = learner => {
    const { card, weights, state } = learner.save();
    return { card, weights: text(weights), state: text(state) };
  };
"""


def all_settings(changed: Settings) -> Settings:
    """The learner's defaults, as the page has them."""
    return Config.model_validate({}).model_dump(mode="json") | {"seed": 5} | changed


def arrays_of(text: str) -> dict[str, NDArray[Any]]:
    return safetensors.numpy.load(base64.b64decode(text))


@pytest.mark.parametrize("changed", SETTINGS, ids=["default", "value head", "counts"])
def test_learns_bit_for_bit_as_the_native_portable_kernels(
    core: TabCore, changed: Settings
) -> None:
    learner = native.Reinforce(seed=5, portable=True, **changed)
    expected = [learner.iterate(6) for _ in range(3)]
    script = """
      const learner = core.learner(given);
      const metrics = [];
      for (let i = 0; i < 3; ++i) metrics.push(iterate(learner, 6));
      const found = { metrics, ...saved(learner), sample: learner.sample().moves };
      learner.free();
      return found;
    """
    found = core.run(HELPERS + script, all_settings(changed))
    assert found["metrics"] == expected
    assert found["sample"] == learner.sample()
    weights, read = learner.weights(), arrays_of(found["weights"])
    assert weights.keys() == read.keys()
    for name, array in weights.items():
        np.testing.assert_array_equal(read[name], array, err_msg=name)
    fast = native.Reinforce(seed=5, **changed)
    assert fast.iterate(6)["games"] == 6


@pytest.mark.parametrize("changed", SETTINGS, ids=["default", "value head", "counts"])
def test_saved_weights_give_the_same_policy_in_python(core: TabCore, changed: Settings) -> None:
    line = ["e2e4", "e7e5", "g1f3"]
    script = """
      const learner = core.learner(given.settings);
      iterate(learner, 4);
      const game = core.game();
      for (const uci of given.line) game.push(uci);
      const policy = learner.policy(game);
      const choice = learner.choose(game);
      const found = { policy, choice, ...saved(learner) };
      learner.free();
      game.free();
      return found;
    """
    settings = all_settings({**changed, "temperature_play": 1.0})
    found = core.run(HELPERS + script, {"settings": settings, "line": line})
    net = net_of(found)
    board = Board()
    for uci in line:
        board.push(uci)
    policy = {move["uci"]: move["probability"] for move in found["policy"]}
    expected = evaluate(net, [board]).policy_of(0)
    assert policy == pytest.approx(expected, abs=1e-5)
    assert found["choice"] in expected


def net_of(saved: Settings) -> MoveScorer:
    config = read_net_config(json.loads(saved["card"]))
    assert isinstance(config, MoveScorerConfig)
    net = config.make_net()
    weights = arrays_of(saved["weights"])
    assert weights.keys() == net.arrays().keys()
    net.take(weights)
    return net


def test_goes_on_from_its_state_as_if_never_stopped(core: TabCore) -> None:
    script = """
      const learner = core.learner(given);
      iterate(learner, 4);
      const { card, weights, state } = learner.save();
      const other = core.learner({ ...given, seed: 77 });
      other.restore(state);
      const both = [learner, other].map(one => [iterate(one, 4), one.settings, saved(one)]);
      learner.free();
      other.free();
      return both;
    """
    first, second = core.run(HELPERS + script, all_settings({"baseline": "moving_average"}))
    assert first == second


def test_loads_a_net_that_python_made(core: TabCore) -> None:
    config = MoveScorerConfig(encoding="counts", hidden=(12, 8), value_head=True)
    net = config.make_net()
    weights = base64.b64encode(safetensors.numpy.save(net.arrays())).decode()
    script = """
      const learner = core.learnerFrom(given.card, bytes(given.weights));
      learner.change({ temperature_play: 1 });
      const game = core.game();
      const policy = learner.policy(game);
      learner.free();
      return policy;
    """
    found = core.run(HELPERS + script, {"card": config.model_dump_json(), "weights": weights})
    expected = evaluate(net, [Board()]).policy_of(0)
    assert {move["uci"]: move["probability"] for move in found} == pytest.approx(expected, abs=1e-5)


def test_evaluations_count_games_against_random_moves(core: TabCore) -> None:
    script = """
      const learner = core.learner(given);
      let found = null;
      while (found === null) found = learner.evaluate(10, 3, 20);
      learner.free();
      return found;
    """
    found = core.run(script, all_settings({"plays_mate_in_one": True}))
    assert found["won"] + found["drawn"] + found["lost"] == found["games"] == 10
    assert found["score"] == (found["won"] + found["drawn"] / 2) / 10


CARD = MoveScorerConfig(encoding="counts", hidden=(8,)).model_dump_json()
OTHER_KIND = TransformerConfig.model_validate({}).model_dump_json()


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ("core.learner({...given, learning_rate: 2})", "learning_rate must be in"),
        ("core.learner({...given, hidden: []})", "1 to 8 hidden layers"),
        ("core.learner({...given, encoding: 'x'})", "no encoding 'x'"),
        ("core.learner({...given, baseline: 'x'})", "the baseline must be"),
        ("core.learner(given).change({hidden: [3]})", "reset it to change them"),
        ("core.learner(given).beginIteration(0)", "games must be in"),
        ("core.learner(given).restore(new Uint8Array(3))", "no safetensors file"),
        ("core.learner(given).restore(core.learner(given).save().weights)", "not the state"),
        ("core.learnerFrom('{}', new Uint8Array(0))", "not the card of a net"),
        (f"core.learnerFrom('{OTHER_KIND}', new Uint8Array(0))", "Only a move_scorer"),
        (f"core.learnerFrom('{CARD}', core.learner(given).save().weights)", "must have the shape"),
        (
            f"core.learnerFrom('{CARD}', core.learner(given).save().weights.slice(0, 999))",
            "not all in the file",
        ),
    ],
)
def test_errors_are_sentences(core: TabCore, script: str, sentence: str) -> None:
    with pytest.raises(Error, match=sentence):
        core.run(script, all_settings({}))


def test_memory_is_flat(core: TabCore) -> None:
    script = """
      const learner = core.learner(given);
      const sizes = [];
      for (let i = 0; i < 12; ++i) { iterate(learner, 10); sizes.push(core.memoryBytes()); }
      learner.free();
      return sizes;
    """
    sizes = core.run(HELPERS + script, all_settings({"max_plies": 40, "replay_iterations": 2}))
    assert max(sizes[6:]) < 1.2 * max(sizes[3:6])
