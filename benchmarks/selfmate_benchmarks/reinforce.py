"""REINFORCE: games played and learned from, beside python-chess and torch move by move."""

from collections.abc import Callable
from dataclasses import dataclass

import chess
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from selfmate.learners.reinforce.config import Config
from selfmate.learners.reinforce.learner import Reinforce
from selfmate.nets.move_scorer import MoveScorer
from selfmate.nets.optim import one_thread
from selfmate_benchmarks import Results, best_rates, ratio
from selfmate_benchmarks.peers.rules import PROMOTIONS, is_over

RESULTS = {"1-0": 1, "0-1": -1}

# From the legal moves and their probabilities the index of the move to play.
Choose = Callable[[list[chess.Move], NDArray[np.float64]], int]


@dataclass(frozen=True)
class PlayedGame:
    board: chess.Board
    log_probs: list[Tensor]  # of the moves played, with their graphs
    signs: list[int]  # the side that moved: 1 White, -1 Black

    @property
    def result(self) -> int:
        """White's view; 0 for truncated games as well."""
        return RESULTS.get(self.board.result(), 0)


class MoveByMove:
    """Plays games against itself and learns from each."""

    def __init__(self, net: MoveScorer, *, temperature: float, max_plies: int) -> None:
        """Begins with the weights of a net of ours."""
        self.temperature, self.max_plies = temperature, max_plies
        self.model = plain_model(net)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-3)
        self.rng = np.random.default_rng(1)

    def play(self, start: str = chess.STARTING_FEN, choose: Choose | None = None) -> PlayedGame:
        """A game from a FEN; moves are sampled from the policy, or chosen by `choose`."""
        game = PlayedGame(chess.Board(start), [], [])
        while len(game.log_probs) < self.max_plies and not is_over(game.board):
            moves = list(game.board.legal_moves)
            log_probs = torch.log_softmax(self.scores(game.board, moves) / self.temperature, dim=0)
            probs = log_probs.detach().exp().numpy().astype(np.float64)
            at = (choose or self._sample)(moves, probs / probs.sum())
            game.log_probs.append(log_probs[at])
            game.signs.append(1 if game.board.turn else -1)
            game.board.push(moves[at])
        return game

    def learn(self, game: PlayedGame) -> None:
        """One update by Adam."""
        self.optimizer.zero_grad()
        loss = -(game.result * torch.tensor(game.signs) * torch.stack(game.log_probs)).mean()
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()

    def scores(self, board: chess.Board, moves: list[chess.Move]) -> Tensor:
        """[len(moves)]"""
        position = encoded_position(board)
        return torch.cat(
            [self.model(torch.cat([position, encoded_move(board, move)])) for move in moves]
        )

    def _sample(self, moves: list[chess.Move], probs: NDArray[np.float64]) -> int:
        return int(self.rng.choice(len(moves), p=probs))


def encoded_position(board: chess.Board) -> Tensor:
    """onehot768 [768], written for torch."""
    planes = torch.zeros(12, 64)
    for square, piece in board.piece_map().items():
        planes[piece.piece_type - 1 + (0 if piece.color else 6), square] = 1
    return planes.flatten()


def encoded_move(board: chess.Board, move: chess.Move) -> Tensor:
    """move136 [136], written for torch."""
    encoded = torch.zeros(136)
    encoded[move.from_square] = 1
    encoded[64 + move.to_square] = 1
    encoded[128 + PROMOTIONS.index(move.promotion)] = 1
    encoded[133] = board.is_capture(move)
    encoded[134] = board.gives_check(move)
    encoded[135] = board.is_castling(move)
    return encoded


def plain_model(net: MoveScorer) -> torch.nn.Sequential:
    """The net as dense layers of torch; its first layer takes position and move together."""
    inputs = len(net.position.weight) + len(net.move.weight)
    first = torch.nn.Linear(inputs, net.config.hidden[0])
    with torch.no_grad():
        first.weight.copy_(torch.cat([net.position.weight, net.move.weight]).T)
        first.bias.copy_(net.position.bias)
    layers: list[torch.nn.Module] = [first]
    for layer in (*net.hidden, net.score):
        ours = torch.nn.Linear(layer.in_features, layer.out_features)
        ours.load_state_dict(layer.state_dict())
        layers += [torch.nn.ReLU(), ours]
    return torch.nn.Sequential(*layers)


ROUNDS = 5


def run(rounds: int = ROUNDS) -> Results:
    """Both on one thread, with the same net and settings; a round of the peer is one game."""
    config = Config.model_validate({})
    learner = Reinforce(config)
    peer = MoveByMove(learner.net, temperature=config.temperature_train, max_plies=config.max_plies)
    with one_thread():
        rates = best_rates(
            {
                "play": lambda: play(learner),
                "train": lambda: play(learner, and_learn=True),
                "move_by_move": lambda: play_and_learn(peer),
            },
            rounds,
        )
    return {
        "train_x_vs_move_by_move": ratio(rates["train"], rates["move_by_move"]),
        **{f"{name}_games_per_s": rate for name, rate in rates.items()},
    }


def play(learner: Reinforce, *, and_learn: bool = False) -> float:
    """The games of one iteration."""
    config, rng = learner.config, np.random.default_rng(1)
    boards = learner.starts.boards(config.games_per_iteration, rng)
    games, _, _ = learner.play(boards, config.temperature_train, rng)
    if and_learn:
        learner.learn(games, 1, rng)
    return len(boards)


def play_and_learn(peer: MoveByMove) -> float:
    peer.learn(peer.play())
    return 1
