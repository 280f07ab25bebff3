"""Evaluators: a net as a search asks it.

They take a torch module or a `CoreNet`, which needs no torch. An SE-ResNet is a function from
planes to WDL and policy logits, called between the batches of a search. A sparse net, a Q-net or a
move scorer is small enough to be asked inside the core, without Python between two batches. A
transformer has no value and plays without search; the core evaluates it, too.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypeIs

import selfmate._core as core
from selfmate.encodings.features import QUEEN_OR_NONE
from selfmate.nets.config import (
    POLICY_TEMPERATURE,
    MoveScorerConfig,
    NetConfig,
    QNetConfig,
    ResNetConfig,
    SparseNetConfig,
    TransformerConfig,
)
from selfmate.nets.onnx_net import OnnxMoveScorer, OnnxQNet, OnnxResNet, OnnxTransformer
from selfmate.rules import Board

ENGINES = ("auto", "core", "torch")

Floats = NDArray[np.float32]
ConfigT_co = TypeVar("ConfigT_co", bound=NetConfig, covariant=True)


class NetOf(Protocol[ConfigT_co]):
    """What the core needs of a net: torch modules and `CoreNet` have it."""

    @property
    def config(self) -> ConfigT_co: ...

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The weights by name."""
        ...


@dataclass(frozen=True)
class CoreNet(Generic[ConfigT_co]):
    """A trained net without torch: the core computes it. It does not learn."""

    config: ConfigT_co
    weights: Mapping[str, NDArray[Any]]  # by name

    def arrays(self) -> dict[str, NDArray[Any]]:
        return dict(self.weights)


SearchableNet = (
    NetOf[ResNetConfig]
    | NetOf[SparseNetConfig]
    | NetOf[QNetConfig]
    | NetOf[MoveScorerConfig]
    | OnnxResNet
    | OnnxQNet
    | OnnxMoveScorer
)


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
    net: NetOf[ResNetConfig] | OnnxResNet, *, engine: str = "auto", threads: int = 1
) -> Evaluator:
    """ "auto" chooses the core on a CPU, where it is the faster engine at any batch size, and torch
    on other devices."""
    if isinstance(net, OnnxResNet):
        return net
    if engine not in ENGINES:
        raise ValueError(f"there is no engine {engine!r}; there are {', '.join(ENGINES)}")
    on_cpu = isinstance(net, CoreNet) or _is_on_cpu(net)
    if engine == "core" and not on_cpu:
        raise ValueError("the core evaluates nets on CPUs only; use engine torch")
    if on_cpu and engine != "torch":
        return CoreEvaluator(net, threads=threads)
    return _torch_evaluator(net)


def _is_on_cpu(net: Any) -> bool:
    """Of a torch module."""
    on_cpu: bool = net.device.type == "cpu"
    return on_cpu


def _torch_evaluator(net: Any) -> Evaluator:
    """Imported here: who plays on the processor needs no torch."""
    from selfmate.nets.torch_evaluator import TorchEvaluator

    return TorchEvaluator(net)


class QNetEvaluator(core.QNet):
    """A Q-net in C++. Without a dueling head the value of a position is its largest Q."""

    def __init__(self, net: NetOf[QNetConfig] | OnnxQNet) -> None:
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

    def action_values(self, boards: Sequence[Board]) -> Floats:
        """[N] The Q-values of all legal actions of from_to4096, in the order of `legal_actions`.
        As that of a promotion counts the queen's."""
        _, moves, q_values, _ = self.q_values(boards)
        return q_values[np.isin(moves >> 12, QUEEN_OR_NONE)]

    def refresh(self) -> None:
        """Copies the weights of the net again."""
        self.load(self._net.arrays())


class CoreMoveScorer(core.MoveScorer):
    """A move scorer in C++, with or without a value head."""

    def __init__(self, net: NetOf[MoveScorerConfig] | OnnxMoveScorer) -> None:
        config = net.config
        super().__init__(
            net.arrays(),
            hidden=config.hidden,
            encoding=config.encoding,
            value_head=config.value_head,
        )
        self._net = net
        self.has_values = config.value_head

    def refresh(self) -> None:
        """Copies the weights of the net again."""
        self.load(self._net.arrays())


class MoveScorerEvaluator(CoreMoveScorer):
    """The same for a search, which needs the value head."""

    def __init__(self, net: NetOf[MoveScorerConfig] | OnnxMoveScorer) -> None:
        if not net.config.value_head:
            raise ValueError("a net without a value head cannot search; leave sims= out")
        super().__init__(net)


class SparseNetEvaluator(core.SparseNet):
    """A sparse net in C++, in whole numbers."""

    def __init__(self, net: NetOf[SparseNetConfig], *, kernels: str = "") -> None:
        """`kernels` names the fastest that may be used; empty: all that this processor has."""
        shape = net.config.model_dump(exclude={"kind"})
        super().__init__(net.arrays(), **shape, kernels=kernels)
        self._net = net

    def refresh(self) -> None:
        """Copies the weights of the net again."""
        self.load(self._net.arrays())


class TransformerEvaluator(core.Transformer):
    """A transformer in C++, with the weights that it had when this was made."""

    def __init__(self, net: NetOf[TransformerConfig]) -> None:
        config = net.config
        super().__init__(
            net.arrays(),
            width=config.width,
            blocks=config.blocks,
            heads=config.heads,
            policy_head=config.policy_head,
            square_pair_bias=config.square_pair_bias,
        )


def make_policy_evaluator(net: NetOf[TransformerConfig] | OnnxTransformer) -> "PolicyEvaluator":
    """For players without search."""
    return net if isinstance(net, OnnxTransformer) else TransformerEvaluator(net)


PolicyEvaluator = TransformerEvaluator | OnnxTransformer
SearchEvaluator = Evaluator | SparseNetEvaluator | QNetEvaluator | MoveScorerEvaluator


# By the kind of a net, as in selfmate.nets.config.
SMALL_NETS: Mapping[str, Callable[[Any], SearchEvaluator]] = MappingProxyType(
    {
        "sparse_net": SparseNetEvaluator,
        "q_net": QNetEvaluator,
        "move_scorer": MoveScorerEvaluator,
    }
)


def make_search_evaluator(net: SearchableNet, *, threads: int = 1) -> SearchEvaluator:
    """For `BatchedTreeSearch`. The small nets are evaluated on one thread: a search of one game
    has too few leaves at a time for more."""
    if isinstance(net, OnnxResNet):
        return net
    of_its_kind: Any = net
    if net.config.kind in SMALL_NETS:
        return SMALL_NETS[net.config.kind](of_its_kind)
    return make_evaluator(of_its_kind, threads=threads)


def is_sparse(net: SearchableNet) -> TypeIs[NetOf[SparseNetConfig]]:
    return not isinstance(net, OnnxResNet) and isinstance(net.config, SparseNetConfig)


class CoreEvaluator:
    """The forward pass in C++, on the CPU."""

    def __init__(self, net: NetOf[ResNetConfig], *, threads: int = 1) -> None:
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
