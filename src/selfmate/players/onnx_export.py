"""Nets as ONNX files: `export_onnx` writes one and checks it. It needs torch; playing does not."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import singledispatch
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from selfmate.encodings import (
    ACTION_ENCODINGS,
    ENCODINGS,
    encode,
    is_black_to_move,
    legal_actions,
)
from selfmate.encodings.features import (
    encode_packed,
    flipped_legal_actions,
    is_white_to_move,
    position_rows,
    view_move_rows,
    views_of,
)
from selfmate.encodings.records import encode_tokens
from selfmate.extras import check_extra
from selfmate.nets.config import (
    MoveScorerConfig,
    NetConfig,
    QNetConfig,
    ResNetConfig,
    SparseNetConfig,
)
from selfmate.nets.evaluator import make_evaluator, make_policy_evaluator
from selfmate.nets.move_scorer import MoveScorer
from selfmate.nets.onnx_graph import DEFAULT_OPSET, onnx_graph
from selfmate.nets.onnx_net import (
    PREFIX,
    OnnxMoveScorer,
    OnnxQNet,
    OnnxResNet,
    OnnxSparseNet,
    OnnxTransformer,
    open_onnx,
)
from selfmate.nets.q_net import QNet
from selfmate.nets.resnet import SeResNet
from selfmate.nets.sparse_net import SparseInputs, SparseNet
from selfmate.nets.transformer import Transformer
from selfmate.players.trained import Weights, make_module
from selfmate.rules import Board, GameBatch, Ragged
from selfmate.runs.files import replace_file

CHECKED = 256  # positions on which a written net must answer like ours
MAX_DIFFERENCE = 1e-4

Floats = NDArray[np.float32]


class ExportError(Exception):
    """The written net does not answer like ours."""


@dataclass(frozen=True, kw_only=True)
class Export:
    """What was written, and how far it is from the net."""

    player: str  # whose net it is
    file: str
    kind: str
    opset: int
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    file_bytes: int
    positions: int
    largest_difference: float


def export_onnx(weights: Weights, path: Path, opset: int = DEFAULT_OPSET) -> Export:
    """Writes the net as an ONNX file, after onnxruntime has answered like the net itself on 256
    positions. ExportError, and no file, if a number differs by more than 1e-4."""
    check_extra("onnx")
    net = make_module(weights)
    data = with_metadata(onnx_graph(net, opset=opset), metadata_of(weights, net.config))
    kind, written = open_onnx(data)
    boards = positions_to_check()
    difference = largest_difference(answers(net, boards), answers(written, boards))
    if not difference <= MAX_DIFFERENCE:
        raise ExportError(
            f"onnxruntime's answers differ from the net's by up to {difference:.2g}, more than "
            f"{MAX_DIFFERENCE:g}; nothing was written"
        )
    replace_file(path, data)
    graph = written.graph
    return Export(
        player=str(weights.identity),
        file=str(path),
        kind=kind,
        opset=opset,
        inputs=tuple(graph.inputs),
        outputs=tuple(graph.outputs),
        file_bytes=len(data),
        positions=len(boards),
        largest_difference=difference,
    )


def metadata_of(weights: Weights, config: NetConfig) -> dict[str, str]:
    """What a reader of the file must know: encodings with their versions, and what the net is."""
    encoding, action_encoding = encodings_of(config)
    found = {
        "version": version("selfmate"),
        "player": str(weights.identity),
        "sha256": weights.sha256,
        "encoding": encoding,
        "action_encoding": action_encoding,
        "net": config.model_dump_json(),
        "card": json.dumps(dict(weights.card)),
    }
    for key, known in (("encoding", ENCODINGS), ("action_encoding", ACTION_ENCODINGS)):
        if found[key] in known:
            found[f"{key}_version"] = str(known[found[key]].version)
    return found


def encodings_of(config: NetConfig) -> tuple[str, str]:
    """Of positions and of moves."""
    if isinstance(config, QNetConfig):
        return config.inputs, "from_to4096"
    if isinstance(config, MoveScorerConfig):
        return config.encoding, "move136"
    if isinstance(config, ResNetConfig):
        return config.plane_encoding, "az4672"
    if isinstance(config, SparseNetConfig):
        return "side_views", "view_move_rows"
    return "tokens78", "uci1968"


def with_metadata(graph: bytes, metadata: Mapping[str, str]) -> bytes:
    import onnx

    model = onnx.load_from_string(graph)
    model.producer_name, model.producer_version = "selfmate", metadata["version"]
    onnx.helper.set_model_props(model, {f"{PREFIX}{key}": value for key, value in metadata.items()})
    onnx.checker.check_model(model)
    data: bytes = model.SerializeToString()
    return data


def positions_to_check() -> list[Board]:
    """From random games, of all lengths."""
    batch, boards = GameBatch(CHECKED // 8, seed=1), list[Board]()
    while len(boards) < CHECKED:
        for _ in range(11):
            batch.step(batch.random_moves())
        boards += [batch.board(slot) for slot in range(len(batch))]
    return boards


def largest_difference(ours: list[Floats], theirs: list[Floats]) -> float:
    """Not a number if one of the numbers is none."""
    return float(max(np.abs(a - b).max() for a, b in zip(ours, theirs, strict=True)))


@singledispatch
def answers(net: Any, boards: list[Board]) -> list[Floats]:
    """All that a net says about boards."""
    raise TypeError(f"a {type(net).__name__} is no net")


@answers.register
def _(net: SeResNet | OnnxResNet, boards: list[Board]) -> list[Floats]:
    return list(make_evaluator(net)(encode("planes96", boards)))


@answers.register
def _(net: Transformer | OnnxTransformer, boards: list[Board]) -> list[Floats]:
    return [make_policy_evaluator(net).logits(encode_tokens(boards).tokens)]


@answers.register
def _(net: QNet | OnnxQNet, boards: list[Board]) -> list[Floats]:
    legal = flipped_legal_actions(boards, is_black_to_move(boards))
    return [net.values(encode_packed(boards), legal)]


@answers.register
def _(net: MoveScorer | OnnxMoveScorer, boards: list[Board]) -> list[Floats]:
    scores = net.scores(net.config.candidates(boards))
    values = net.values(position_rows(net.config.encoding, boards), is_white_to_move(boards))
    return [scores] if values is None else [scores, values]


@answers.register
def _(net: SparseNet, boards: list[Board]) -> list[Floats]:
    """In floats: the core rounds to whole numbers."""
    inputs, _ = _sparse_inputs(net.config, boards)
    with torch.inference_mode():
        logits, wdl = net(inputs)
        return [logits.numpy(), torch.softmax(wdl, 1).numpy()]


@answers.register
def _(net: OnnxSparseNet, boards: list[Board]) -> list[Floats]:
    inputs, legal = _sparse_inputs(net.config, boards)
    return net(inputs.views, inputs.move_rows, legal)


def _sparse_inputs(config: SparseNetConfig, boards: list[Board]) -> tuple[SparseInputs, Ragged]:
    packed, legal = encode_packed(boards), Ragged(*legal_actions("az4672", boards))
    views = views_of(packed, king_buckets=config.king_buckets, attacks=config.attacks)
    rows = view_move_rows(packed, "az4672", legal)
    return SparseInputs(views=views, move_rows=rows, offsets=legal.offsets), legal
