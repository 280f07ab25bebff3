"""Targets of the DQN: signs by hand, and everything against a slow loop."""

from typing import Any

import chess
import numpy as np
import pytest

from selfmate.data.transitions import NO_ACTION, UNRANKED, Episodes
from selfmate.learners.dqn.learner import Dqn
from selfmate.players import load_player
from selfmate.rules import Board, Ragged
from selfmate.selfplay.dqn import EpsilonGreedyActor, episodes_of
from selfmate.selfplay.games import GamePlan, play_games
from unit.learners.dqn_lines import (
    GAMMA,
    MATE_IN_TWO,
    MATING_LINE,
    action,
    dqn_with,
    line,
    set_everywhere,
    targets_of,
)

STALEMATE = "7k/5K2/8/8/8/8/8/6Q1 w - - 0 1"  # by g1g6
QUIET = "4k3/8/8/8/8/8/8/4K2R w - - 0 1"
G = GAMMA


def saying(page: Episodes, values: dict[int, float], otherwise: float, **changes: object) -> Dqn:
    """Both nets have these values everywhere."""
    dqn = dqn_with(page, **changes)
    for net in (dqn.net, dqn.target):
        set_everywhere(net, values, otherwise)
    return dqn


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (1, [-G * 0.25, -G * 0.25, 1]),  # values of others are taken over after one ply
        (2, [G * G * 0.25, -G, 1]),  # the mated side sees it two plies ahead
        (3, [G * G, -G, 1]),  # mate in two
        (9, [G * G, -G, 1]),
    ],
)
def test_signs_on_the_way_to_a_mate(steps: int, expected: list[float]) -> None:
    page = line(MATE_IN_TWO, MATING_LINE)
    dqn = saying(page, {}, 0.25, n_step=steps)
    np.testing.assert_allclose(targets_of(dqn, page), expected, rtol=1e-6)


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_signs_are_the_same_for_black(steps: int) -> None:
    board = chess.Board(MATE_IN_TWO).mirror()
    moves = ["e3f2", "h1h2", "g8h8"]
    white, black = line(MATE_IN_TWO, MATING_LINE), line(board.fen(), moves)
    found = [targets_of(saying(page, {}, 0.25, n_step=steps), page) for page in (white, black)]
    np.testing.assert_array_equal(found[0], found[1])


def test_terminal_positions_are_not_bootstrapped() -> None:
    page = line(MATE_IN_TWO, MATING_LINE)
    assert targets_of(saying(page, {}, 99.0), page)[-1] == 1
    drawn = line(STALEMATE, ["g1g6"])
    for backup in ("negamax", "two_ply"):
        assert targets_of(saying(drawn, {}, 99.0, backup=backup), drawn).tolist() == [0]


@pytest.mark.parametrize(("steps", "sign"), [(1, -G), (2, G * G), (3, -(G**3))])
def test_a_truncated_game_is_bootstrapped_from_its_last_position(steps: int, sign: float) -> None:
    page = line(QUIET, ["h1h2", "e8e7", "h2h3"])
    targets = targets_of(saying(page, {}, 0.5, n_step=steps), page)
    assert targets[0] == pytest.approx(sign * 0.5)
    assert targets[2] == pytest.approx(-G * 0.5), "the last action is one ply before truncation"
    assert np.isnan(targets[3])


def test_two_ply_includes_the_reward_of_the_reply() -> None:
    page = line(MATE_IN_TWO, MATING_LINE)
    targets = targets_of(saying(page, {}, 0.25, backup="two_ply"), page)
    np.testing.assert_allclose(targets, [G * 0.25, -1, 1], rtol=1e-6)


def test_two_ply_has_a_bonus_and_a_penalty() -> None:
    page = line(QUIET, ["h1h2", "e8e7", "h2h3"], teacher_depth=1)
    page.ranks[:] = [0, 1, 0, UNRANKED]
    extras = {
        "backup": "two_ply",
        "teacher_depth": 1,
        "imitation_bonus": 0.2,
        "truncation_penalty": 0.1,
    }
    dqn = saying(page, {}, 0.5, teacher_anneal_cycles=10, **extras)
    # White made the last move before truncation, Black the one before: both are penalized.
    expected = [G * 0.5 + 0.2, G * 0.5 - 0.1, -G * 0.5 + 0.2 - 0.1]
    np.testing.assert_allclose(targets_of(dqn, page)[:3], expected, rtol=1e-6)
    half = [G * 0.5 + 0.1, G * 0.5 - 0.1, -G * 0.5 + 0.1 - 0.1]
    np.testing.assert_allclose(targets_of(dqn, page, cycle=6)[:3], half, rtol=1e-5)
    without = [G * 0.5, G * 0.5 - 0.1, -G * 0.5 - 0.1]
    np.testing.assert_allclose(targets_of(dqn, page, cycle=11)[:3], without, rtol=1e-6)


@pytest.mark.parametrize(("top_k", "earned"), [(1, [1, 0, 0]), (2, [1, 1, 0]), (5, [1, 1, 1])])
def test_the_bonus_is_for_the_best_k_moves_of_the_teacher(top_k: int, earned: list[int]) -> None:
    page = line(QUIET, ["h1h2", "e8e7", "h2h3"], teacher_depth=1)
    page.ranks[:] = [0, 1, 4, UNRANKED]
    extras = {"backup": "two_ply", "teacher_depth": 1, "imitation_bonus": 0.2}
    dqn = saying(page, {}, 0.5, imitation_bonus_top_k=top_k, **extras)
    without = np.array([G * 0.5, G * 0.5, -G * 0.5])
    np.testing.assert_allclose(targets_of(dqn, page)[:3], without + 0.2 * np.array(earned))


def test_a_game_truncated_after_one_ply_penalizes_one_side() -> None:
    page = line(QUIET, ["h1h2"])
    dqn = saying(page, {}, 0.5, backup="two_ply", truncation_penalty=0.1)
    assert targets_of(dqn, page)[0] == pytest.approx(-G * 0.5 - 0.1)


def test_a_game_that_ends_by_the_rules_has_no_penalty() -> None:
    page = line(MATE_IN_TWO, MATING_LINE)
    dqn = saying(page, {}, 0.25, backup="two_ply", truncation_penalty=0.1)
    np.testing.assert_allclose(targets_of(dqn, page), [G * 0.25, -1, 1], rtol=1e-6)


@pytest.mark.parametrize(("double", "value"), [(True, 0.3), (False, 0.8)])
def test_double_dqn_selects_with_one_net_and_evaluates_with_the_other(
    double: bool, value: float
) -> None:
    page = line(QUIET, ["h1h2"])
    dqn = dqn_with(page, double=double)
    king, other = action("e8e7", flipped=True), action("e8d8", flipped=True)
    set_everywhere(dqn.net, {king: 0.9}, -0.5)
    set_everywhere(dqn.target, {king: 0.3, other: 0.8}, -0.5)
    assert targets_of(dqn, page)[0] == pytest.approx(-G * value)


@pytest.mark.parametrize("says", [7.0, -7.0])
@pytest.mark.parametrize("shaping", [0.0, 0.5])
def test_impossible_values_are_clipped(says: float, shaping: float) -> None:
    page = line(QUIET, ["h1h2"], teacher_depth=1)
    page.potentials[:] = 0
    dqn = saying(page, {}, says, shaping_weight=shaping, teacher_depth=1)
    assert targets_of(dqn, page)[0] == pytest.approx(-G * np.sign(says) * (1 + shaping))


def test_illegal_moves_do_not_change_targets() -> None:
    page = line(QUIET, ["h1h2", "e8e7", "h2h3"])
    for row in range(3):
        dqn = dqn_with(page)
        _, batch = dqn.sample(np.random.default_rng(1))
        before = dqn.targets(batch, 1)
        legal = page.legal[page.legal_offsets[row + 1] : page.legal_offsets[row + 2]]
        illegal = np.setdiff1d(np.arange(4096), legal)
        for net in (dqn.net, dqn.target):
            net.arrays()["actions.bias"][illegal] += 1e6
        rows = (batch.states == page.packed[row]).all(axis=1)
        assert rows.any()
        np.testing.assert_array_equal(dqn.targets(batch, 1)[rows], before[rows])


@pytest.fixture(scope="module")
def games() -> Episodes:
    """Games with every kind of ending, with the teacher's advice."""
    starts = [MATE_IN_TWO, "7k/8/8/8/8/8/8/K4Q2 w - - 0 1", "8/8/8/8/8/6k1/4q3/6K1 b - - 0 1", None]
    boards = [Board(starts[i % 4]) for i in range(12)]
    players = [load_player("teacher:depth=2")]
    seats = np.zeros((12, 2), np.int64)
    actor = EpsilonGreedyActor(players=players, seats=seats, epsilon=0.3, teacher_depth=1)
    played = play_games([actor], GamePlan(boards=boards, max_plies=8, seed=6))
    assert played.stats.decided >= 2
    assert played.stats.truncated >= 2
    assert played.stats.games > played.stats.decided + played.stats.truncated
    return episodes_of(played, actor, GAMMA)


SETTINGS: list[dict[str, Any]] = [
    {},
    {"double": False},
    {"n_step": 2, "shaping_weight": 0.4, "dueling": True},
    {"n_step": 3, "double": False, "shaping_weight": 0.4},
    {"n_step": 20, "shaping_weight": 1.0, "gamma": 1.0},
    {"gamma": 0.0, "shaping_weight": 0.3},
    {"backup": "two_ply", "shaping_weight": 0.2},
    {"backup": "two_ply", "imitation_bonus": 0.3, "truncation_penalty": 0.2, "double": False},
    {"backup": "two_ply", "imitation_bonus": 0.3, "imitation_bonus_top_k": 3},
    {"backup": "two_ply", "truncation_penalty": 0.2, "gamma": 0.0},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_targets_are_those_of_a_loop(games: Episodes, settings: dict[str, Any]) -> None:
    dqn = dqn_with(games, batch_size=2000, teacher_depth=1, teacher_anneal_cycles=4, **settings)
    dqn.net.arrays()["actions.bias"][:] *= 8  # the nets differ, and some values are beyond 1
    _, batch = dqn.sample(np.random.default_rng(2))
    slow = Slow(dqn, games, cycle=2)
    expected = {row: slow.target(row) for row in np.flatnonzero(games.played).tolist()}
    seen = set()
    for i, target in enumerate(dqn.targets(batch, 2).tolist()):
        same = (games.packed == batch.states[i]).all(axis=1) & (games.actions == batch.actions[i])
        rows = np.flatnonzero(same)  # games may begin alike
        assert any(target == pytest.approx(expected[row], abs=1e-5) for row in rows.tolist())
        seen |= set(rows.tolist())
    assert seen == expected.keys()


class Slow:
    """The definitions, a row at a time."""

    def __init__(self, dqn: Dqn, page: Episodes, cycle: int) -> None:
        self.dqn, self.page = dqn, page
        left = 1 - (cycle - 1) / dqn.config.teacher_anneal_cycles
        self.shaping, self.bonus = (
            dqn.config.shaping_weight * left,
            dqn.config.imitation_bonus * left,
        )

    def target(self, row: int) -> float:
        if self.dqn.config.backup == "two_ply":
            return self.two_ply(row)
        return self.negamax(row, self.dqn.config.n_step)

    def negamax(self, row: int, steps: int) -> float:
        """r' - gamma * what is next, r' = r - lambda * (gamma * Phi(s') + Phi(s))."""
        page, gamma = self.page, self.dqn.config.gamma
        here = float(page.rewards[row]) - self.shaping * float(page.potentials[row])
        if page.ends[row]:
            return here
        here -= self.shaping * gamma * float(page.potentials[row + 1])
        if steps == 1 or page.actions[row + 1] == NO_ACTION:
            return here - gamma * self.value(row + 1)
        return here - gamma * self.negamax(row + 1, steps - 1)

    def two_ply(self, row: int) -> float:
        page, gamma = self.page, self.dqn.config.gamma
        here = float(page.rewards[row]) - self.shaping * float(page.potentials[row])
        here += self.bonus if page.ranks[row] < self.dqn.config.imitation_bonus_top_k else 0.0
        if page.ends[row]:
            return here
        if page.actions[row + 1] == NO_ACTION:
            ahead = self.value(row + 1) + self.shaping * float(page.potentials[row + 1])
            return here - gamma * ahead - self.dqn.config.truncation_penalty
        if page.ends[row + 1]:
            return here - float(page.rewards[row + 1])
        here -= self.dqn.config.truncation_penalty if page.actions[row + 2] == NO_ACTION else 0.0
        return here + gamma * (self.value(row + 2) + self.shaping * float(page.potentials[row + 2]))

    def value(self, row: int) -> float:
        """Of a position, alone."""
        legal = self.page.legal[self.page.legal_offsets[row] : self.page.legal_offsets[row + 1]]
        asked = Ragged(legal.astype(np.int32), np.array([0, len(legal)]))
        packed = self.page.packed[row : row + 1]
        target = self.dqn.target.values(packed, asked).tolist()
        online = self.dqn.net.values(packed, asked).tolist()
        chooser = online if self.dqn.config.double else target
        value = target[max(range(len(legal)), key=lambda i: chooser[i])]
        return float(np.clip(value, -1 - self.shaping, 1 + self.shaping))
