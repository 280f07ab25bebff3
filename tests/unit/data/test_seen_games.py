"""Games that come again are known, also among millions."""

import random

import pytest

from selfmate.data import seen_games
from selfmate.data.seen_games import SeenGames


def test_it_is_a_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seen_games, "FEWEST_TO_MERGE", 10)
    dice, seen, known = random.Random(1), SeenGames(), set[int]()
    digests = [0, 2**64 - 1, *(dice.getrandbits(64) for _ in range(400))]
    for _ in range(60):
        asked = dice.choices(digests, k=dice.randrange(30))
        wanted = []
        for digest in asked:
            wanted.append(digest not in known)
            known.add(digest)
        assert seen.add(asked) == wanted
