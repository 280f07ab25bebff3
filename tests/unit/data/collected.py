"""Small collections, made once, to look at, cut and go on with."""

import json
from functools import partial
from pathlib import Path
from typing import Any

from selfmate.data.collection import Collection, CollectionFilter
from selfmate.data.teacher_games import Plan, TeacherGames
from selfmate.searches.teacher import score_moves

MIXED = Plan(games=14, max_plies=50, random_share=0.2, endgame_share=0.2, seed=3)
SOME = CollectionFilter(drop_draws=0.3)


def collect(
    path: Path,
    plan: Plan = MIXED,
    choosiness: CollectionFilter = SOME,
    *,
    resume: bool = False,
    parallel_games: int = 5,
    most_plies: int = 10**9,
) -> Collection:
    """Collects at depth 1, or stops after so many plies of all games."""
    games = TeacherGames(plan, partial(score_moves, depth=1), parallel_games)
    collection = Collection(games, choosiness, path, teacher="teacher:depth=1", resume=resume)
    try:
        for _ in zip(range(most_plies), collection.run(), strict=False):
            pass
        collection.save()
    finally:
        collection.close()
    return collection


def without_ts(text: str) -> list[dict[str, Any]]:
    entries = [json.loads(line) for line in text.splitlines()]
    for entry in entries:
        assert isinstance(entry.pop("ts"), int)
    return entries
