"""Chess for PettingZoo: its own tests, and `chess_v6` as an oracle for actions and boards."""

import chess
import numpy as np
import pytest

from selfmate.encodings import encode
from selfmate.envs import chess_v0
from selfmate.envs.action_coding import ActionCoding, Observer
from selfmate.rules import Board, GameBatch, uci_text

FOOLS_MATE = ("f2f3", "e7e5", "g2g4", "d8h4")


# Its modules warn about their own imports and spaces.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")


def test_the_checks_of_pettingzoo_pass(capsys: pytest.CaptureFixture[str]) -> None:
    from pettingzoo.test import api_test, seed_test

    api_test(chess_v0.env(max_plies=60), num_cycles=300)
    api_test(chess_v0.env(observation="planes68", actions="az4672", max_plies=60), num_cycles=200)
    seed_test(lambda: chess_v0.env(max_plies=30), num_cycles=40)
    assert "Passed" in capsys.readouterr().out


def play(*moves: str) -> "chess_v0.raw_env":
    env = chess_v0.raw_env(actions="uci1968")
    env.reset()
    for move in moves:
        legal = env._coding.legal(env.board).tolist()
        env.step(next(a for a in legal if uci_text(env._coding.move(env.board, a)) == move))
    return env


def test_a_mate_rewards_both_players() -> None:
    env = play(*FOOLS_MATE)
    assert env.rewards == {"player_0": -1, "player_1": 1}
    assert all(env.terminations.values())
    assert not any(env.truncations.values())


def test_only_the_player_to_move_has_legal_actions() -> None:
    env = play("e2e4")
    assert env.agent_selection == "player_1"
    assert env.observe("player_0")["action_mask"].sum() == 0
    assert env.observe("player_1")["action_mask"].sum() == 20


def positions() -> list[Board]:
    batch = GameBatch(40, seed=9)
    boards = []
    for _ in range(8):
        for _ in range(13):
            batch.step(batch.random_moves())
        boards += [batch.board(slot) for slot in range(40)]
    promoting = ("7k/P7/8/8/8/8/8/K7 w - - 0 1", "k7/8/8/8/8/8/1p6/2R4K b - - 0 1")
    return [*boards, *map(Board, promoting)]


def test_actions_are_those_of_chess_v6() -> None:
    from pettingzoo.classic.chess import chess_utils

    coding = ActionCoding("chess_v6")
    for board in positions():
        rules = chess.Board(board.fen())
        assert set(coding.legal(board).tolist()) == set(chess_utils.legal_moves(rules))
        for action in coding.legal(board).tolist():
            move = chess_utils.action_to_move(rules, action, int(not rules.turn))
            assert move.uci() == uci_text(coding.move(board, action))


def test_pieces_stand_where_chess_v6_sees_them() -> None:
    """Without en passant, where it also shows pawns that nobody can take."""
    from pettingzoo.classic.chess import chess_utils

    for board in positions():
        rules = chess.Board(board.fen())
        if rules.ep_square is not None:
            continue
        observer = Observer("chess_v6")
        observer.reset(board)
        for player in (0, 1):
            theirs = chess_utils.get_observation(rules, player)
            ours = observer.observe(board, black=bool(player))
            assert np.array_equal(ours[:, :, 4:20], theirs[:, :, 4:20])
            # It writes the rights of the king's side first, against its documentation.
            assert np.array_equal(ours[:, :, [1, 0, 3, 2]], theirs[:, :, :4])


def test_the_boards_before_follow_and_repetitions_show() -> None:
    observer, board = Observer("chess_v6"), Board()
    observer.reset(board)
    first = observer.observe(board, black=False)
    for move in ("g1f3", "g8f6", "f3g1", "f6g8"):
        board.push(move)
        observer.add(board)
    seen = observer.observe(board, black=False)
    assert np.array_equal(seen[:, :, 7:19], first[:, :, 7:19])
    assert seen[:, :, 19].all()
    assert not first[:, :, 19].any()
    assert np.array_equal(seen[:, :, 7 + 4 * 13 : 19 + 4 * 13], first[:, :, 7:19])
    assert not seen[:, :, 7 + 5 * 13 :].any()


def test_a_pawn_that_can_be_taken_en_passant_stands_on_its_first_rank() -> None:
    board = Board("4k3/8/8/8/5p2/8/4P3/4K3 w - - 0 1")
    board.push("e2e4")
    observer = Observer("chess_v6")
    observer.reset(board)
    pawns = observer.observe(board, black=False)[:, :, 7]
    assert np.argwhere(pawns).tolist() == [[7, 4]]


def test_our_encodings_by_choice() -> None:
    env = chess_v0.raw_env(observation="planes68", actions="az4672")
    env.reset()
    seen = env.observe("player_0")
    assert np.array_equal(seen["observation"], encode("planes68", [Board()])[0])
    with pytest.raises(ValueError, match="is not legal in"):
        env.step(0)
