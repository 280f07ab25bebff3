"""Both contestants of `bench reinforce` score moves alike and learn the same from a game."""

from collections.abc import Iterator
from itertools import count

import chess
import numpy as np
import pytest
import torch
from torch import Tensor

from selfmate.data.trajectories import SampledGames
from selfmate.learners.reinforce.config import Config
from selfmate.learners.reinforce.learner import Reinforce
from selfmate.nets.config import MoveScorerConfig
from selfmate.rules import Board
from selfmate_benchmarks.reinforce import MoveByMove, PlayedGame

SPEC = MoveScorerConfig(encoding="onehot768", hidden=(24, 16), value_head=False)
FENS = (
    chess.STARTING_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "3r3k/4P3/8/8/8/8/8/K7 w - - 0 1",
    "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3",
)
MATE_IS_NEAR = "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1"
SETTINGS = {"hidden": (24, 16), "max_plies": 30, "temperature_train": 1.2}


@pytest.mark.parametrize("fen", FENS)
def test_both_score_moves_alike(fen: str) -> None:
    torch.manual_seed(1)
    net = SPEC.make_net()
    slow = MoveByMove(net, temperature=1.2, max_plies=5)
    board = Board(fen)
    moves = [chess.Move.from_uci(move) for move in board.legal_moves()]
    theirs = slow.scores(chess.Board(fen), moves).detach().numpy()
    np.testing.assert_allclose(net.scores(SPEC.candidates([board])), theirs, rtol=1e-4, atol=1e-5)


def test_the_peer_samples_whole_games() -> None:
    torch.manual_seed(1)
    slow = MoveByMove(SPEC.make_net(), temperature=1.2, max_plies=400)
    game = slow.play(MATE_IS_NEAR)
    assert len(game.log_probs) == len(game.signs) == len(game.board.move_stack)
    assert game.signs == [1 if ply % 2 == 0 else -1 for ply in range(len(game.signs))]
    ours = Board(MATE_IS_NEAR)
    for move in game.board.move_stack:
        assert ours.outcome() is None
        ours.push(move.uci())  # refuses illegal moves
    assert ours.outcome() is not None
    again = MoveByMove(SPEC.make_net(), temperature=1.2, max_plies=5)
    again.model.load_state_dict(slow.model.state_dict())
    assert again.play(MATE_IS_NEAR).board.move_stack == game.board.move_stack[:5]


def decisive_game(learner: Reinforce) -> tuple[Board, SampledGames]:
    """A game of our learner that ends in mate."""
    for seed in count():
        board, rng = Board(MATE_IS_NEAR), np.random.default_rng(seed)
        games, _, _ = learner.play([board], learner.config.temperature_train, rng)
        if games.results[0]:
            return board, games
    raise AssertionError


def followed(peer: MoveByMove, board: Board) -> PlayedGame:
    """The peer plays the moves of the board."""
    moves: Iterator[str] = iter(board.moves)

    def choose(legal: list[chess.Move], probs: object) -> int:
        return [move.uci() for move in legal].index(next(moves))

    return peer.play(board.start_fen, choose)


def gradient_of(learner: Reinforce, games: SampledGames) -> dict[str, Tensor]:
    """Of the mean loss over all plies, by names of the peer's parameters."""
    gradient = learner.loss(games, np.arange(len(games)), len(games)).gradient
    parts = {name: torch.from_numpy(array) for name, array in gradient.items()}
    first = torch.cat([parts["position.weight"], parts["move.weight"]]).T
    found = {"0.weight": first, "0.bias": parts["position.bias"]}
    names = [f"hidden.{number}" for number in range(len(learner.net.hidden))]
    for number, name in enumerate((*names, "score"), start=1):
        found[f"{2 * number}.weight"] = parts[f"{name}.weight"]
        found[f"{2 * number}.bias"] = parts[f"{name}.bias"]
    return found


def _grad(parameter: Tensor) -> Tensor:
    assert parameter.grad is not None
    grad = parameter.grad
    return grad.to_dense().clone()


def test_both_learn_the_same_from_a_game() -> None:
    learner = Reinforce(Config.model_validate(SETTINGS))
    peer = MoveByMove(learner.net, temperature=1.2, max_plies=30)
    board, games = decisive_game(learner)
    game = followed(peer, board)
    assert game.result == games.results[0] != 0
    assert [float(log.detach()) for log in game.log_probs] == pytest.approx(
        games.log_probs.tolist(), abs=1e-5
    )
    ours = gradient_of(learner, games)
    peer.learn(game)
    theirs = {name: _grad(tensor) for name, tensor in peer.model.named_parameters()}
    assert ours.keys() == theirs.keys()
    assert max(float(grad.abs().max()) for grad in theirs.values()) > 1e-3
    for name, grad in theirs.items():
        torch.testing.assert_close(ours[name], grad, rtol=1e-4, atol=1e-6)


def test_both_make_the_same_update() -> None:
    """Adam's first step is the learning rate times the sign of the gradient, where it is large."""
    learner = Reinforce(Config.model_validate(SETTINGS))
    peer = MoveByMove(learner.net, temperature=1.2, max_plies=30)
    board, games = decisive_game(learner)
    before = learner.net.score.weight.detach().clone()
    peer.learn(followed(peer, board))
    learner.learn(games, 1, np.random.default_rng(1))
    last = list(peer.model.parameters())[-2]
    is_large = _grad(last).abs() > 1e-4
    assert is_large.any()
    assert not torch.equal(learner.net.score.weight, before)
    torch.testing.assert_close(
        learner.net.score.weight[is_large], last[is_large], rtol=0, atol=1e-6
    )
