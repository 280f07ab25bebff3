"""The core's transformer against that of torch, in any batch, and what it refuses."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import selfmate._core as core
from selfmate.encodings.records import encode_tokens
from selfmate.nets.config import TransformerConfig
from selfmate.nets.transformer import Transformer
from selfmate.rules import Board, random_games

CASTLING_960 = "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1"
PROMOTIONS = ("k7/3P4/8/8/8/8/8/K7 w - - 0 1", "k7/8/8/8/8/8/3p4/K3R3 b - - 0 1")
CONFIGS: Mapping[str, Mapping[str, Any]] = {
    "default": {},
    "without a bias": {"square_pair_bias": False, "blocks": 2},
    "board8x8": {"policy_head": "board8x8", "blocks": 2},
    "special": {"policy_head": "special", "heads": 4, "blocks": 2},
    "one head": {"width": 24, "heads": 1, "blocks": 3},
    "heads of 3": {"width": 12, "heads": 4, "blocks": 2},
    "rows that are padded": {"width": 20, "heads": 2, "policy_head": "board8x8", "blocks": 1},
    "the least": {"width": 4, "heads": 4, "blocks": 1, "policy_head": "special"},
    "wide": {"width": 136, "heads": 8, "blocks": 1},
}
SMALL = TransformerConfig(width=12, blocks=2, heads=2)
EVERY_CONFIG = pytest.mark.parametrize("name", CONFIGS)


@cache
def positions() -> tuple[Board, ...]:
    """Positions of random games with both sides to move, with promotions, and of Chess960."""
    games = random_games(300, seed=2, max_plies=150)
    boards = []
    for number in range(len(games)):
        board = Board()
        for move in games.uci(number)[: number // 2]:
            board.push(move)
        if board.outcome() is None:
            boards.append(board)
    return (*boards, *map(Board, PROMOTIONS), Board(CASTLING_960))


def trained_like(config: TransformerConfig) -> Transformer:
    """Norms and biases that differ from channel to channel."""
    torch.manual_seed(1)
    net = config.make_net()
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter) / parameter.shape[-1] ** 0.5)
    return net


def in_core(
    net: Transformer, weights: dict[str, NDArray[Any]] | None = None, *, kernels: str = ""
) -> core.Transformer:
    shape = net.config.model_dump(exclude={"kind"})
    return core.Transformer(net.arrays() if weights is None else weights, **shape, kernels=kernels)


@torch.no_grad()
def of_torch(net: Transformer, tokens: NDArray[np.uint8]) -> NDArray[np.float32]:
    logits: NDArray[np.float32] = net(torch.from_numpy(tokens).long()).numpy()
    return logits


@EVERY_CONFIG
@pytest.mark.parametrize("kernels", core.kernel_names())
def test_logits_are_those_of_torch(name: str, kernels: str) -> None:
    net = trained_like(TransformerConfig(**CONFIGS[name]))
    tokens = encode_tokens(positions()).tokens
    expected = of_torch(net, tokens)
    assert np.ptp(expected) > 1
    found = in_core(net, kernels=kernels).logits(tokens, threads=2)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4)


def test_positions_have_the_logits_of_their_legal_moves() -> None:
    net = in_core(trained_like(SMALL))
    moves, logits, offsets = net.evaluate(positions(), 2)
    batch = encode_tokens(positions())
    legal = batch.legal
    np.testing.assert_array_equal(offsets, legal.offsets)
    np.testing.assert_array_equal(logits, net.logits(batch.tokens)[legal.rows, legal.values])
    texts = [core.uci_text(move) for move in moves.tolist()]
    for number, board in enumerate(positions()):
        assert texts[offsets[number] : offsets[number + 1]] == board.legal_moves()


@EVERY_CONFIG
@pytest.mark.parametrize("kernels", core.kernel_names())
def test_a_position_has_the_same_logits_in_any_batch_on_any_threads(
    name: str, kernels: str
) -> None:
    net = in_core(trained_like(TransformerConfig(**CONFIGS[name])), kernels=kernels)
    boards = positions()[::9]
    _, together, offsets = net.evaluate(boards, 2)
    for row, board in enumerate(boards):
        _, alone, _ = net.evaluate([board])
        assert alone.tobytes() == together[offsets[row] : offsets[row + 1]].tobytes()
    tokens = encode_tokens(boards).tokens
    all_logits = net.logits(tokens)
    for begin, end in ((0, 1), (3, 20), (5, len(tokens))):
        assert net.logits(tokens[begin:end], 3).tobytes() == all_logits[begin:end].tobytes()


def test_no_positions_have_no_logits() -> None:
    net = in_core(trained_like(SMALL))
    assert net.logits(np.zeros((0, 78), np.uint8)).shape == (0, 1968)
    assert [len(array) for array in net.evaluate([])] == [0, 0, 1]


def changed(name: str, array: NDArray[Any] | None) -> dict[str, NDArray[Any]]:
    weights = trained_like(SMALL).arrays() | ({} if array is None else {name: array})
    return {key: value for key, value in weights.items() if array is not None or key != name}


@pytest.mark.parametrize(
    ("weights", "reason"),
    [
        (changed("places", None), "the weights lack places"),
        (changed("blocks.1.geometry", None), r"the weights lack blocks\.1\.geometry"),
        (changed("read_out.usual", None), r"the weights lack read_out\.usual"),
        (changed("more", np.zeros(3, np.float32)), "has 37 weights, but 38 were given"),
        (
            changed("blocks.0.look.weight", np.zeros((12, 36), np.float32)),
            r"blocks\.0\.look\.weight must have the shape \(36,12,\), not \(12,36,\)",
        ),
        (
            changed("blocks.0.widen.bias", np.full(48, np.nan, np.float32)),
            r"the weight blocks\.0\.widen\.bias has numbers that are not finite",
        ),
        (changed("norm.bias", np.zeros(12)), "the weight norm.bias must be .* float32"),
        ({}, r"the weights lack words\.weight"),
    ],
)
def test_wrong_weights_are_refused(weights: dict[str, NDArray[Any]], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        in_core(trained_like(SMALL), weights)


@pytest.mark.parametrize(
    ("shape", "reason"),
    [
        ({"width": 10, "heads": 3}, "transformer of 1 blocks of width 10 with 3 heads cannot"),
        ({"blocks": 0}, "at least one block"),
        ({"heads": 0}, "heads cannot"),
        ({"width": 1 << 20}, "a width of up to"),
        ({"policy_head": "none"}, "no policy head 'none'; there are pairs, board8x8 and special"),
    ],
)
def test_a_shape_that_cannot_be_is_refused(shape: dict[str, Any], reason: str) -> None:
    usual = TransformerConfig(width=8, blocks=1, heads=2).model_dump(exclude={"kind"})
    with pytest.raises(ValueError, match=reason):
        core.Transformer({}, **usual | shape)


@pytest.mark.parametrize(
    ("tokens", "reason"),
    [
        (np.full((2, 78), 16, np.uint8), "a token is a number below 16, not 16"),
        (np.zeros((2, 77), np.uint8), r"tokens must be .* uint8 array of shape \(2,78,\)"),
        (np.zeros((2, 78), np.int64), "tokens must be a C-contiguous uint8 array"),
        (np.zeros(78, np.uint8), "tokens must be an array of two dimensions"),
        (None, "tokens must be an array"),
    ],
)
def test_wrong_tokens_are_refused(tokens: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        in_core(trained_like(SMALL)).logits(tokens)


def test_a_game_without_moves_is_refused() -> None:
    mated = Board("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1")
    with pytest.raises(ValueError, match="game 1 has no legal move"):
        in_core(trained_like(SMALL)).evaluate([Board(), mated])
