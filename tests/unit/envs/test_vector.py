"""Many games in one vector environment: the same rules, rewards and endings as one by one."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

import selfmate.envs
from selfmate.encodings import actions_of_moves, encode
from selfmate.envs.vector import ChessVectorEnv
from selfmate.rules import Board, uci_code

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"


def random_actions(infos: dict[str, Any], rng: np.random.Generator) -> NDArray[np.int64]:
    masks: NDArray[np.int8] = infos["action_mask"]
    chosen: NDArray[np.int64] = (masks * rng.random(masks.shape)).argmax(1).astype(np.int64)
    return chosen


def test_gymnasium_makes_it_and_it_says_how_it_resets() -> None:
    envs = gymnasium.make_vec(
        selfmate.envs.CHESS_ID, num_envs=3, vectorization_mode="vector_entry_point"
    )
    assert isinstance(envs, ChessVectorEnv)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    seen, infos = envs.reset(seed=1)
    assert seen in envs.observation_space
    assert infos["action_mask"].shape == (3, 4672)
    envs.close()


@pytest.mark.parametrize("opponent", [None, "random", "greedy"])
def test_rewards_and_endings_are_those_of_the_rules(opponent: str | None) -> None:
    envs, rng = ChessVectorEnv(64, opponent, max_plies=60), np.random.default_rng(1)
    _, infos = envs.reset(seed=2)
    games = 0
    for _ in range(120):
        before = envs.boards()
        actions = random_actions(infos, rng)
        seen, rewards, terminated, truncated, infos = envs.step(actions)
        assert seen in envs.observation_space
        assert not (terminated & truncated).any()
        ended = terminated | truncated
        assert rewards[~terminated].tolist() == [0] * int((~terminated).sum())
        for slot in np.flatnonzero(ended).tolist():
            games += 1
            last = Board(infos["final_info"]["fen"][slot])
            board = before[slot]
            if terminated[slot]:
                won = last.is_check() and not last.legal_moves()
                by_agent = last.turn != board.turn
                assert rewards[slot] == (0 if not won else 1 if by_agent else -1)
            final = infos["final_obs"][slot]
            assert final.shape == envs.single_observation_space.shape
        assert ended.any() == ("final_obs" in infos)
    assert games > 50


def test_a_mate_gives_the_mover_one_and_the_next_game_begins() -> None:
    envs = ChessVectorEnv(2, fen=MATE_IN_ONE)
    envs.reset(seed=1)
    moves = np.array([uci_code("a1a8"), uci_code("a1a2")], np.uint16)
    actions = actions_of_moves("az4672", envs.boards(), moves).astype(np.int64)
    seen, rewards, terminated, truncated, infos = envs.step(actions)
    assert rewards.tolist() == [1, 0]
    assert terminated.tolist() == [True, False]
    assert not truncated.any()
    assert envs.boards()[0].fen() == MATE_IN_ONE
    assert infos["_final_obs"].tolist() == [True, False]
    mated = Board(MATE_IN_ONE)
    mated.push("a1a8")
    assert np.array_equal(infos["final_obs"][0], encode("planes68", [mated])[0])
    assert np.array_equal(seen, encode("planes68", envs.boards()))


def test_the_same_seed_gives_the_same_games() -> None:
    found = []
    for threads in (1, 2):
        envs, rng = ChessVectorEnv(16, "random", threads=threads), np.random.default_rng(1)
        _, infos = envs.reset(seed=5)
        for _ in range(30):
            *_, infos = envs.step(random_actions(infos, rng))
        found.append([board.fen() for board in envs.boards()])
    assert found[0] == found[1]


def test_an_illegal_action_raises_and_no_game_moves() -> None:
    envs = ChessVectorEnv(4)
    _, infos = envs.reset(seed=1)
    actions = random_actions(infos, np.random.default_rng(1))
    actions[2] = int(np.argmin(infos["action_mask"][2]))
    with pytest.raises(ValueError, match="legal"):
        envs.step(actions)
    assert all(not board.moves for board in envs.boards())
