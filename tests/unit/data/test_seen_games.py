"""Games that come again are known, also among millions."""

import random

import pytest

from selfmate.data import pgn_import as seen_games
from selfmate.data.pgn_import import SeenGames


def test_it_is_a_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seen_games, "MIN_DIGESTS_TO_MERGE", 10)
    seeds, seen, known = random.Random(1), SeenGames(), set[int]()
    digests = [0, 2**64 - 1, *(seeds.getrandbits(64) for _ in range(400))]
    for _ in range(60):
        asked = seeds.choices(digests, k=seeds.randrange(30))
        wanted = []
        for digest in asked:
            wanted.append(digest not in known)
            known.add(digest)
        assert seen.add(asked) == wanted
