"""A rating as settings, between those that were measured."""

import json
from pathlib import Path

import pytest

from selfmate.weights import folder_of
from selfmate.weights.calibration import Calibration, Strength, read_calibration
from selfmate.weights.card import read_card

STRENGTHS = (
    Strength(200.0, 0, 1.0),
    Strength(600.0, 0, 0.5),
    Strength(1000.0, 0, 0.0),
    Strength(1400.0, 15, 0.0),
)
CALIBRATION = Calibration("abc", STRENGTHS)


@pytest.mark.parametrize(
    ("elo", "simulations", "temperature"),
    [
        (200, 0, 1.0),
        (400, 0, 0.75),
        (1000, 0, 0.0),
        (1100, 1, 0.0),
        (1200, 3, 0.0),
        (1300, 7, 0.0),
        (1400, 15, 0.0),
        (-500, 0, 1.0),
        (3000, 15, 0.0),
    ],
)
def test_settings_lie_between_their_neighbours(
    elo: int, simulations: int, temperature: float
) -> None:
    found = CALIBRATION.strength(elo)
    assert (found.simulations, found.temperature) == (simulations, temperature)


def test_a_stronger_setting_is_never_weaker() -> None:
    found = [CALIBRATION.strength(elo) for elo in range(200, 1401, 10)]
    assert found == sorted(found, key=lambda one: (one.simulations, -one.temperature))


def test_a_net_that_does_not_search_has_a_temperature_alone() -> None:
    two = Calibration("abc", (Strength(0.0, None, 1.0), Strength(100.0, None, 0.0)))
    assert two.strength(25) == Strength(25, None, 0.75)


def write(folder: Path, **changes: object) -> None:
    strengths = [
        {"elo": one.elo, "sims": one.simulations, "temperature": one.temperature}
        for one in STRENGTHS
    ]
    content = {"weights": "abc", "strengths": strengths} | changes
    (folder / "calibration.json").write_text(json.dumps(content))


def test_it_is_read_if_it_is_of_these_weights(tmp_path: Path) -> None:
    assert read_calibration(str(tmp_path), "abcdef") is None
    write(tmp_path)
    assert read_calibration(str(tmp_path), "abcdef") == CALIBRATION
    assert read_calibration(str(tmp_path), "fedcba") is None


@pytest.mark.parametrize(
    "changes",
    [
        {"strengths": []},
        {"strengths": [{"elo": 1, "sims": 0, "temperature": 0}] * 2},
        {"strengths": [{"elo": "x", "sims": 0, "temperature": 0}]},
        {"strengths": None},
    ],
)
def test_a_damaged_file_is_none(tmp_path: Path, changes: dict[str, object]) -> None:
    write(tmp_path, **changes)
    assert read_calibration(str(tmp_path), "abcdef") is None


def test_the_strongest_net_ships_with_a_calibration() -> None:
    name = "alphazero-tiny"
    found = read_calibration(folder_of(name), read_card(name).weights_sha256)
    assert found is not None
    assert found.lowest <= 800
    assert found.highest >= 1400
