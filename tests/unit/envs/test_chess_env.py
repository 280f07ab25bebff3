"""`selfmate/Chess-v0`: Gymnasium's contract, rewards, endings and pictures."""

from typing import Any

import chess
import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from stable_baselines3.common.env_checker import check_env as check_env_sb3

import selfmate.envs
from selfmate.encodings import ACTION_ENCODINGS, ENCODINGS
from selfmate.envs.chess_env import ChessEnv
from selfmate.envs.minichess_env import MiniChessEnv
from selfmate.minichess.game import MATE

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"


def make(**settings: Any) -> ChessEnv:
    env = gymnasium.make(selfmate.envs.CHESS_ID, **settings).unwrapped
    assert isinstance(env, ChessEnv)
    return env


def action_of(env: ChessEnv, move: str) -> int:
    """The action after which the move stands on the board."""
    for action in np.flatnonzero(env.action_masks()).tolist():
        if env._coding.move(env.board, action) == code_of(move):
            return int(action)
    raise AssertionError(move)


def code_of(move: str) -> int:
    from selfmate.rules import uci_code

    return uci_code(move)


@pytest.mark.filterwarnings("ignore::UserWarning")  # advice about spaces, spec and wrappers
@pytest.mark.parametrize("make_env", [make, MiniChessEnv])
def test_the_checkers_of_gymnasium_and_stable_baselines_pass(make_env: Any) -> None:
    check_env(make_env(), skip_render_check=True)
    check_env_sb3(make_env())


@pytest.mark.parametrize("observation", [*ENCODINGS, "chess_v6"])
@pytest.mark.parametrize("actions", [*ACTION_ENCODINGS, "chess_v6"])
def test_games_with_every_encoding_end(observation: str, actions: str) -> None:
    env = make(observation=observation, actions=actions, color="random", max_plies=40)
    seen, info = env.reset(seed=3)
    over = False
    while not over:
        assert seen in env.observation_space
        assert np.array_equal(info["action_mask"] == 1, env.action_masks())
        assert env.action_masks().sum() > 0
        action = env.action_space.sample(mask=info["action_mask"])
        seen, reward, terminated, truncated, info = env.step(action)
        assert reward in (-1, 0, 1)
        over = terminated or truncated
    assert truncated == (len(env.board.moves) >= 40 and not terminated)


def test_masks_are_the_legal_moves() -> None:
    env = make()
    env.reset(seed=1)
    rules, moves = chess.Board(env.board.fen()), set[int]()
    for action in np.flatnonzero(env.action_masks()).tolist():
        moves.add(env._coding.move(env.board, action))
    assert moves == {code_of(move.uci()) for move in rules.legal_moves}


@pytest.mark.parametrize(("color", "expected"), [("white", 1.0), ("black", -1.0)])
def test_a_mate_is_worth_one_to_its_side(color: str, expected: float) -> None:
    """The opponent sees a mate in one as well: a teacher plays it."""
    env = make(opponent="teacher:depth=1", fen=MATE_IN_ONE, color="white")
    if color == "white":
        env.reset(seed=1)
        _, reward, terminated, truncated, info = env.step(action_of(env, "a1a8"))
    else:
        env = make(opponent="teacher:depth=1", fen=MATE_IN_ONE.replace(" w ", " b "), color="black")
        env.reset(seed=1)
        _, reward, terminated, truncated, info = env.step(action_of(env, "g8h8"))
    assert (reward, terminated, truncated) == (expected, True, False)
    assert info["reason"] == "checkmate"
    assert not info["action_mask"].any()


def test_an_illegal_action_loses() -> None:
    env = make()
    env.reset(seed=1)
    action = int(np.argmin(env.action_masks()))
    _, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated, info["illegal_action"]) == (-1, True, False, action)


def test_the_ply_limit_truncates() -> None:
    env = make(max_plies=2)
    _, info = env.reset(seed=1)
    _, reward, terminated, truncated, _ = env.step(env.action_space.sample(info["action_mask"]))
    assert (reward, terminated, truncated) == (0, False, True)


def test_the_same_seed_gives_the_same_game() -> None:
    games = []
    for _ in range(2):
        env = make(color="random")
        _, info = env.reset(seed=7)
        for _ in range(10):
            _, _, _, _, info = env.step(int(np.argmax(info["action_mask"])))
        games.append(env.board.moves)
    assert games[0] == games[1]


def test_the_opponent_opens_when_the_agent_is_black() -> None:
    env = make(color="black")
    _, info = env.reset(seed=1)
    assert len(env.board.moves) == 1
    assert env.board.moves[0] == info["last_move"]
    env.reset(options={"color": "white", "fen": MATE_IN_ONE})
    assert env.board.fen() == MATE_IN_ONE


def test_pictures() -> None:
    text = make(render_mode="ansi")
    text.reset()
    assert str(text.board) == text.render()
    svg = make(render_mode="svg")
    svg.reset()
    assert svg.render().startswith("<svg")
    image = make(render_mode="rgb_array", fen=MATE_IN_ONE)
    image.reset()
    pixels = image.render()
    assert pixels.shape == (320, 320, 3)
    assert pixels.dtype == np.uint8
    white, black = (252, 252, 252), (24, 24, 24)
    squares = {
        (row, column): {tuple(dot) for dot in cell.reshape(-1, 3).tolist()}
        for row in range(8)
        for column in range(8)
        for cell in [pixels[40 * row : 40 * row + 40, 40 * column : 40 * column + 40]]
    }
    assert {place for place, colors in squares.items() if white in colors} == {(7, 0), (7, 4)}
    assert {place for place, colors in squares.items() if black in colors} == {
        (0, 6), (1, 5), (1, 6), (1, 7),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"opponent": "nobody"}, "no player 'nobody'"),
        ({"observation": "planes99"}, "no observation 'planes99'; there are: features839"),
        ({"actions": "words"}, "no action encoding 'words'"),
        ({"color": "red"}, "color 'red' is none of white, black, random"),
        ({"max_plies": 0}, "max_plies 0 is not 1 or more"),
        ({"fen": "x"}, "FEN"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ChessEnv(**settings)


# The mini-chess


def test_mini_chess_games_follow_the_tables() -> None:
    env = MiniChessEnv(render_mode="ansi")
    rng, mates = np.random.default_rng(1), 0
    for seed in range(200):
        seen, info = env.reset(seed=seed)
        over = False
        while not over:
            assert seen.tolist() == env._vectors[env.state].tolist()
            action = int(rng.choice(np.flatnonzero(info["action_mask"])))
            ending = env.game.endings[env.game.afterstates[env.state, action]]
            seen, reward, terminated, truncated, info = env.step(action)
            assert reward == {0: 0, 1: 1, 2: -1}[int(ending)]
            assert terminated == (ending != 0)
            over = terminated or truncated
            mates += int(ending == MATE)
    assert mates > 20
    assert isinstance(env.render(), str)
    assert MiniChessEnv(render_mode="rgb_array").render().shape == (160, 160, 3)


def test_mini_chess_truncates_and_refuses_illegal_actions() -> None:
    env = MiniChessEnv(max_moves=1)
    for seed in range(50):
        _, info = env.reset(seed=seed)
        action = int(np.argmax(info["action_mask"]))
        _, _, terminated, truncated, _ = env.step(action)
        assert terminated != truncated
    env.reset(seed=1)
    _, reward, terminated, *_ = env.step(int(np.argmin(env.action_masks())))
    assert (reward, terminated) == (-1, True)
