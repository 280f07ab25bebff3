"""What `bench searchless` counts was done."""

import pytest

from selfmate.nets.config import TransformerConfig
from selfmate_benchmarks import searchless
from selfmate_benchmarks.searchless import answer, encode_starts, learn, self_play


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "GAMES": 5,
        "PARALLEL_GAMES": 2,
        "PLIES": 2,
        "ANSWERED": 3,
        "LEARNED": 7,
    }.items():
        monkeypatch.setattr(searchless, name, value)


def test_positions_are_counted() -> None:
    net = TransformerConfig(width=16, blocks=1, heads=2).make_net()
    games = self_play(net)
    assert len(games) == 10
    assert answer(net, encode_starts()) == 6
    assert learn(net, games, threads=2) == 7
