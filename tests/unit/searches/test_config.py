"""The settings of a search are stated once: learners inherit them, the core takes them by name."""

import subprocess
import sys

import pytest

from selfmate._core import TreeSearch
from selfmate.learners.alphazero.config import Config
from selfmate.searches.config import SearchConfig, SearchSettings
from selfmate.searches.numbers import NUMBERS


def test_a_learner_has_the_settings_of_its_search_and_no_others() -> None:
    assert SearchSettings.model_fields.keys() <= Config.model_fields.keys()
    others = SearchConfig.model_fields.keys() - SearchSettings.model_fields.keys()
    assert others == {
        "fpu_absolute",
        "fpu_value",
        "root_fpu_absolute",
        "root_fpu_value",
        "lcb_stdevs",
        "virtual_loss",
        "leaves_per_game",
    }
    assert not others & Config.model_fields.keys()


def test_the_search_of_a_learner_is_taken_from_its_settings() -> None:
    config = Config.model_validate({"c_puct": 2.5, "widening": 3.0})
    expected = SearchConfig(
        c_puct=2.5, widening=3.0, cache_size=config.cache_size, exact_cache_key=True
    )
    assert SearchConfig.of(config) == expected
    assert SearchConfig.of(config, leaves_per_game=8).leaves_per_game == 8


def test_the_core_takes_every_setting_by_its_name() -> None:
    TreeSearch(**SearchConfig().model_dump())
    with pytest.raises((TypeError, ValueError)):
        TreeSearch(**SearchConfig().model_dump(), unknown=1.0)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"c_puct": -1.0}, "c_puct"),
        ({"fpu_reduction": float("nan")}, "fpu_reduction"),
        ({"max_nodes": 1}, "max_nodes"),
        ({"leaves_per_game": 0}, "leaves_per_game"),
        ({"unknown": 1}, "unknown"),
        ({"widening": 1.0, "num_considered_actions": 4}, "cannot be used together"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SearchConfig.model_validate(settings)


def test_players_have_the_numbers_of_the_search() -> None:
    """All but noise, memory and batches."""
    others = SearchConfig.model_fields.keys() - NUMBERS.keys()
    assert others == {
        "dirichlet_alpha",
        "dirichlet_fraction",
        "exact_cache_key",
        "cache_size",
        "max_nodes",
        "leaves_per_game",
    }
    assert NUMBERS.keys() <= SearchConfig.model_fields.keys()
    assert len({number.uci for number in NUMBERS.values()}) == len(NUMBERS)


def test_configurations_are_light_to_import() -> None:
    program = """
import sys
import selfmate.nets.config, selfmate.searches.config
print(sorted({"numpy", "torch", "selfmate._core"} & sys.modules.keys()))
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"
