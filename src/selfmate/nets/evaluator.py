"""Evaluators: a net as a search asks it.

An SE-ResNet is a function from planes to WDL and policy logits, called between the batches of a
search. A sparse net, a Q-net or a move scorer is small enough to be asked inside the core, without
Python between two batches. A transformer has no value and plays without search; the core evaluates
it, too.
"""

from copy import deepcopy
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

import selfmate._core as core
from selfmate.nets.config import PLANES
from selfmate.nets.move_scorer import MoveScorer
from selfmate.nets.onnx_net import OnnxMoveScorer, OnnxQNet, OnnxResNet, OnnxTransformer
from selfmate.nets.optim import one_thread
from selfmate.nets.q_net import POLICY_TEMPERATURE, QNet
from selfmate.nets.resnet import SeResNet, wdl_of
from selfmate.nets.sparse_net import SparseNet
from selfmate.nets.transformer import Transformer

ENGINES = ("auto", "core", "torch")

Floats = NDArray[np.float32]
SearchableNet = SeResNet | SparseNet | QNet | MoveScorer | OnnxResNet | OnnxQNet | OnnxMoveScorer


class Evaluator(Protocol):
    """A net with the weights that it had when the evaluator was made or last refreshed. Several
    threads may call it at the same time."""

    def __call__(self, planes: Floats) -> tuple[Floats, Floats]:
        """From planes96 [N, 96, 8, 8]: WDL of the side to move [N, 3] and policy logits of az4672
        [N, 4672]. Blocks.

        A row's answer is the same, bit for bit, whatever else is in the batch.
        """
        ...

    def refresh(self) -> None:
        """Copies the weights of the net again. Not while another thread evaluates."""
        ...


def make_evaluator(
    net: SeResNet | OnnxResNet, *, engine: str = "auto", threads: int = 1
) -> Evaluator:
    """ "auto" chooses the core on a CPU, where it is the faster engine at any batch size, and torch
    on other devices."""
    if isinstance(net, OnnxResNet):
        return net
    if engine not in ENGINES:
        raise ValueError(f"there is no engine {engine!r}; there are {', '.join(ENGINES)}")
    on_cpu = net.device.type == "cpu"
    if engine == "core" and not on_cpu:
        raise ValueError("the core evaluates nets on CPUs only; use engine torch")
    if on_cpu and engine != "torch":
        return CoreEvaluator(net, threads=threads)
    return TorchEvaluator(net)


class QNetEvaluator(core.QNet):
    """A Q-net in C++. Without a dueling head the value of a position is its largest Q."""

    def __init__(self, net: QNet | OnnxQNet) -> None:
        config = net.config
        super().__init__(
            net.arrays(),
            inputs=config.inputs,
            hidden=config.hidden,
            dueling=config.dueling,
            move_kinds=config.move_kinds,
            temperature=POLICY_TEMPERATURE,
        )
        self._net = net

    def refresh(self) -> None:
        """Copies the weights of the net again."""
        self.load(self._net.arrays())


class MoveScorerEvaluator(core.MoveScorer):
    """A move scorer with its value head in C++."""

    def __init__(self, net: MoveScorer | OnnxMoveScorer) -> None:
        if not net.config.value_head:
            raise ValueError("a net without a value head cannot search; leave sims= out")
        super().__init__(net.arrays(), hidden=net.config.hidden, encoding=net.config.encoding)
        self._net = net

    def refresh(self) -> None:
        """Copies the weights of the net again."""
        self.load(self._net.arrays())


class SparseNetEvaluator(core.SparseNet):
    """A sparse net in C++, in whole numbers."""

    def __init__(self, net: SparseNet, *, kernels: str = "") -> None:
        """`kernels` names the fastest that may be used; empty: all that this processor has."""
        shape = net.config.model_dump(exclude={"kind"})
        super().__init__(net.arrays(), **shape, kernels=kernels)
        self._net = net

    def refresh(self) -> None:
        """Copies the weights of the net again."""
        self.load(self._net.arrays())


class TransformerEvaluator(core.Transformer):
    """A transformer in C++, with the weights that it had when this was made."""

    def __init__(self, net: Transformer) -> None:
        config = net.config
        super().__init__(
            net.arrays(),
            width=config.width,
            blocks=config.blocks,
            heads=config.heads,
            policy_head=config.policy_head,
            square_pair_bias=config.square_pair_bias,
        )


def make_policy_evaluator(net: Transformer | OnnxTransformer) -> "PolicyEvaluator":
    """For players without search."""
    return net if isinstance(net, OnnxTransformer) else TransformerEvaluator(net)


PolicyEvaluator = TransformerEvaluator | OnnxTransformer
SearchEvaluator = Evaluator | SparseNetEvaluator | QNetEvaluator | MoveScorerEvaluator


def make_search_evaluator(net: SearchableNet, *, threads: int = 1) -> SearchEvaluator:
    """For `BatchedTreeSearch`. The small nets are evaluated on one thread: a search of one game
    has too few leaves at a time for more."""
    if isinstance(net, SparseNet):
        return SparseNetEvaluator(net)
    if isinstance(net, QNet | OnnxQNet):
        return QNetEvaluator(net)
    if isinstance(net, MoveScorer | OnnxMoveScorer):
        return MoveScorerEvaluator(net)
    return make_evaluator(net, threads=threads)


class CoreEvaluator:
    """The forward pass in C++, on the CPU."""

    def __init__(self, net: SeResNet, *, threads: int = 1) -> None:
        self._net, self._threads = net, threads
        config = net.config
        self._core = core.SeResNet(
            net.arrays(),
            blocks=config.blocks,
            filters=config.filters,
            attention=config.attention_blocks,
            squeeze=config.squeeze_excitation,
            wdl=config.wdl,
            planes=config.planes,
            pairs=config.policy_pairs,
        )

    def refresh(self) -> None:
        self._core.load(self._net.arrays())

    def __call__(self, planes: Floats) -> tuple[Floats, Floats]:
        values, logits = self._core.evaluate(planes, self._threads)
        return _wdl(values), logits


def _wdl(values: Floats) -> Floats:
    """As `selfmate.nets.resnet.wdl_of`; in double precision, so that rows sum to 1."""
    exact = values.astype(np.float64)
    if values.shape[1] == 3:
        powers = np.exp(exact - exact.max(axis=1, keepdims=True))
        wdl: NDArray[np.float64] = powers / powers.sum(axis=1, keepdims=True)
    else:
        scalar = np.tanh(exact)
        wdl = np.concatenate([(1 + scalar) / 2, 0 * scalar, (1 - scalar) / 2], axis=1)
    return wdl.astype(np.float32)


class TorchEvaluator:
    """The forward pass in torch, on the net's device; on a CPU, on one thread."""

    def __init__(self, net: SeResNet) -> None:
        self._net = net
        self._copy = deepcopy(net).eval()
        # Small blocks waste little on few rows; a GPU needs large ones to be busy.
        self._block_rows = 16 if net.device.type == "cpu" else 256

    def refresh(self) -> None:
        self._copy.load_state_dict(self._net.state_dict())

    @torch.inference_mode()
    def __call__(self, planes: Floats) -> tuple[Floats, Floats]:
        with one_thread():
            outputs = [self._copy(block) for block in self._blocks(torch.from_numpy(planes))]
            logits = torch.cat([policy for policy, _ in outputs])[: len(planes)]
            value = torch.cat([value for _, value in outputs])[: len(planes)]
        return wdl_of(value.cpu()).numpy(), logits.cpu().numpy()

    def _blocks(self, planes: Tensor) -> tuple[Tensor, ...]:
        """Blocks of one size, the last one padded: the last bits of a product depend on the number
        of rows."""
        missing = -len(planes) % self._block_rows
        padded = torch.cat([planes, torch.zeros(missing, PLANES, 8, 8)]) if missing else planes
        return torch.split(padded.to(self._copy.device), self._block_rows)
