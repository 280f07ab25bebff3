"""A larger residual net that begins with what a smaller one knows (Chen et al. 2016, Net2Net).

A channel of the smaller net becomes one or two channels of the larger one, in the same group of its
GroupNorm, and what reads the channel reads each copy with a random part of the weight: the sum is
what it was, but copies learn different things. New blocks come before those with attention and
change little at first. The larger net does not compute exactly the same: the norms weigh copied
channels twice, and every new block has one more GELU.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selfmate.nets.config import GROUPS, ResNetConfig
from selfmate.nets.resnet import HEADS, REDUCTION, SeResNet

Weights = Mapping[str, NDArray[Any]]
Indices = NDArray[np.int64]


def grow(net: SeResNet, weights: Weights, old: ResNetConfig, seed: int) -> None:
    """Gives the net the weights of a smaller one, `old`; new blocks keep theirs."""
    layers = _WiderLayers(old.filters, net.config.filters, np.random.default_rng(seed))
    blocks = _new_numbers(old, net.config)
    grown = net.arrays()
    for name, array in weights.items():
        if name.startswith("blocks."):
            _, number, rest = name.split(".", 2)
            grown[f"blocks.{blocks[int(number)]}.{rest}"] = layers.wider(rest, array)
        else:
            grown[name] = layers.wider(name, array)
    net.take(grown)


def smaller_net(weights: Weights, net: ResNetConfig) -> ResNetConfig | None:
    """What the weights are of, if it is a net that can grow to this one: with as many blocks and
    filters or fewer, but at least half of the filters, and the same in all else."""
    blocks = len({name.split(".")[1] for name in weights if name.startswith("blocks.")})
    filters = len(weights.get("stem.weight", ()))
    is_smaller = (blocks, filters) != (net.blocks, net.filters) and filters % GROUPS == 0
    if not (is_smaller and blocks <= net.blocks and filters <= net.filters <= 2 * filters):
        return None
    if blocks < net.attention_blocks:
        return None
    old = net.model_copy(update={"blocks": blocks, "filters": filters})
    shapes = {name: array.shape for name, array in old.make_net().arrays().items()}
    return old if shapes == {name: array.shape for name, array in weights.items()} else None


def _new_numbers(old: ResNetConfig, new: ResNetConfig) -> list[int]:
    """For each block of the smaller net its number in the larger one."""
    first_with_attention = old.blocks - old.attention_blocks
    added = new.blocks - old.blocks
    return [n if n < first_with_attention else n + added for n in range(old.blocks)]


class _WiderLayers:
    """Makes each layer of a net with `old` filters one of a net with `new` filters."""

    def __init__(self, old: int, new: int, rng: np.random.Generator) -> None:
        self._rng, self._ratio = rng, new / old
        self._channels = _copies(GROUPS, old, new)
        self._hidden = _copies(1, old // REDUCTION, new // REDUCTION)
        self._heads = _copies(HEADS, old, new)
        self._queries = {"attention.look": self._heads, "pairs": _copies(1, old, new)}

    def wider(self, name: str, array: NDArray[Any]) -> NDArray[Any]:
        """`name` is that of the weights, inside its block if it has one."""
        layer, _, kind = name.rpartition(".")
        if layer in ("value.hidden", "value.out"):
            return array
        if name == "attention.places":  # [64, C]
            return np.take(array, self._channels, axis=1)
        grown = np.take(array, self._rows(layer, len(array)), axis=0)
        if kind == "weight" and grown.ndim > 1 and layer != "stem":
            columns = {"squeeze.up": self._hidden, "attention.add": self._heads}
            grown = self._read(grown, columns.get(layer, self._channels))
        if layer in self._queries:
            self._rescale(grown, self._queries[layer])
        return grown

    def _rows(self, layer: str, count: int) -> Indices:
        """Of `count` outputs of a layer, those that the wider one copies."""
        if layer in ("policy", "value.channels"):
            return np.arange(count)
        if layer == "squeeze.down":
            return self._hidden
        if layer not in self._queries:
            return self._channels
        one = self._queries[layer]  # followed by the keys, and in attention by the values
        parts = count // (int(one.max()) + 1)
        return np.concatenate([part * count // parts + one for part in range(parts)])

    def _read(self, array: NDArray[Any], columns: Indices) -> NDArray[Any]:
        """[rows, C, ...]: every copy of a column is read with a part of its weight."""
        parts = self._parts(columns, len(array))
        array = np.take(array, columns, axis=1)
        array *= parts.reshape(parts.shape + (1,) * (array.ndim - 2))
        return array

    def _rescale(self, array: NDArray[Any], rows: Indices) -> None:
        """Products of the first rows (queries) with keys count each dimension once, and are
        divided by the root of their number."""
        parts = self._parts(rows, 1)[0] * math.sqrt(self._ratio)
        array[: len(rows)] *= parts.reshape(-1, *(1,) * (array.ndim - 1))

    def _parts(self, sources: Indices, rows: int) -> NDArray[np.float32]:
        """[rows, C] Random parts; those of the same source add up to 1."""
        raw = self._rng.uniform(0.5, 1.5, (rows, len(sources)))
        is_copy = sources[:, None] == sources  # [C, C]
        parts: NDArray[np.float32] = (raw / (raw @ is_copy)).astype(np.float32)
        return parts


def _copies(groups: int, old: int, new: int) -> Indices:
    """[new] Which of `old` channels each of `new` ones copies, within groups of equal size."""
    place = np.arange(new // groups) % (old // groups)
    return (np.arange(groups)[:, None] * (old // groups) + place).ravel()
