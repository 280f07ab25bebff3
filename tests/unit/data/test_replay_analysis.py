"""Statistics of a replay against counting row by row."""

import json
import math
from collections import Counter
from dataclasses import asdict

import numpy as np
import pytest

from selfmate.cli.inspect import ShardFacts, analyse
from selfmate.data.transitions import Episodes
from unit.data.made_up import Ending, Inventor, episodes


def test_statistics_are_those_of_a_count() -> None:
    inventor = Inventor(max_legal=4)
    plans: list[list[tuple[int, Ending]]] = [[(30, "mate"), (20, "truncated")], [(9, "draw")]]
    games = [inventor.shard(plan) for plan in plans]
    facts = analyse({"old": episodes(games[0]), "new": episodes(games[1])})
    rows = [row for page in games for game in page for row in game if row.action >= 0]
    assert (facts.experiences, facts.games) == (59, 3)
    assert facts.pages == (
        ShardFacts(name="old", experiences=50),
        ShardFacts(name="new", experiences=9),
    )
    assert facts.reward_variance == pytest.approx(1 / 59 - 1 / 59**2)
    assert facts.terminal_share == pytest.approx(2 / 59)
    counts = Counter(row.action for row in rows)
    assert facts.distinct_actions == len(counts)
    entropy = -sum(n / 59 * math.log(n / 59) for n in counts.values())
    assert facts.action_entropy_nats == pytest.approx(entropy)
    legal = [len(row.legal) for row in rows]
    assert (facts.legal_least, facts.legal_most) == (min(legal), max(legal))
    assert facts.legal_mean == pytest.approx(sum(legal) / 59)
    assert facts.forced_share == pytest.approx(legal.count(1) / 59)
    assert facts.advised_share == pytest.approx(sum(row.advice >= 0 for row in rows) / 59)
    assert facts.remarks == ()


@pytest.mark.parametrize(
    ("ending", "worry"),
    [("mate", None), ("draw", "No game was decisive"), ("truncated", "was truncated")],
)
def test_games_without_an_outcome_are_remarked_upon(ending: Ending, worry: str | None) -> None:
    remarks = analyse({"one": episodes(Inventor().shard([(9, ending)]))}).remarks
    assert len(remarks) == (worry is not None)
    assert all(worry and worry in remark and "more plies" in remark for remark in remarks)


def same_game(times: int) -> Episodes:
    return episodes([Inventor().game(50, "mate")] * times)


def test_the_same_game_again_and_again_is_remarked_upon() -> None:
    (remark,) = analyse({"one": same_game(30)}).remarks
    assert "explore more" in remark
    assert analyse({"one": same_game(3)}).remarks == ()


@pytest.mark.parametrize("pages", [{}, {"none": episodes([])}])
def test_an_empty_replay_has_statistics_too(pages: dict[str, Episodes]) -> None:
    facts = analyse(pages)
    assert facts.experiences == facts.games == 0
    assert "no experiences" in facts.remarks[0]


def test_statistics_can_be_written_as_json() -> None:
    facts = asdict(analyse({"one": episodes(Inventor().shard([(9, "truncated"), (4, "mate")]))}))
    assert json.loads(json.dumps(facts, allow_nan=False))["pages"] == [
        {"name": "one", "experiences": 13}
    ]
    assert all(not isinstance(value, np.generic) for value in facts.values())
