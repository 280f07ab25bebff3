"""A net that scores moves as a player: its choices, its analyses, its lookahead."""

import chess
import numpy as np
import pytest
import torch

from selfmate.nets.config import MoveScorerConfig
from selfmate.nets.move_scorer import MoveScorer
from selfmate.players import SearchRequest
from selfmate.players.network import ScorerPlayer
from selfmate.rules import Board, uci_text

SPEC = MoveScorerConfig(encoding="onehot768", hidden=(4,), value_head=False)
VALUED = MoveScorerConfig(encoding="counts", hidden=(4,), value_head=True)
MATE_IN_ONE = "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1"
AFTER_E4 = Board()
AFTER_E4.push("e2e4")


def net_of(spec: MoveScorerConfig) -> MoveScorer:
    """All weights are zero."""
    net = spec.make_net()
    for array in net.arrays().values():
        array[...] = 0
    return net


def net_with(scores: dict[int, float], spec: MoveScorerConfig = SPEC) -> MoveScorer:
    """Scores moves by their source squares, through the first neuron."""
    net = net_of(spec)
    arrays = net.arrays()
    arrays["position.bias"][0] = 1
    for square, score in scores.items():
        arrays["move.weight"][square, 0] = score
    arrays["score.weight"][0, 0] = 1
    return net


def chosen(player: ScorerPlayer, board: Board, count: int = 200) -> set[str]:
    rng = np.random.default_rng(1).integers(0, 2**64, count, np.uint64)
    return {uci_text(move) for move in player.choose([board] * count, rng).moves.tolist()}


def test_the_move_with_the_highest_score_is_played() -> None:
    net = net_with({chess.B1: 0.5, chess.A2: 0.4, chess.G8: 0.9})
    assert chosen(ScorerPlayer("net", SPEC, net), Board()) == {"b1a3", "b1c3"}
    assert chosen(ScorerPlayer("net", SPEC, net), AFTER_E4) == {"g8f6", "g8h6"}


def test_with_flipped_inputs_both_sides_play_alike() -> None:
    flipped = MoveScorerConfig(encoding="turned768", hidden=(4,), value_head=False)
    net = net_with({chess.B1: 0.5, chess.A2: 0.4, chess.G8: 0.9}, flipped)
    assert chosen(ScorerPlayer("net", flipped, net), Board()) == {"b1a3", "b1c3"}
    assert chosen(ScorerPlayer("net", flipped, net), AFTER_E4) == {"b8a6", "b8c6"}


def test_with_a_temperature_every_move_can_be_played() -> None:
    net = net_with({chess.B1: 0.5})
    assert chosen(ScorerPlayer("net", SPEC, net, 10), Board()) == set(Board().legal_moves())
    assert chosen(ScorerPlayer("net", SPEC, net, 0.02), Board()) == {"b1a3", "b1c3"}


def test_promotions_are_different_moves() -> None:
    net = net_of(SPEC)
    net.arrays()["move.weight"][132, 0] = 1  # to a knight
    net.arrays()["score.weight"][0, 0] = 1
    board = Board("8/4P1k1/8/8/8/8/8/KB6 w - - 0 1")
    assert chosen(ScorerPlayer("net", SPEC, net), board) == {"e7e8n"}


def test_the_analysis_ranks_all_moves_with_their_probabilities() -> None:
    player = ScorerPlayer("net", SPEC, net_with({chess.B1: 1.0, chess.A2: 0.5}))
    analysis = player.analyse(SearchRequest(board=Board(), seed=1))
    ranked = [analysis.best, *(other.best for other in analysis.others)]
    assert sorted(ranked) == sorted(Board().legal_moves())
    assert {*ranked[:2]} == {"b1a3", "b1c3"}
    assert {*ranked[2:4]} == {"a2a3", "a2a4"}
    weights = {move: np.exp({"b1": 1.0, "a2": 0.5}.get(move[:2], 0.0)) for move in ranked}
    total = sum(weights.values())
    assert analysis.policy == pytest.approx({m: w / total for m, w in weights.items()}, rel=1e-5)


def mates_and_draws(board: Board) -> tuple[set[str], set[str]]:
    mates, draws = set(), set()
    for move in board.legal_moves():
        after = chess.Board(board.fen())
        after.push_uci(move)
        if after.is_checkmate():
            mates.add(move)
        elif after.is_game_over():
            draws.add(move)
    return mates, draws


def test_the_lookahead_finds_mates() -> None:
    board = Board(MATE_IN_ONE)
    mates, draws = mates_and_draws(board)
    assert mates
    assert draws
    net = net_with({chess.G6: 5.0})  # prefers moves of the king
    plain = ScorerPlayer("net", SPEC, net, exact_endings=False)
    ahead = ScorerPlayer("net", SPEC, net, looks_ahead=True, exact_endings=False)
    assert not chosen(plain, board) & mates
    assert chosen(ahead, board) == mates


def test_the_lookahead_uses_the_value_head_in_the_movers_view() -> None:
    """Here it is good for White if Black has no queen; a draw is worth 0."""
    net = net_of(VALUED)
    arrays = net.arrays()
    arrays["position.weight"][10, 0] = 1  # black queens
    arrays["value.out.weight"][0, 0] = -2
    arrays["value.out.bias"][0] = 1
    player = ScorerPlayer("net", VALUED, net, looks_ahead=True)
    assert chosen(player, Board("3q3k/8/8/8/8/8/8/K2R2R1 w - - 0 1")) == {"d1d8"}
    quiet = chosen(player, Board("3q3k/8/8/8/8/8/8/K2R2R1 b - - 0 1"))
    assert "d8d1" in quiet
    assert len(quiet) > 1
    board = Board("7k/5Q2/8/6K1/8/8/8/8 w - - 0 1")  # won, but for a stalemate
    assert not mates_and_draws(board)[0]
    assert not chosen(player, board) & mates_and_draws(board)[1]


def test_choices_with_lookahead_do_not_depend_on_other_boards() -> None:
    torch.manual_seed(1)
    spec = MoveScorerConfig(encoding="onehot768", hidden=(16, 8), value_head=True)
    player = ScorerPlayer("net", spec, spec.make_net(), looks_ahead=True)
    boards = [Board(), AFTER_E4, Board(MATE_IN_ONE)]
    rng = np.arange(3, dtype=np.uint64)
    together = player.choose(boards, rng).moves
    for i, board in enumerate(boards):
        assert player.choose([board], rng[i : i + 1]).moves[0] == together[i]
