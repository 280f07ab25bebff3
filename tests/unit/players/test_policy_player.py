"""A transformer as a player, with and without a mask."""

import numpy as np
import pytest
import torch

from selfmate.arena.openings import shipped_openings
from selfmate.encodings.records import MOVES, encode_tokens
from selfmate.nets.config import TransformerConfig
from selfmate.nets.transformer import Transformer
from selfmate.players import PlayerName, SearchRequest
from selfmate.players.network import PolicyPlayer
from selfmate.players.trained import find_net, make_module
from selfmate.rules import Board, best_places, push_moves, uci_code, uci_text

AFTER_E4 = Board()
AFTER_E4.push("e2e4")


def net_with(logits: dict[str, float]) -> Transformer:
    """Gives the same logits in every position; moves are in the mover's view."""
    net = TransformerConfig(width=4, blocks=1, heads=1).make_net()
    for array in net.arrays().values():
        array[...] = 0
    for uci, logit in logits.items():
        net.arrays()["read_out.usual"][uci_code(uci) == MOVES] = logit
    return net


def chosen(player: PolicyPlayer, board: Board, count: int = 100) -> set[str]:
    rng = np.random.default_rng(1).integers(0, 2**64, count, np.uint64)
    return {uci_text(move) for move in player.choose([board] * count, rng).moves.tolist()}


def test_both_sides_play_the_most_likely_legal_move() -> None:
    player = PolicyPlayer("net", net_with({"d2d4": 2, "e2e4": 1, "e2e5": 5}))
    assert chosen(player, Board()) == {"d2d4"}
    assert chosen(player, AFTER_E4) == {"d7d5"}


def test_with_a_temperature_every_move_can_be_played() -> None:
    player = PolicyPlayer("net", net_with({}), temperature=1.0)
    assert chosen(player, Board()) == set(Board().legal_moves())


def test_without_a_mask_an_illegal_move_forfeits() -> None:
    bad = PolicyPlayer("net", net_with({"e4e5": 5, "e2e4": 1}), masked=False)
    choices = bad.choose([Board(), AFTER_E4], np.zeros(2, np.uint64))
    assert dict(choices.forfeits) == {0: "illegal_move: e4e5", 1: "illegal_move: e5e4"}
    good = PolicyPlayer("net", net_with({"e2e4": 5}), masked=False)
    choices = good.choose([Board(), AFTER_E4], np.zeros(2, np.uint64))
    assert not choices.forfeits
    assert [uci_text(move) for move in choices.moves.tolist()] == ["e2e4", "e7e5"]


def test_the_analysis_has_the_policy_over_legal_moves() -> None:
    player = PolicyPlayer("net", net_with({"d2d4": np.log(2), "e2e5": 5}), masked=False)
    analysis = player.analyse(SearchRequest(board=AFTER_E4, seed=1))
    assert analysis.best == "d7d5"
    assert analysis.policy is not None
    assert analysis.legal_mass == pytest.approx(21 / (21 + 1947 + np.exp(5)))
    assert analysis.policy["d7d5"] == pytest.approx(2 / 21)
    assert analysis.policy["g8f6"] == pytest.approx(1 / 21)
    assert {analysis.best, *(other.best for other in analysis.others)} == set(
        AFTER_E4.legal_moves()
    )


@torch.no_grad()
def test_the_net_that_ships_plays_the_moves_that_torch_finds_likeliest() -> None:
    net = make_module(find_net(PlayerName("searchless-tiny")))
    assert isinstance(net, Transformer)
    player = PolicyPlayer("net", net, exact_endings=False)
    boards = [opening.board() for opening in shipped_openings()[:4]]
    for _ in range(40):
        batch = encode_tokens(boards)
        legal = batch.legal
        logits = net(torch.from_numpy(batch.tokens).long()).numpy()[legal.rows, legal.values]
        likeliest = legal.values[best_places(logits, legal.offsets)]
        moves = player.choose(boards, np.zeros(len(boards), np.uint64)).moves
        np.testing.assert_array_equal(moves, batch.moves(likeliest))
        outcomes = push_moves(boards, moves)
        boards = [board for board, end in zip(boards, outcomes, strict=True) if end is None]
