"""The core's sparse net: whole numbers that are close to torch's floats and the same everywhere."""

from typing import Any

import chess
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import selfmate._core as core
from selfmate.encodings import legal_actions
from selfmate.encodings.features import encode_packed
from selfmate.encodings.records import encode_records, packed_of
from selfmate.nets.config import SparseNetConfig
from selfmate.nets.evaluator import SparseNetEvaluator
from selfmate.nets.sparse_net import SparseNet
from selfmate.rules import Board, Ragged, random_games, uci_text
from selfmate.searches.config import SearchConfig
from selfmate.searches.tree import BatchedTreeSearch

KERNELS = ("avx512", "avx2", "portable")
PROMOTION = "k7/3P4/8/8/8/8/8/K7 w - - 0 1"


def positions() -> list[Board]:
    """Positions of random games with both sides to move, and one with promotions."""
    games = random_games(40, seed=3, max_plies=150)
    boards = []
    for number in range(len(games)):
        board = Board()
        for move in games.uci(number)[: 4 * number]:
            board.push(move)
        if board.outcome() is None:
            boards.append(board)
    return [*boards, Board(PROMOTION)]


def sparse_net(seed: int = 1, **settings: Any) -> SparseNet:
    """With larger weights than a new net has, so that all parts of it have a say."""
    torch.manual_seed(seed)
    net = SparseNetConfig(**settings).make_net()
    with torch.no_grad():
        net.accumulator.bias.uniform_(-0.2, 0.6)
        net.policy.weight.mul_(5)
        net.moves.weight.uniform_(-0.6, 0.6)
        net.moves.bias.uniform_(-0.5, 0.5)
        for weights in net.value[-1].parameters():
            weights.uniform_(-0.5, 0.5)
    return net


def outputs(net: SparseNet, boards: list[Board]) -> tuple[NDArray[Any], NDArray[Any]]:
    """WDL and logits in floats."""
    legal = Ragged(*legal_actions("az4672", boards))
    with torch.inference_mode():
        logits, value = net(net.inputs_of(encode_packed(boards), "az4672", legal))
    return torch.softmax(value, 1).numpy(), logits.numpy()


@settings(max_examples=12, deadline=None)
@given(
    accumulator=st.sampled_from([32, 64, 96, 256]),
    king_buckets=st.sampled_from([1, 4]),
    attacks=st.booleans(),
    policy_width=st.sampled_from([32, 64, 96]),
    value_width=st.sampled_from([32, 64]),
    seed=st.integers(0, 10**6),
)
def test_whole_numbers_are_close_to_floats_and_the_same_on_every_processor(
    seed: int, **shape: Any
) -> None:
    net, boards = sparse_net(seed, **shape), positions()
    wdl, logits = outputs(net, boards)
    found = [SparseNetEvaluator(net, kernels=name).evaluate(boards) for name in available(KERNELS)]
    np.testing.assert_allclose(found[0][0], wdl, atol=0.03)
    np.testing.assert_allclose(found[0][2], logits, atol=0.15 * float(logits.std()))
    assert np.corrcoef(found[0][2], logits)[0, 1] > 0.999
    for other in found[1:]:
        for ours, theirs in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(ours, theirs)


def available(names: tuple[str, ...]) -> list[str]:
    """Those that this processor can run; the portable ones always."""
    net = sparse_net(accumulator=32)
    found = []
    for name in names:
        try:
            SparseNetEvaluator(net, kernels=name)
        except ValueError:
            continue
        found.append(name)
    return found


def test_an_answer_does_not_depend_on_batch_and_threads() -> None:
    evaluator, boards = SparseNetEvaluator(sparse_net()), positions()
    wdl, _, logits, offsets = evaluator.evaluate(boards, threads=3)
    for i, board in enumerate(boards):
        alone_wdl, _, alone_logits, _ = evaluator.evaluate([board])
        np.testing.assert_array_equal(alone_wdl[0], wdl[i])
        np.testing.assert_array_equal(alone_logits, logits[offsets[i] : offsets[i + 1]])


def turned(board: chess.Board, how: str) -> chess.Board:
    if how == "colours":
        return board.mirror()
    found = board.transform(chess.flip_horizontal)
    found.castling_rights = chess.BB_EMPTY
    return found


def turned_move(text: str, how: str) -> str:
    move = chess.Move.from_uci(text)
    turn = chess.square_mirror if how == "colours" else lambda square: square ^ 7
    return chess.Move(turn(move.from_square), turn(move.to_square), move.promotion).uci()


@pytest.mark.parametrize("how", ["colours", "files"])
@pytest.mark.parametrize("king_buckets", [1, 4])
def test_turned_boards_are_seen_alike(how: str, king_buckets: int) -> None:
    evaluator = SparseNetEvaluator(sparse_net(king_buckets=king_buckets))
    for each in positions():
        board = chess.Board(each.fen())
        if how == "files":
            board.castling_rights = chess.BB_EMPTY  # only then are files alike
        first, second = Board(board.fen()), Board(turned(board, how).fen())
        wdl, moves, logits, _ = evaluator.evaluate([first])
        other_wdl, other_moves, other_logits, _ = evaluator.evaluate([second])
        np.testing.assert_array_equal(wdl, other_wdl)
        seen = dict(zip(map(uci_text, other_moves.tolist()), other_logits.tolist(), strict=True))
        for move, logit in zip(moves.tolist(), logits.tolist(), strict=True):
            assert seen[turned_move(uci_text(move), how)] == logit


def test_underpromotions_have_rows_of_their_own() -> None:
    net = sparse_net()
    _, moves, logits, _ = SparseNetEvaluator(net).evaluate([Board(PROMOTION)])
    by_move = dict(zip(map(uci_text, moves.tolist()), logits.tolist(), strict=True))
    promotions = [by_move[f"d7d8{piece}"] for piece in "nbrq"]
    assert len(set(promotions)) == 4


def test_packed_records_are_those_of_the_boards() -> None:
    boards = positions()
    np.testing.assert_array_equal(packed_of(encode_records(boards)), encode_packed(boards))


def test_actions_of_both_encodings_have_the_same_rows() -> None:
    net, boards = sparse_net(), [board for board in positions() if board.fen() != PROMOTION]
    boards = [board for board in boards if board.turn == "white"]
    packed, rows = encode_packed(boards), []
    for name in ("az4672", "from_to4096"):
        legal = Ragged(*legal_actions(name, boards))
        inputs = net.inputs_of(packed, name, legal)
        rows.append({tuple(row) for row in inputs.move_rows.tolist()})
    assert rows[1] <= rows[0]


def test_loading_replaces_the_weights() -> None:
    net, boards = sparse_net(), positions()
    evaluator = SparseNetEvaluator(net)
    net.take(sparse_net(seed=2).arrays())
    before = evaluator.evaluate(boards)
    evaluator.refresh()
    after, wanted = evaluator.evaluate(boards), SparseNetEvaluator(net).evaluate(boards)
    assert (before[0] != after[0]).any()
    np.testing.assert_array_equal(after[2], wanted[2])


def test_a_full_tree_ends_the_search() -> None:
    """However many simulations were asked for: 100,000 a second would fill any memory."""
    search = BatchedTreeSearch(
        SparseNetEvaluator(sparse_net(accumulator=32)), SearchConfig(max_nodes=500), batch=1
    )
    slots = np.zeros(1, np.int64)
    search.reset(slots, [Board()])
    search.run(slots, 10**6)
    assert search.is_done(slots).all()
    assert 500 <= search.roots(slots).visits[0] < 1000


def test_bad_shapes_and_weights_are_refused() -> None:
    net = sparse_net(accumulator=32)
    weights, shape = net.arrays(), net.config.model_dump(exclude={"kind"})
    with pytest.raises(ValueError, match="accumulator must be a multiple of 32"):
        core.SparseNet(weights, **shape | {"accumulator": 33})
    with pytest.raises(ValueError, match="king_buckets must be 1 or 4, not 3"):
        core.SparseNet(weights, **shape | {"king_buckets": 3})
    with pytest.raises(ValueError, match=r"accumulator.weight must have the shape \(12292,32,\)"):
        core.SparseNet(weights, **shape | {"king_buckets": 4})
    lacking = {name: array for name, array in weights.items() if name != "policy.bias"}
    with pytest.raises(ValueError, match=r"the weights lack policy.bias"):
        core.SparseNet(lacking, **shape)
    with pytest.raises(ValueError, match="not finite"):
        core.SparseNet(weights | {"moves.bias": weights["moves.bias"] * np.nan}, **shape)
    with pytest.raises(ValueError, match="az4672 or from_to4096"):
        core.view_move_rows_of_packed(
            encode_packed([Board()]), "uci1968", np.zeros(1, np.int32), np.array([0, 1])
        )
