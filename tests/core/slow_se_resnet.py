"""The SE-ResNet once more: NumPy, double precision, one obvious step after the other."""

import math
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

import selfmate._core as core

Numbers = NDArray[np.float64]
Weights = dict[str, NDArray[np.float32]]


@dataclass(frozen=True, kw_only=True)
class Shape:
    blocks: int = 2
    filters: int = 16
    attention: int = 1
    squeeze: bool = True
    wdl: bool = True
    planes: int = 68
    pairs: bool = False

    def core(self, weights: Weights, *, kernels: str = "") -> core.SeResNet:
        return core.SeResNet(weights, **asdict(self), kernels=kernels)


def shapes_of(shape: Shape) -> dict[str, tuple[int, ...]]:
    filters = shape.filters
    shapes: dict[str, tuple[int, ...]] = {"stem.weight": (filters, shape.planes, 3, 3)}
    shapes |= _pair("stem_norm", filters)
    for number in range(shape.blocks):
        name = f"blocks.{number}"
        for part in ("first", "second"):
            shapes[f"{name}.{part}.weight"] = (filters, filters, 3, 3)
            shapes |= _pair(f"{name}.{part}_norm", filters)
        if shape.squeeze:
            shapes |= _pair(f"{name}.squeeze.down", filters // 8, filters)
            shapes |= _pair(f"{name}.squeeze.up", filters, filters // 8)
        if number >= shape.blocks - shape.attention:
            shapes |= _pair(f"{name}.attention.norm", filters)
            shapes[f"{name}.attention.places"] = (64, filters)
            shapes |= _pair(f"{name}.attention.look", 3 * filters, filters)
            shapes |= _pair(f"{name}.attention.add", filters, filters)
    shapes |= _pair("policy", 73, filters, 1, 1) | _pair("value.channels", 8, filters, 1, 1)
    if shape.pairs:
        shapes |= _pair("pairs", 2 * filters, filters)
    return shapes | _pair("value.hidden", 512, 512) | _pair("value.out", 3 if shape.wdl else 1, 512)


def random_weights(shape: Shape, seed: int, scale: float = 1.0) -> Weights:
    """Such that numbers neither grow nor fade on their way, for a scale of 1."""
    rng = np.random.default_rng(seed)
    weights = {}
    for name, extents in shapes_of(shape).items():
        numbers = rng.standard_normal(extents)
        if len(extents) > 1:
            numbers *= scale / math.sqrt(math.prod(extents[1:]))
        elif "norm.weight" in name:
            numbers = 1 + 0.3 * numbers
        weights[name] = numbers.astype(np.float32)
    return weights


def slow_values_and_logits(
    shape: Shape, weights: Weights, planes: NDArray[np.float32]
) -> tuple[Numbers, Numbers]:
    net = {name: array.astype(np.float64) for name, array in weights.items()}
    board = _convolved(net, "stem", planes[:, : shape.planes].astype(np.float64))
    board = _gelu(_group_norm(net, "stem_norm", board))
    for number in range(shape.blocks):
        name = f"blocks.{number}"
        change = _gelu(
            _group_norm(net, f"{name}.first_norm", _convolved(net, f"{name}.first", board))
        )
        change = _group_norm(net, f"{name}.second_norm", _convolved(net, f"{name}.second", change))
        if shape.squeeze:
            squeezed = _gelu(_linear(net, f"{name}.squeeze.down", change.mean((2, 3))))
            factors = (1 + np.tanh(_linear(net, f"{name}.squeeze.up", squeezed) / 2)) / 2
            change = change * factors[:, :, None, None]
        board = _gelu(board + change)
        if number >= shape.blocks - shape.attention:
            board = board + _seen(net, f"{name}.attention", board)
    logits = _pointwise(net, "policy", board).transpose(0, 2, 3, 1).reshape(len(board), -1)
    if shape.pairs:
        logits += _pair_logits(net, board)
    hidden = _linear(net, "value.hidden", _pointwise(net, "value.channels", board).reshape(-1, 512))
    return _linear(net, "value.out", _gelu(hidden)), logits


def _pair(name: str, *extents: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": extents, f"{name}.bias": extents[:1]}


def _convolved(net: dict[str, Numbers], name: str, board: Numbers) -> Numbers:
    framed = np.pad(board, ((0, 0), (0, 0), (1, 1), (1, 1)))
    weight = net[f"{name}.weight"]
    shifts = [(y, x) for y in range(3) for x in range(3)]
    return sum(
        (
            np.einsum("ncyx,oc->noyx", framed[:, :, y : y + 8, x : x + 8], weight[:, :, y, x])
            for y, x in shifts
        ),
        start=np.zeros((len(board), len(weight), 8, 8)),
    )


def _pointwise(net: dict[str, Numbers], name: str, board: Numbers) -> Numbers:
    products: Numbers = np.einsum("ncyx,oc->noyx", board, net[f"{name}.weight"][:, :, 0, 0])
    return products + net[f"{name}.bias"][:, None, None]


def _linear(net: dict[str, Numbers], name: str, rows: Numbers) -> Numbers:
    return rows @ net[f"{name}.weight"].T + net[f"{name}.bias"]


def _group_norm(net: dict[str, Numbers], name: str, board: Numbers) -> Numbers:
    groups = board.reshape(len(board), 8, -1)
    spread = np.sqrt(groups.var(axis=2, keepdims=True) + 1e-5)
    normed: Numbers = (groups - groups.mean(axis=2, keepdims=True)) / spread
    normed = normed.reshape(board.shape)
    return normed * net[f"{name}.weight"][:, None, None] + net[f"{name}.bias"][:, None, None]


def _seen(net: dict[str, Numbers], name: str, board: Numbers) -> Numbers:
    count, filters = board.shape[:2]
    rows = board.reshape(count, filters, 64).transpose(0, 2, 1)
    spread = np.sqrt(rows.var(axis=2, keepdims=True) + 1e-5)
    normed = (rows - rows.mean(axis=2, keepdims=True)) / spread
    normed = normed * net[f"{name}.norm.weight"] + net[f"{name}.norm.bias"]
    looks = _linear(net, f"{name}.look", normed + net[f"{name}.places"])
    query, key, value = looks.reshape(count, 64, 3, 4, filters // 4).transpose(2, 0, 3, 1, 4)
    scores = query @ key.transpose(0, 1, 3, 2) / math.sqrt(filters // 4)
    powers = np.exp(scores - scores.max(axis=3, keepdims=True))
    seen = powers / powers.sum(axis=3, keepdims=True) @ value
    change = _linear(net, f"{name}.add", seen.transpose(0, 2, 1, 3).reshape(count, 64, filters))
    return change.transpose(0, 2, 1).reshape(board.shape)


def _pair_logits(net: dict[str, Numbers], board: Numbers) -> Numbers:
    """Of each action that stays on the board: query of its from-square, key of its to-square."""
    count, filters = board.shape[:2]
    rows = _linear(net, "pairs", board.reshape(count, filters, 64).transpose(0, 2, 1))
    logits = np.zeros((count, 64 * 73))
    for action, move in enumerate(core.az4672_moves().tolist()):
        if move:
            query, key = rows[:, move % 64, :filters], rows[:, move // 64 % 64, filters:]
            logits[:, action] = (query * key).sum(1) / math.sqrt(filters)
    return logits


def _gelu(numbers: Numbers) -> Numbers:
    erf: Numbers = np.vectorize(math.erf, otypes=[np.float64])(numbers / math.sqrt(2))
    return numbers / 2 * (1 + erf)
