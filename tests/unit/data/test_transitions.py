"""Gathered transitions against plain Python lists of games, while shards come and go."""

from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfmate.data.priorities import Priority
from selfmate.data.replay import TransitionReplay
from selfmate.data.transitions import LEGAL_PER_ROW, Transitions
from selfmate.rules import Ragged
from unit.data.made_up import ENDINGS, Ending, Game, Inventor, Row, episodes, state_of
from unit.data.replayed import MAIN, PRIORITY, every_row, keeping, numbers_of

GAMMA = 0.9
PAGES = st.lists(
    st.lists(st.tuples(st.integers(1, 5), st.sampled_from(ENDINGS)), min_size=1, max_size=3),
    min_size=1,
    max_size=8,
)
Backup = tuple[float, float, Row | None]  # return, discount, next row


def slow_negamax(game: Game, at: int, steps: int) -> Backup:
    total, taken = 0.0, 0
    while taken < steps and game[at + taken].action >= 0:
        row = game[at + taken]
        total += (-GAMMA) ** taken * row.reward
        taken += 1
        if row.ends:
            return total, 0.0, None
    return total, (-GAMMA) ** taken, game[at + taken]


def slow_two_ply(game: Game, at: int) -> Backup:
    if game[at].ends:
        return game[at].reward, 0.0, None
    reply = game[at + 1]
    if reply.action < 0:
        return 0.0, -GAMMA, reply
    if reply.ends:
        return -reply.reward, 0.0, None
    return 0.0, GAMMA, game[at + 2]


def listed(ragged: Ragged) -> list[tuple[int, ...]]:
    lists: list[list[int]] = [[] for _ in ragged.offsets[1:]]
    for row, value in zip(ragged.rows, ragged.values, strict=True):
        lists[row].append(int(value))
    return [tuple(values) for values in lists]


def check_transitions(
    batch: Transitions, games: list[Game], backup: Callable[[Game, int], Backup]
) -> None:
    places = {row.number: (game, at) for game in games for at, row in enumerate(game)}
    legal, next_legal = listed(batch.legal), listed(batch.next_legal)
    for i, number in enumerate(numbers_of(batch)):
        game, at = places[number]
        returned, discount, later = backup(game, at)
        assert batch.states[i].tolist() == state_of(game[at])
        assert (batch.actions[i], batch.advice[i]) == (game[at].action, game[at].advice)
        assert (batch.ranks[i], batch.potentials[i]) == (game[at].rank, game[at].potential)
        assert legal[i] == game[at].legal
        assert batch.returns[i] == pytest.approx(returned)
        assert batch.discounts[i] == pytest.approx(discount)
        assert batch.is_truncated[i] == (later is not None and later.action < 0)
        assert next_legal[i], "a maximum over legal actions is always possible"
        if later is None:
            assert batch.next_potentials[i] == 0
        else:
            assert batch.next_states[i].tolist() == state_of(later)
            assert next_legal[i] == later.legal
            assert batch.next_potentials[i] == later.potential


@settings(deadline=None, max_examples=60)
@given(PAGES, st.integers(5, 40), st.sampled_from([None, PRIORITY]))
def test_transitions_are_those_of_a_loop_while_shards_come_and_go(
    pages: list[list[tuple[int, Ending]]], capacity: int, priority: Priority | None
) -> None:
    inventor = Inventor(max_legal=2 * LEGAL_PER_ROW)
    replay = TransitionReplay(keeping(capacity), fractions=MAIN, priority=priority)
    kept: dict[str, list[Game]] = {}
    for number, plan in enumerate(pages):
        page = inventor.shard(plan)
        if not fits([page], capacity):
            with pytest.raises(ValueError, match="more than the replay holds"):
                replay.add(str(number), episodes(page))
            continue
        while not fits([*kept.values(), page], capacity):
            kept.pop(next(iter(kept)))
        kept[str(number)] = page
        replay.add(str(number), episodes(page))
    assert list(replay.main.arrays()) == list(kept)
    if kept:
        check_everything(replay, [game for page in kept.values() for game in page])


def fits(pages: list[list[Game]], capacity: int) -> bool:
    rows = [row for page in pages for game in page for row in game]
    legal = sum(len(row.legal) for row in rows)
    return len(rows) <= capacity and legal <= LEGAL_PER_ROW * capacity


def check_everything(replay: TransitionReplay, games: list[Game]) -> None:
    played = {row.number for game in games for row in game if row.action >= 0}
    assert len(replay) == len(played)
    rows = every_row(replay)
    assert set(numbers_of(replay.negamax(rows, n_step=1, gamma=GAMMA))) == played
    for steps in (1, 2, 3, 7):
        batch = replay.negamax(rows, n_step=steps, gamma=GAMMA)
        check_transitions(batch, games, partial(slow_negamax, steps=steps))
    check_transitions(replay.two_ply(rows, gamma=GAMMA), games, slow_two_ply)


def test_returns_before_a_mate_by_hand() -> None:
    replay = TransitionReplay(keeping(10), fractions=MAIN, priority=None)
    replay.add("one", episodes(Inventor().shard([(4, "mate")])))
    rows = every_row(replay)
    assert replay.negamax(rows, n_step=1, gamma=0.9).returns.tolist() == [0, 0, 0, 1]
    assert replay.negamax(rows, n_step=2, gamma=0.9).returns.tolist() == pytest.approx(
        [0, 0, -0.9, 1]
    )
    assert replay.negamax(rows, n_step=3, gamma=0.9).returns[1] == pytest.approx(0.9**2)
    assert replay.negamax(rows, n_step=3, gamma=0.9).discounts.tolist() == pytest.approx(
        [-(0.9**3), 0, 0, 0]
    )
    two_ply = replay.two_ply(rows, gamma=0.9)
    assert two_ply.returns.tolist() == [0, 0, -1, 1]
    assert two_ply.discounts.tolist() == pytest.approx([0.9, 0.9, 0, 0])
