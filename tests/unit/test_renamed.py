"""Names of version 0.1: old settings are refused with the new name, old cards are read."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from selfmate.learners.config import read_config
from selfmate.learners.learner import Learner
from selfmate.learners.registry import LEARNERS
from selfmate.nets.config import (
    NET_CONFIGS,
    MoveScorerConfig,
    QNetConfig,
    ResNetConfig,
    TransformerConfig,
    read_net_config,
)
from selfmate.players.trained import PLAY_OPTIONS
from selfmate.renamed import LEARNER_SETTINGS, SETTINGS, setting_now
from selfmate.runs.card import Header
from selfmate.runs.run import Json, RunRefusedError
from selfmate.runs.session import Session
from selfmate.weights import model_names
from selfmate.weights.card import read_card

# Cards as version 0.1 wrote them, and the configuration that they mean.
OLD_CARDS: dict[str, tuple[dict[str, Any], object]] = {
    "se_resnet": (
        {
            "kind": "se_resnet", "blocks": 4, "filters": 64, "attention": 1, "squeeze": False,
            "wdl": True, "semantic": False,
        },
        ResNetConfig(
            blocks=4, filters=64, attention_blocks=1, squeeze_excitation=False,
            semantic_planes=False,
        ),
    ),
    "transformer": (
        {
            "kind": "transformer", "width": 32, "blocks": 2, "heads": 4, "read_out": "special",
            "geometry": False,
        },
        TransformerConfig(
            width=32, blocks=2, heads=4, policy_head="special", square_pair_bias=False
        ),
    ),
    "q_net": (
        {"kind": "q_net", "hidden": [16, 8], "dueling": False},
        QNetConfig(
            inputs="features839", hidden=(16, 8), dueling=False, move_kinds=False
        ),
    ),
    "move_scorer": (
        {"kind": "move_scorer", "encoding": "counts", "hidden": [8], "value_head": True},
        MoveScorerConfig(encoding="counts", hidden=(8,), value_head=True),
    ),
}  # fmt: skip


def old_settings() -> Iterator[tuple[Learner, str, str]]:
    """Every old name whose new one is a setting of the learner, and whose old one is not."""
    for learner in LEARNERS.values():
        now = learner.config_class.model_fields
        for old in {**SETTINGS, **LEARNER_SETTINGS.get(learner.name, {})}:
            new = setting_now(learner.name, old)
            if new in now and old not in now:
                yield learner, old, new


OLD_SETTINGS = list(old_settings())
BY_NAME = [f"{learner.name}-{old}" for learner, old, _ in OLD_SETTINGS]


@pytest.mark.parametrize(("learner", "old", "new"), OLD_SETTINGS, ids=BY_NAME)
def test_an_old_setting_is_refused_by_its_new_name(
    learner: Learner, old: str, new: str, tmp_path: Path
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(f"{old} = 1\n", "utf-8")
    given: tuple[dict[str, Any], ...] = ({"sets": [f"{old}=1"]}, {"file": file})
    for layers in given:
        with pytest.raises(ValueError, match=rf"no setting '{old}' \(.*\); it is {new} now$"):
            read_config(learner, **layers)


def test_alphazero_has_old_settings() -> None:
    of_alphazero = {old for learner, old, _ in OLD_SETTINGS if learner.name == "alphazero"}
    assert {"batch", "replay", "attention", "resign", "most_norm", "noise_share"} <= of_alphazero


def test_a_run_of_version_0_1_is_not_resumed_but_loaded(tmp_path: Path) -> None:
    learner, run = LEARNERS["alphazero"], tmp_path / "x"
    run.mkdir()
    stored: dict[str, Json] = {"seed": 1, "batch": 640, "cycles": 3}
    (run / "config.toml").write_bytes(Header("alphazero", stored).to_toml())
    called = "which called batch_size 'batch'"
    sentence = rf"{run} was written by version 0\.1, {called}: .* with --load {run}$"
    with pytest.raises(ValueError, match=sentence):
        read_config(learner, file=run / "config.toml")
    with pytest.raises(RunRefusedError, match=sentence):
        learner.open_run(read_config(learner), run, Session(resume=True))
    assert {path.name for path in run.iterdir()} == {"config.toml"}


@pytest.mark.parametrize("kind", OLD_CARDS)
def test_an_old_card_means_the_same_net(kind: str) -> None:
    card, config = OLD_CARDS[kind]
    assert read_net_config(card) == config


@pytest.mark.parametrize("kind", NET_CONFIGS)
def test_a_card_of_today_is_read_back(kind: str) -> None:
    config = read_net_config(OLD_CARDS[kind][0]) if kind in OLD_CARDS else NET_CONFIGS[kind]()
    assert config.kind == kind
    assert read_net_config(config.model_dump(mode="json")) == config


def test_an_old_dueling_net_is_refused() -> None:
    with pytest.raises(ValueError, match=r"dueling Q-nets of version 0\.1 subtracted the mean"):
        read_net_config({"kind": "q_net", "hidden": [16, 8], "dueling": True})


def test_every_kind_of_net_can_be_played() -> None:
    assert list(NET_CONFIGS) == list(PLAY_OPTIONS)


@pytest.mark.parametrize("name", model_names())
def test_shipped_cards_are_read(name: str) -> None:
    card = read_card(name).player
    assert read_net_config(card).kind == card["kind"]
