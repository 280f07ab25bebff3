"""Nets in ONNX files, computed by onnxruntime: ours, and those of others with the same interface.

The names of a graph's inputs say what kind of net it is (docs/how-to/export.md). These classes
answer like the nets of their kind. As there, a row's answer does not depend on the rest of a batch.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from selfmate.encodings import ACTION_ENCODINGS, ENCODINGS, legal_actions, moves_of_actions
from selfmate.encodings.features import (
    MOVE_INPUTS,
    POSITION_INPUTS,
    Packed,
    inputs_of,
    move_rows,
)
from selfmate.encodings.records import encode_tokens
from selfmate.extras import check_extra
from selfmate.nets.config import (
    Q_NET_INPUTS,
    MoveScorerConfig,
    NetConfig,
    QNetConfig,
    SparseNetConfig,
    read_net_config,
)
from selfmate.rules import Board, Ragged, SparseRows

Floats = NDArray[np.float32]

PREFIX = "selfmate."  # of the keys of our metadata
# Rows of a dense net that are computed together, always so many: the last bits of a product depend
# on the number of rows. Small, because a search of one game asks about a few at a time.
BLOCK_ROWS = 8


class OnnxGraph:
    """A graph that is ready to be computed, on one thread. Several threads may call it."""

    def __init__(self, source: bytes | Path) -> None:
        """From a file or its bytes; ValueError when this is no ONNX that can be computed."""
        check_extra("onnx")
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4  # what fails is raised
        self.name = "the graph" if isinstance(source, bytes) else str(source)
        if isinstance(source, Path) and not source.is_file():
            raise ValueError(f"there is no file {self.name!r}")
        try:
            self._session = onnxruntime.InferenceSession(
                source if isinstance(source, bytes) else str(source),
                options,
                providers=["CPUExecutionProvider"],
            )
        except Exception as error:  # onnxruntime has a class for each kind, with no common one
            reason = str(error).strip().partition("\n")[0]
            raise ValueError(f"{self.name} is no ONNX net that can be loaded: {reason}") from None
        self.source = source
        self.inputs: dict[str, list[Any]] = {i.name: i.shape for i in self._session.get_inputs()}
        self.outputs = {output.name for output in self._session.get_outputs()}
        self.metadata: dict[str, str] = dict(self._session.get_modelmeta().custom_metadata_map)

    def __call__(self, outputs: Sequence[str], inputs: Mapping[str, NDArray[Any]]) -> list[Floats]:
        answers: list[Floats] = self._session.run(list(outputs), dict(inputs))
        return answers

    def width(self, name: str) -> int | None:
        """The second dimension of an input; None if it may vary."""
        shape = self.inputs[name]
        return shape[1] if len(shape) > 1 and isinstance(shape[1], int) else None

    def card(self) -> dict[str, Any] | None:
        """The net's configuration, as a checkpoint's card has it; None in files of others."""
        try:
            card = json.loads(self.metadata[f"{PREFIX}net"])
        except (KeyError, json.JSONDecodeError):
            return None
        return card if isinstance(card, dict) else None

    def config(self) -> NetConfig | None:
        """None in files of others."""
        card = self.card()
        try:
            return None if card is None else read_net_config(card)
        except (KeyError, ValidationError) as error:
            raise ValueError(f"the metadata of {self.name} describe no net of ours") from error

    def weights(self) -> dict[str, Floats]:
        """The weights by their names in a checkpoint; ValueError in files of others."""
        if self.card() is None:
            raise ValueError(
                f"{self.name} is not from selfmate export: such a net searches only if its input "
                "is planes; leave sims= out"
            )
        import onnx
        from onnx.numpy_helper import to_array

        model = (
            onnx.load_from_string(self.source)
            if isinstance(self.source, bytes)
            else onnx.load(str(self.source))
        )
        return {
            tensor.name.partition(".")[2]: np.array(to_array(tensor), np.float32)
            for tensor in model.graph.initializer
        }


class OnnxResNet:
    """An evaluator (`nets.evaluator`), and so a net that can search."""

    inputs: ClassVar = ("planes",)
    outputs: ClassVar = ("policy", "wdl")

    def __init__(self, graph: OnnxGraph) -> None:
        self.graph = graph

    def __call__(self, planes: Floats) -> tuple[Floats, Floats]:
        """From planes96 [N, 96, 8, 8], of which a file may take the first 68: WDL [N, 3] and policy
        logits of az4672 [N, 4672]."""
        taken = np.ascontiguousarray(planes[:, : self.graph.width("planes")])
        logits, wdl = _in_blocks(self.graph, "planes", taken, self.outputs)
        return wdl, logits

    def refresh(self) -> None:
        """A file does not learn."""


class OnnxTransformer:
    """Answers like `nets.evaluator.TransformerEvaluator`."""

    inputs: ClassVar = ("tokens",)
    outputs: ClassVar = ("policy",)

    def __init__(self, graph: OnnxGraph) -> None:
        self.graph = graph

    def logits(self, tokens: NDArray[np.uint8]) -> Floats:
        """[B, 1968] of tokens78 [B, 78], both seen from the side to move."""
        (logits,) = _in_blocks(self.graph, "tokens", tokens.astype(np.int64), self.outputs)
        return logits

    def evaluate(
        self, boards: Sequence[Board]
    ) -> tuple[NDArray[np.uint16], Floats, NDArray[np.int64]]:
        """All legal moves [N], their logits [N] and offsets [B + 1]."""
        batch = encode_tokens(boards)
        logits = self.logits(batch.tokens)[batch.legal.rows, batch.legal.values]
        legal = Ragged(*legal_actions("uci1968", boards))
        board_of_move = [boards[row] for row in legal.rows.tolist()]
        moves = moves_of_actions("uci1968", board_of_move, legal.values)
        return moves, logits, legal.offsets


class OnnxQNet:
    """Answers like `nets.q_net.QNet`, position by position."""

    inputs: ClassVar = ("features", "position_of_move")
    outputs: ClassVar = ("q_values",)

    def __init__(self, graph: OnnxGraph) -> None:
        self.graph = graph
        widths = {width: name for name, width in Q_NET_INPUTS.items()}
        width = graph.width("features")
        if width not in widths:
            raise ValueError(f"{graph.name} has {width} features; there are: {_listed(widths)}")
        self._features = widths[width]
        self.has_move_rows = "move_rows" in graph.inputs
        if self.has_move_rows == ("actions" in graph.inputs):
            raise ValueError(f"{graph.name} needs one of the inputs move_rows and actions")

    @property
    def config(self) -> QNetConfig:
        """ValueError in files of others."""
        self.graph.weights()
        config = self.graph.config()
        assert isinstance(config, QNetConfig)
        return config

    def values(self, positions: Packed, asked: Ragged) -> Floats:
        """[N] The Q-values of the asked actions of packed positions [B, 107]."""
        features = _dense(inputs_of(positions, self._features), Q_NET_INPUTS[self._features])
        name = "move_rows" if self.has_move_rows else "actions"
        moves = move_rows(positions, asked) if self.has_move_rows else asked.values
        return _by_position(
            asked.offsets,
            lambda row, rows: self.graph(
                self.outputs,
                {
                    "features": features[row : row + 1],
                    name: moves[rows].astype(np.int64),
                    "position_of_move": np.zeros(rows.stop - rows.start, np.int64),
                },
            )[0],
        )

    def arrays(self) -> dict[str, Floats]:
        """The weights by name, for the core to search with."""
        return self.graph.weights()


class OnnxMoveScorer:
    """Answers like `nets.move_scorer.MoveScorer`, position by position."""

    inputs: ClassVar = ("positions", "moves", "position_of_move")
    outputs: ClassVar = ("scores",)

    def __init__(self, graph: OnnxGraph) -> None:
        self.graph = graph
        config = graph.config()
        if config is None:
            encoding = graph.metadata.get(f"{PREFIX}encoding", "onehot768")
            config = MoveScorerConfig.model_validate(
                {"encoding": encoding, "value_head": "values" in graph.outputs}
            )
        assert isinstance(config, MoveScorerConfig)
        self.config = config
        self._width = POSITION_INPUTS[config.encoding]
        if graph.width("positions") != self._width:
            raise ValueError(
                f"{graph.name} has positions of {graph.width('positions')} numbers; "
                f"{config.encoding} has {self._width}"
            )

    def scores(self, asked: Any) -> Floats:
        """[N] The scores of all moves of `nets.move_scorer.Candidates`."""
        positions, moves = _dense(asked.positions, self._width), _dense(asked.moves, MOVE_INPUTS)
        return _by_position(
            asked.offsets,
            lambda row, rows: self._run(
                "scores", positions[row : row + 1], moves[rows], asked.is_white[row : row + 1]
            ),
        )

    def values(self, positions: SparseRows, is_white: NDArray[np.bool_]) -> Floats | None:
        """[B] In White's view; None without a value head."""
        if not self.config.value_head:
            return None
        rows, no_move = _dense(positions, self._width), np.zeros((1, MOVE_INPUTS), np.float32)
        found = [
            self._run("values", rows[row : row + 1], no_move, is_white[row : row + 1])
            for row in range(len(rows))
        ]
        values: Floats = np.concatenate(found) * np.where(is_white, 1, -1).astype(np.float32)
        return values

    def arrays(self) -> dict[str, Floats]:
        """The weights by name, for the core to search with."""
        return self.graph.weights()

    def _run(
        self, output: str, position: Floats, moves: Floats, is_white: NDArray[np.bool_]
    ) -> Floats:
        inputs: dict[str, NDArray[Any]] = {
            "positions": position,
            "moves": moves,
            "position_of_move": np.zeros(len(moves), np.int64),
            "white_to_move": is_white.astype(np.float32),
        }
        given = {name: array for name, array in inputs.items() if name in self.graph.inputs}
        return self.graph([output], given)[0]


class OnnxSparseNet:
    """A sparse net. The core plays it, in whole numbers, with the weights of the file."""

    inputs: ClassVar = ("views", "move_rows", "position_of_move")
    outputs: ClassVar = ("policy", "wdl")

    def __init__(self, graph: OnnxGraph) -> None:
        """ValueError in files of others."""
        self.graph = graph
        self._weights = graph.weights()
        config = graph.config()
        assert isinstance(config, SparseNetConfig)
        self.config = config

    def arrays(self) -> dict[str, Floats]:
        """The weights by name."""
        return dict(self._weights)

    def __call__(
        self, views: SparseRows, move_rows: NDArray[np.int32], legal: Ragged
    ) -> list[Floats]:
        """Policy logits [N] and WDL [B, 3], as onnxruntime computes them. The rows of a position's
        two views follow each other."""
        return self.graph(
            self.outputs,
            {
                "views": _dense(views, self.config.inputs).reshape(-1, 2, self.config.inputs),
                "move_rows": move_rows.astype(np.int64),
                "position_of_move": legal.rows.astype(np.int64),
            },
        )


OnnxNet = OnnxResNet | OnnxTransformer | OnnxQNet | OnnxMoveScorer | OnnxSparseNet
# The kind of a net, as in selfmate.nets.config -> how such a graph is asked.
ONNX_NETS: Mapping[str, type[OnnxNet]] = {
    "se_resnet": OnnxResNet,
    "transformer": OnnxTransformer,
    "q_net": OnnxQNet,
    "move_scorer": OnnxMoveScorer,
    "sparse_net": OnnxSparseNet,
}


def open_onnx(source: bytes | Path) -> tuple[str, OnnxNet]:
    """The kind of the net in a file, and the net; ValueError when it is none that we can ask."""
    graph = OnnxGraph(source)
    _check_encodings(graph)
    for kind, net in ONNX_NETS.items():
        if set(net.inputs) <= graph.inputs.keys():
            if missing := set(net.outputs) - graph.outputs:
                raise ValueError(f"{graph.name} has no output {', '.join(sorted(missing))}")
            return kind, net(graph)
    known = " or ".join(", ".join(net.inputs) for net in ONNX_NETS.values())
    raise ValueError(
        f"{graph.name} has the inputs {_listed(graph.inputs)}; a net that plays chess has {known}"
    )


def _check_encodings(graph: OnnxGraph) -> None:
    """Numbers that had another meaning when the net learned them would make it play nonsense."""
    for key, known in (("encoding", ENCODINGS), ("action_encoding", ACTION_ENCODINGS)):
        name = graph.metadata.get(f"{PREFIX}{key}", "")
        version = graph.metadata.get(f"{PREFIX}{key}_version")
        if name in known and version not in (None, str(known[name].version)):
            raise ValueError(
                f"{graph.name} has version {version} of {name}; this is version "
                f"{known[name].version}"
            )


def _in_blocks(
    graph: OnnxGraph, name: str, rows: NDArray[Any], outputs: Sequence[str]
) -> list[Floats]:
    """The outputs for all rows, in blocks of one size, the last one padded."""
    missing = -len(rows) % BLOCK_ROWS
    padded = np.concatenate([rows, np.zeros((missing, *rows.shape[1:]), rows.dtype)])
    blocks = np.split(padded, range(BLOCK_ROWS, len(padded), BLOCK_ROWS))
    answers = [graph(outputs, {name: block}) for block in blocks]
    return [np.concatenate(of_output)[: len(rows)] for of_output in zip(*answers, strict=True)]


def _by_position(offsets: NDArray[np.int64], ask: Any) -> Floats:
    """[N] What `ask` says of each position's row and moves."""
    ends = offsets.tolist()
    return np.concatenate(
        [ask(row, slice(ends[row], ends[row + 1])) for row in range(len(ends) - 1)]
    )


def _dense(rows: SparseRows, width: int) -> Floats:
    dense = np.zeros((len(rows), width), np.float32)
    places = np.repeat(np.arange(len(rows)), np.diff(rows.offsets))
    dense[places, rows.columns] = rows.values
    return dense


def _listed(names: Any) -> str:
    return ", ".join(map(str, names))
