"""A transformer as a player, with and without a mask."""

import numpy as np
import pytest

from selfmate.encodings.sentences import MOVES
from selfmate.nets.transformer import Transformer
from selfmate.players import Question
from selfmate.players.policy_player import PolicyPlayer
from selfmate.players.policy_spec import TransformerSpec
from selfmate.rules import Board, uci_code, uci_text

AFTER_E4 = Board()
AFTER_E4.push("e2e4")


def net_with(logits: dict[str, float]) -> Transformer:
    """It says the same of all positions; moves are named as the mover sees them."""
    net = TransformerSpec(width=4, blocks=1, heads=1).make_net()
    for array in net.arrays().values():
        array[...] = 0
    for uci, logit in logits.items():
        net.arrays()["read_out.usual"][uci_code(uci) == MOVES] = logit
    return net


def chosen(player: PolicyPlayer, board: Board, count: int = 100) -> set[str]:
    dice = np.random.default_rng(1).integers(0, 2**64, count, np.uint64)
    return {uci_text(move) for move in player.choose([board] * count, dice).moves.tolist()}


def test_the_likeliest_legal_move_is_played_by_both_sides() -> None:
    player = PolicyPlayer("net", net_with({"d2d4": 2, "e2e4": 1, "e2e5": 5}))
    assert chosen(player, Board()) == {"d2d4"}
    assert chosen(player, AFTER_E4) == {"d7d5"}


def test_temperature_opens_the_choice() -> None:
    player = PolicyPlayer("net", net_with({}), temperature=1.0)
    assert chosen(player, Board()) == set(Board().legal_moves())


def test_without_a_mask_an_illegal_choice_forfeits() -> None:
    bad = PolicyPlayer("net", net_with({"e4e5": 5, "e2e4": 1}), masked=False)
    choices = bad.choose([Board(), AFTER_E4], np.zeros(2, np.uint64))
    assert dict(choices.forfeits) == {0: "illegal_move: e4e5", 1: "illegal_move: e5e4"}
    good = PolicyPlayer("net", net_with({"e2e4": 5}), masked=False)
    choices = good.choose([Board(), AFTER_E4], np.zeros(2, np.uint64))
    assert not choices.forfeits
    assert [uci_text(move) for move in choices.moves.tolist()] == ["e2e4", "e7e5"]


def test_a_thought_is_the_policy_over_legal_moves() -> None:
    player = PolicyPlayer("net", net_with({"d2d4": np.log(2), "e2e5": 5}), masked=False)
    thought = player.think(Question(board=AFTER_E4, dice=1))
    assert thought.best == "d7d5"
    assert thought.policy is not None
    assert thought.legal_mass == pytest.approx(21 / (21 + 1947 + np.exp(5)))
    assert thought.policy["d7d5"] == pytest.approx(2 / 21)
    assert thought.policy["g8f6"] == pytest.approx(1 / 21)
    assert {thought.best, *(other.best for other in thought.others)} == set(AFTER_E4.legal_moves())
