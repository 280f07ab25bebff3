"""Nets as ONNX graphs. docs/how-to/export.md documents their inputs and outputs.

Our nets compute in the core, where an exporter cannot follow. Each is exported by way of a twin
with the same weights, of torch's own layers. B is the number of positions, N that of their moves.
"""

import warnings
from collections.abc import Mapping
from copy import deepcopy
from functools import singledispatch
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from selfmate.encodings import ENCODINGS
from selfmate.encodings.features import MOVE_INPUTS, POSITION_INPUTS
from selfmate.nets.config import Q_NET_INPUTS
from selfmate.nets.move_scorer import MoveScorer
from selfmate.nets.q_net import QNet
from selfmate.nets.resnet import SeResNet, wdl_of, with_torch_convolutions
from selfmate.nets.sparse_net import MAX_ACTIVATION, MAX_POLICY, SparseNet
from selfmate.nets.transformer import Transformer, with_torch_attention

OPSETS = range(18, 21)  # 18 is the first with maxima by groups; torch's exporter ends at 20
DEFAULT_OPSET = 18
MOVE_KINDS = 5  # numbers of each move, see `encodings.features.move_rows`
VIEW_MOVE_KINDS = 3  # the same for `encodings.features.view_move_rows`
# Of the example that a graph is traced with; one of each could be taken for a constant.
BATCH, MOVES = 3, 7
TWIN = "net"  # weights have the names that they have in a checkpoint, after this and a dot


class Traced(NamedTuple):
    """A twin, and how it is called."""

    twin: nn.Module
    inputs: Mapping[str, Tensor]  # an example by name
    outputs: tuple[str, ...]
    # The dimensions of any size: names of inputs and outputs, by that of their first dimension.
    rows: Mapping[str, tuple[str, ...]]


def onnx_graph(net: nn.Module, *, opset: int = DEFAULT_OPSET, batch: int | None = None) -> bytes:
    """The graph of a net, for batches of any size, or of one size. ValueError: there is no twin of
    such a net."""
    traced = traced_twin(net, BATCH if batch is None else batch)
    axes = {name: {0: size} for size, names in traced.rows.items() for name in names}
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        path = Path(folder) / "net.onnx"
        # That this exporter is old (the newer one needs a further package, onnxscript), and that
        # it takes a shape for a constant: tests run the graphs in batches of several sizes.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            traced.twin.eval(),
            tuple(traced.inputs.values()),
            path,
            dynamo=False,
            do_constant_folding=False,  # else weights lose their names
            opset_version=opset,
            input_names=list(traced.inputs),
            output_names=list(traced.outputs),
            dynamic_axes=axes if batch is None else None,
        )
        return path.read_bytes()


@singledispatch
def traced_twin(net: Any, batch: int) -> Traced:
    raise ValueError(f"a {type(net).__name__} cannot be exported")


@traced_twin.register
def _(net: SeResNet, batch: int) -> Traced:
    outputs = ("policy", "wdl")
    return Traced(
        _ResNetTwin(net),
        {"planes": torch.zeros(batch, *ENCODINGS[net.config.plane_encoding].shape)},
        outputs,
        {"batch": ("planes", *outputs)},
    )


@traced_twin.register
def _(net: Transformer, batch: int) -> Traced:
    return Traced(
        _TransformerTwin(net),
        {"tokens": torch.zeros(batch, *ENCODINGS["tokens78"].shape, dtype=torch.int64)},
        ("policy",),
        {"batch": ("tokens", "policy")},
    )


@traced_twin.register
def _(net: QNet, batch: int) -> Traced:
    config = net.config
    moves = (
        {"move_rows": torch.zeros(MOVES, MOVE_KINDS, dtype=torch.int64)}
        if config.move_kinds
        else {"actions": torch.zeros(MOVES, dtype=torch.int64)}
    )
    return Traced(
        _QNetTwin(net),
        {"features": torch.zeros(batch, Q_NET_INPUTS[config.inputs]), **moves, **_owners()},
        ("q_values",),
        {"batch": ("features",), "moves": (*moves, "position_of_move", "q_values")},
    )


@traced_twin.register
def _(net: MoveScorer, batch: int) -> Traced:
    valued = net.config.value_head
    inputs = {
        "positions": torch.zeros(batch, POSITION_INPUTS[net.config.encoding]),
        "moves": torch.zeros(MOVES, MOVE_INPUTS),
        **_owners(),
        **({"white_to_move": torch.zeros(batch)} if valued else {}),
    }
    of_positions = ("positions", "white_to_move", "values") if valued else ("positions",)
    return Traced(
        _MoveScorerTwin(net),
        inputs,
        ("scores", "values") if valued else ("scores",),
        {"batch": of_positions, "moves": ("moves", "position_of_move", "scores")},
    )


@traced_twin.register
def _(net: SparseNet, batch: int) -> Traced:
    return Traced(
        _SparseNetTwin(net),
        {
            "views": torch.zeros(batch, 2, net.config.inputs),
            "move_rows": torch.zeros(MOVES, VIEW_MOVE_KINDS, dtype=torch.int64),
            **_owners(),
        },
        ("policy", "wdl"),
        {"batch": ("views", "wdl"), "moves": ("move_rows", "position_of_move", "policy")},
    )


def _owners() -> dict[str, Tensor]:
    return {"position_of_move": torch.zeros(MOVES, dtype=torch.int64)}


class _ResNetTwin(nn.Module):
    def __init__(self, net: SeResNet) -> None:
        super().__init__()
        self.net = with_torch_convolutions(net)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Policy logits [B, 4672] and WDL [B, 3] of planes68 or planes96 [B, 68 or 96, 8, 8]."""
        policy, value = self.net(planes)
        return policy, wdl_of(value)


class _TransformerTwin(nn.Module):
    def __init__(self, net: Transformer) -> None:
        super().__init__()
        self.net = with_torch_attention(net)

    def forward(self, tokens: Tensor) -> Tensor:
        """Policy logits [B, 1968] of tokens78 [B, 78]."""
        logits: Tensor = self.net(tokens)
        return logits


class _QNetTwin(nn.Module):
    def __init__(self, net: QNet) -> None:
        super().__init__()
        self.net = deepcopy(net)

    def forward(self, features: Tensor, moves: Tensor, position_of_move: Tensor) -> Tensor:
        """Q-values [N] of moves, given by rows of weights [N, 5] or as actions [N]."""
        net = self.net
        output = torch.relu(features @ net.first.weight + net.first.bias)
        for layer in net.hidden:
            output = torch.relu(layer(output))
        products = output @ net.actions.weight.T + net.actions.bias  # [B, rows of weights]
        rows = moves if moves.dim() == 2 else moves[:, None]
        values = _sums_at(products, rows, position_of_move)
        if net.value is None:
            return values
        lowest = torch.full_like(output[:, 0], -torch.inf)
        highest = lowest.scatter_reduce(0, position_of_move, values, "amax")
        value = (output @ net.value.weight.T + net.value.bias)[:, 0]
        return values + (value - highest)[position_of_move]


class _MoveScorerTwin(nn.Module):
    def __init__(self, net: MoveScorer) -> None:
        super().__init__()
        self.net = deepcopy(net)

    def forward(
        self,
        positions: Tensor,
        moves: Tensor,
        position_of_move: Tensor,
        white_to_move: Tensor | None = None,
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Scores [N], and with a value head the values [B] of the side to move."""
        net = self.net
        first = positions @ net.position.weight + net.position.bias
        output = torch.relu(moves @ net.move.weight + first[position_of_move])
        for layer in net.hidden:
            output = torch.relu(layer(output))
        scores: Tensor = net.score(output)[:, 0]
        if net.value is None or white_to_move is None:
            return scores
        values = net.value(first, white_to_move[:, None])
        return scores, values * (2 * white_to_move - 1)


class _SparseNetTwin(nn.Module):
    def __init__(self, net: SparseNet) -> None:
        super().__init__()
        self.net = deepcopy(net)

    def forward(
        self, views: Tensor, move_rows: Tensor, position_of_move: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Policy logits [N] and WDL [B, 3] of both sides' views [B, 2, inputs]."""
        net = self.net
        sums = (views @ net.accumulator.weight + net.accumulator.bias).flatten(1)
        active = sums.clamp(0, MAX_ACTIVATION).square()
        policy = net.policy(active).clamp(-MAX_POLICY, MAX_POLICY)
        products = policy @ net.moves.weight.T + net.moves.bias  # [B, rows of weights]
        first, second, last = net.value
        hidden = second(first(active).clamp(0, MAX_ACTIVATION)).clamp(0, MAX_ACTIVATION)
        return _sums_at(products, move_rows, position_of_move), torch.softmax(last(hidden), 1)


def _sums_at(products: Tensor, rows: Tensor, position_of_move: Tensor) -> Tensor:
    """[N] Of products [B, rows of weights], the sums over each move's rows [N, K]."""
    places = position_of_move[:, None] * products.shape[1] + rows
    return products.flatten()[places].sum(1)
