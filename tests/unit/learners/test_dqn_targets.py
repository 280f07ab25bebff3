"""What the DQN's moves are worth: signs by hand, and all of it against a slow loop."""

from typing import Any

import chess
import numpy as np
import pytest

from selfmate.arena.self_play import Plan, play_games
from selfmate.data.experience import NO_ACTION, Episodes
from selfmate.encodings.packed import inputs_of
from selfmate.learners.dqn import Dqn
from selfmate.players import load_player
from selfmate.rules import Board
from selfmate.rules.ragged import Ragged
from unit.learners.dqn_lines import (
    GAMMA,
    MATE_IN_TWO,
    MATING_LINE,
    action,
    dqn_with,
    line,
    say_everywhere,
    targets_of,
)

STALEMATE = "7k/5K2/8/8/8/8/8/6Q1 w - - 0 1"  # by g1g6
QUIET = "4k3/8/8/8/8/8/8/4K2R w - - 0 1"
G = GAMMA


def saying(page: Episodes, values: dict[int, float], otherwise: float, **changes: object) -> Dqn:
    """Both nets say the same."""
    dqn = dqn_with(page, **changes)
    for net in (dqn.net, dqn.target):
        say_everywhere(net, values, otherwise)
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
    dqn = saying(page, {}, 0.25, steps=steps)
    np.testing.assert_allclose(targets_of(dqn, page), expected, rtol=1e-6)


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_signs_are_the_same_for_black(steps: int) -> None:
    board = chess.Board(MATE_IN_TWO).mirror()
    moves = ["e3f2", "h1h2", "g8h8"]
    white, black = line(MATE_IN_TWO, MATING_LINE), line(board.fen(), moves)
    found = [targets_of(saying(page, {}, 0.25, steps=steps), page) for page in (white, black)]
    np.testing.assert_array_equal(found[0], found[1])


def test_what_the_nets_say_of_the_end_is_not_asked() -> None:
    page = line(MATE_IN_TWO, MATING_LINE)
    assert targets_of(saying(page, {}, 99.0), page)[-1] == 1
    drawn = line(STALEMATE, ["g1g6"])
    for backup in ("negamax", "two_ply"):
        assert targets_of(saying(drawn, {}, 99.0, backup=backup), drawn).tolist() == [0]


@pytest.mark.parametrize(("steps", "sign"), [(1, -G), (2, G * G), (3, -(G**3))])
def test_a_cut_game_is_worth_what_the_net_says_of_its_last_position(
    steps: int, sign: float
) -> None:
    page = line(QUIET, ["h1h2", "e8e7", "h2h3"])
    targets = targets_of(saying(page, {}, 0.5, steps=steps), page)
    assert targets[0] == pytest.approx(sign * 0.5)
    assert targets[2] == pytest.approx(-G * 0.5), "its last row is one ply before the cut"
    assert np.isnan(targets[3])


def test_two_ply_has_rewards_of_the_reply() -> None:
    page = line(MATE_IN_TWO, MATING_LINE)
    targets = targets_of(saying(page, {}, 0.25, backup="two_ply"), page)
    np.testing.assert_allclose(targets, [G * 0.25, -1, 1], rtol=1e-6)


def test_two_ply_alone_has_a_bonus_and_a_penalty() -> None:
    page = line(QUIET, ["h1h2", "e8e7", "h2h3"], advice_depth=1)
    page.advice[:] = [action("h1h2"), action("e8d8", turned=True), action("h2h3"), NO_ACTION]
    extras = {"backup": "two_ply", "advice_depth": 1, "imitation_bonus": 0.2, "cut_penalty": 0.1}
    dqn = saying(page, {}, 0.5, help_cycles=10, **extras)
    # Before the cut White moved last, and Black a ply earlier: both pay for it.
    expected = [G * 0.5 + 0.2, G * 0.5 - 0.1, -G * 0.5 + 0.2 - 0.1]
    np.testing.assert_allclose(targets_of(dqn, page)[:3], expected, rtol=1e-6)
    half = [G * 0.5 + 0.1, G * 0.5 - 0.1, -G * 0.5 + 0.1 - 0.1]
    np.testing.assert_allclose(targets_of(dqn, page, cycle=6)[:3], half, rtol=1e-5)
    without = [G * 0.5, G * 0.5 - 0.1, -G * 0.5 - 0.1]
    np.testing.assert_allclose(targets_of(dqn, page, cycle=11)[:3], without, rtol=1e-6)


def test_a_game_cut_after_one_ply_has_one_side_to_pay() -> None:
    page = line(QUIET, ["h1h2"])
    dqn = saying(page, {}, 0.5, backup="two_ply", cut_penalty=0.1)
    assert targets_of(dqn, page)[0] == pytest.approx(-G * 0.5 - 0.1)


def test_a_game_that_ends_by_itself_pays_nothing() -> None:
    page = line(MATE_IN_TWO, MATING_LINE)
    dqn = saying(page, {}, 0.25, backup="two_ply", cut_penalty=0.1)
    np.testing.assert_allclose(targets_of(dqn, page), [G * 0.25, -1, 1], rtol=1e-6)


@pytest.mark.parametrize(("double", "value"), [(True, 0.3), (False, 0.8)])
def test_double_chooses_with_one_net_and_values_with_the_other(double: bool, value: float) -> None:
    page = line(QUIET, ["h1h2"])
    dqn = dqn_with(page, double=double)
    king, other = action("e8e7", turned=True), action("e8d8", turned=True)
    say_everywhere(dqn.net, {king: 0.9}, -0.5)
    say_everywhere(dqn.target, {king: 0.3, other: 0.8}, -0.5)
    assert targets_of(dqn, page)[0] == pytest.approx(-G * value)


@pytest.mark.parametrize("says", [7.0, -7.0])
@pytest.mark.parametrize("shaping", [0.0, 0.5])
def test_values_that_cannot_be_are_not_believed(says: float, shaping: float) -> None:
    page = line(QUIET, ["h1h2"], advice_depth=1)
    page.potentials[:] = 0
    dqn = saying(page, {}, says, shaping=shaping, advice_depth=1)
    assert targets_of(dqn, page)[0] == pytest.approx(-G * np.sign(says) * (1 + shaping))


def test_moves_that_are_not_legal_change_nothing() -> None:
    page = line(QUIET, ["h1h2", "e8e7", "h2h3"])
    for row in range(3):
        dqn = dqn_with(page)
        _, moves = dqn.draw(np.random.default_rng(1))
        before = dqn.targets(moves, 1)
        legal = page.legal[page.legal_offsets[row + 1] : page.legal_offsets[row + 2]]
        illegal = np.setdiff1d(np.arange(4096), legal)
        for net in (dqn.net, dqn.target):
            net.arrays()["actions.bias"][illegal] += 1e6
        rows = (moves.states == page.packed[row]).all(axis=1)
        assert rows.any()
        np.testing.assert_array_equal(dqn.targets(moves, 1)[rows], before[rows])


@pytest.fixture(scope="module")
def games() -> Episodes:
    """Games of every end, with the teacher asked."""
    starts = [MATE_IN_TWO, "7k/8/8/8/8/8/8/K4Q2 w - - 0 1", "8/8/8/8/8/6k1/4q3/6K1 b - - 0 1", None]
    boards = [Board(starts[i % 4]) for i in range(12)]
    players = [load_player("teacher:depth=2")]
    plan = Plan(
        boards=boards, seats=np.zeros((12, 2), np.int64), epsilon=0.3, max_plies=8, seed=6,
        gamma=GAMMA, advice_depth=1,
    )  # fmt: skip
    page, tally = play_games(players, plan)
    assert tally.ends["checkmate"] >= 2
    assert tally.ends["ply_limit"] >= 2
    assert sum(tally.ends.values()) > tally.ends["checkmate"] + tally.ends["ply_limit"]
    return page


SETTINGS: list[dict[str, Any]] = [
    {},
    {"double": False},
    {"steps": 2, "shaping": 0.4, "dueling": True},
    {"steps": 3, "double": False, "shaping": 0.4},
    {"steps": 20, "shaping": 1.0, "gamma": 1.0},
    {"gamma": 0.0, "shaping": 0.3},
    {"backup": "two_ply", "shaping": 0.2},
    {"backup": "two_ply", "imitation_bonus": 0.3, "cut_penalty": 0.2, "double": False},
    {"backup": "two_ply", "cut_penalty": 0.2, "gamma": 0.0},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_targets_are_those_of_a_loop(games: Episodes, settings: dict[str, Any]) -> None:
    dqn = dqn_with(games, batch=2000, advice_depth=1, help_cycles=4, **settings)
    dqn.net.arrays()["actions.bias"][:] *= 8  # the nets differ, and some values are beyond 1
    _, moves = dqn.draw(np.random.default_rng(2))
    slow = Slow(dqn, games, cycle=2)
    expected = {row: slow.target(row) for row in np.flatnonzero(games.played).tolist()}
    seen = set()
    for i, target in enumerate(dqn.targets(moves, 2).tolist()):
        same = (games.packed == moves.states[i]).all(axis=1) & (games.actions == moves.actions[i])
        rows = np.flatnonzero(same)  # games may begin alike
        assert any(target == pytest.approx(expected[row], abs=1e-5) for row in rows.tolist())
        seen |= set(rows.tolist())
    assert seen == expected.keys()


class Slow:
    """The definitions, a row at a time."""

    def __init__(self, dqn: Dqn, page: Episodes, cycle: int) -> None:
        self.dqn, self.page = dqn, page
        left = 1 - (cycle - 1) / dqn.config.help_cycles
        self.shaping, self.bonus = dqn.config.shaping * left, dqn.config.imitation_bonus * left

    def target(self, row: int) -> float:
        if self.dqn.config.backup == "two_ply":
            return self.two_ply(row)
        return self.negamax(row, self.dqn.config.steps)

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
        here += self.bonus if page.actions[row] == page.advice[row] else 0.0
        if page.ends[row]:
            return here
        if page.actions[row + 1] == NO_ACTION:
            ahead = self.value(row + 1) + self.shaping * float(page.potentials[row + 1])
            return here - gamma * ahead - self.dqn.config.cut_penalty
        if page.ends[row + 1]:
            return here - float(page.rewards[row + 1])
        here -= self.dqn.config.cut_penalty if page.actions[row + 2] == NO_ACTION else 0.0
        return here + gamma * (self.value(row + 2) + self.shaping * float(page.potentials[row + 2]))

    def value(self, row: int) -> float:
        """Of a position, alone."""
        legal = self.page.legal[self.page.legal_offsets[row] : self.page.legal_offsets[row + 1]]
        asked = Ragged(legal.astype(np.int32), np.array([0, len(legal)]))
        inputs = inputs_of(self.page.packed[row : row + 1])
        target = self.dqn.target.values(inputs, asked).tolist()
        online = self.dqn.net.values(inputs, asked).tolist()
        chooser = online if self.dqn.config.double else target
        value = target[max(range(len(legal)), key=lambda i: chooser[i])]
        return float(np.clip(value, -1 - self.shaping, 1 + self.shaping))
