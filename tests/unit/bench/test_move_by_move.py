"""Both contestants of `bench reinforce` score moves alike."""

import chess
import numpy as np
import pytest
import torch

from selfmate.bench.move_by_move import MoveByMove
from selfmate.players.scorer_player import ScorerSpec
from selfmate.rules import Board

SPEC = ScorerSpec(encoding="onehot768", hidden=(24, 16), value_head=False)
FENS = (
    chess.STARTING_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "3r3k/4P3/8/8/8/8/8/K7 w - - 0 1",
    "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3",
)


@pytest.mark.parametrize("fen", FENS)
def test_both_score_moves_alike(fen: str) -> None:
    torch.manual_seed(1)
    net = SPEC.make_net()
    slow = MoveByMove(net, temperature=1.2, max_plies=5)
    board = Board(fen)
    moves = [chess.Move.from_uci(move) for move in board.legal_moves()]
    theirs = slow.scores(chess.Board(fen), moves).detach().numpy()
    np.testing.assert_allclose(net.scores(SPEC.candidates([board])), theirs, rtol=1e-4, atol=1e-5)


def test_the_slow_one_learns_from_whole_games() -> None:
    torch.manual_seed(1)
    slow = MoveByMove(SPEC.make_net(), temperature=1.2, max_plies=5)
    slow.play_and_learn()
