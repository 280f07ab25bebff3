"""Shapes, policy heads by hand, and what learns."""

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from selfmate.encodings.records import MOVES
from selfmate.nets.config import PolicyHead, TransformerConfig
from selfmate.nets.transformer import POLICY_HEADS, BoardHead, PairsHead, Transformer
from selfmate.rules import uci_code

WIDTH = 16  # with heads as wide as the core makes them
EVERY_HEAD = pytest.mark.parametrize("policy_head", list(POLICY_HEADS))


def make_net(policy_head: PolicyHead = "pairs") -> Transformer:
    torch.manual_seed(5)
    return TransformerConfig(width=WIDTH, blocks=2, heads=2, policy_head=policy_head).make_net()


def tokens(count: int) -> NDArray[np.uint8]:
    return np.random.default_rng(3).integers(0, 16, (count, 78), np.uint8)


def action(uci: str) -> int:
    return int(np.flatnonzero(uci_code(uci) == MOVES)[0])


@EVERY_HEAD
def test_every_weight_learns(policy_head: PolicyHead) -> None:
    net = make_net(policy_head)
    net(torch.from_numpy(tokens(40)).long()).square().sum().backward()
    for name, weight in net.named_parameters():
        assert weight.grad is not None, name
        assert weight.grad.abs().sum() > 0, name


@torch.no_grad()
def test_attention_sees_all_tokens_and_their_places() -> None:
    net, batch = make_net("special"), torch.from_numpy(tokens(1)).long()
    other = batch.clone()
    other[0, 77] = 15 - other[0, 77]
    assert not torch.allclose(net(batch), net(other))


@torch.no_grad()
def test_a_pair_is_from_times_to_and_a_promotion_has_its_own_term() -> None:
    torch.manual_seed(6)
    head = PairsHead(WIDTH, MOVES)
    embedded = torch.randn(1, 78, WIDTH)
    logits = head(embedded)[0]
    squares = embedded[0, 1:65]
    starts, ends = head.start(squares), head.end(squares)
    pieces = head.promotion(squares)
    e7, e8, f8 = 52, 60, 61
    plain = float(starts[e7] @ ends[e8]) / WIDTH**0.5
    assert float(logits[action("e7e8")]) == pytest.approx(plain, abs=1e-5)
    rook = float(starts[e7] @ ends[f8]) / WIDTH**0.5 + float(pieces[f8, 2])  # knight, bishop, rook
    assert float(logits[action("e7f8r")]) == pytest.approx(rook, abs=1e-5)


@torch.no_grad()
def test_a_board_has_a_plane_for_each_goal_and_promotion() -> None:
    torch.manual_seed(6)
    head = BoardHead(WIDTH, MOVES)
    embedded = torch.randn(1, 78, WIDTH)
    logits = head(embedded)[0]
    board = embedded[:, 1:65].transpose(1, 2).reshape(1, WIDTH, 8, 8)
    planes = head.planes(torch.nn.functional.gelu(head.mix(board)))[0]
    b1, c3, e7 = 1, 18, 52
    assert float(logits[action("b1c3")]) == pytest.approx(float(planes[c3].flatten()[b1]), abs=1e-5)
    queen_to_the_right = 64 + 2 * 4 + 3
    found = float(planes[queen_to_the_right].flatten()[e7])
    assert float(logits[action("e7f8q")]) == pytest.approx(found, abs=1e-5)
    assert len(set(head.at.tolist())) == 1968  # no two moves share a place


def test_the_matrices_are_those_of_the_blocks() -> None:
    of_a_block = [(48, 16), (16, 16), (64, 16), (16, 64)]
    assert [tuple(matrix.shape) for matrix in make_net().matrices()] == 2 * of_a_block


def test_weights_are_copied() -> None:
    one, other = make_net(), make_net()
    one.take({name: array + 1 for name, array in other.arrays().items()})
    for name, array in one.arrays().items():
        np.testing.assert_array_equal(array, other.arrays()[name] + 1)


def test_tiny_fits_into_four_megabytes() -> None:
    net = TransformerConfig(width=64, blocks=4).make_net()
    assert sum(array.nbytes for array in net.arrays().values()) < 4_000_000


def test_a_width_that_the_heads_cannot_share_is_refused() -> None:
    with pytest.raises(ValueError, match="width 10 is not a multiple of heads 4"):
        TransformerConfig(width=10, blocks=1, heads=4)
