"""REINFORCE as it is first written down: python-chess, torch, and one move after the other."""

import chess
import numpy as np
import torch
from torch import Tensor

from selfmate.nets.move_scorer import MoveScorer

PROMOTIONS = (None, chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT)


class MoveByMove:
    """Plays a game with itself, learns from it, and again."""

    def __init__(self, net: MoveScorer, *, temperature: float, max_plies: int) -> None:
        """Begins with the weights of a net of ours, in one piece."""
        self.temperature, self.max_plies = temperature, max_plies
        self.model = _in_one_piece(net)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-3)
        self.dice = np.random.default_rng(1)

    def play_and_learn(self) -> None:
        board, logs, signs = chess.Board(), list[Tensor](), list[int]()
        while len(logs) < self.max_plies and not board.is_game_over(claim_draw=True):
            moves = list(board.legal_moves)
            of_moves = torch.log_softmax(self.scores(board, moves) / self.temperature, dim=0)
            chances = of_moves.detach().exp().numpy().astype(np.float64)
            chosen = int(self.dice.choice(len(moves), p=chances / chances.sum()))
            logs.append(of_moves[chosen])
            signs.append(1 if board.turn else -1)
            board.push(moves[chosen])
        result = {"1-0": 1, "0-1": -1}.get(board.result(claim_draw=True), 0)
        self.optimizer.zero_grad()
        loss = -(result * torch.tensor(signs) * torch.stack(logs)).mean()
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()

    def scores(self, board: chess.Board, moves: list[chess.Move]) -> Tensor:
        position = encoded_position(board)
        return torch.cat(
            [self.model(torch.cat([position, encoded_move(board, move)])) for move in moves]
        )


def encoded_position(board: chess.Board) -> Tensor:
    planes = torch.zeros(12, 64)
    for square, piece in board.piece_map().items():
        planes[piece.piece_type - 1 + (0 if piece.color else 6), square] = 1
    return planes.flatten()


def encoded_move(board: chess.Board, move: chess.Move) -> Tensor:
    encoded = torch.zeros(136)
    encoded[move.from_square] = 1
    encoded[64 + move.to_square] = 1
    encoded[128 + PROMOTIONS.index(move.promotion)] = 1
    encoded[133] = board.is_capture(move)
    encoded[134] = board.gives_check(move)
    encoded[135] = board.is_castling(move)
    return encoded


def _in_one_piece(net: MoveScorer) -> torch.nn.Sequential:
    first = torch.nn.Linear(net.shape.position_inputs + net.shape.move_inputs, net.shape.hidden[0])
    with torch.no_grad():
        first.weight.copy_(torch.cat([net.position.weight, net.move.weight]).T)
        first.bias.copy_(net.position.bias)
    layers: list[torch.nn.Module] = [first]
    for layer in (*net.hidden, net.score):
        ours = torch.nn.Linear(layer.in_features, layer.out_features)
        ours.load_state_dict(layer.state_dict())
        layers += [torch.nn.ReLU(), ours]
    return torch.nn.Sequential(*layers)
