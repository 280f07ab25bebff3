"""How well a net of policy and value guesses games that were held back."""

from collections.abc import Iterable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from selfmate.data.examples import Examples
from selfmate.learners.alphazero_loss import legal_logs, value_loss
from selfmate.nets.devices import placed
from selfmate.nets.se_resnet import SeResNet, chances_of

BINS = 10  # of chances, to compare them with how often they came true


@torch.inference_mode()
def validate(net: SeResNet, parts: Iterable[Examples]) -> dict[str, float]:
    """How often the move that was played is the first, and among the first five, of the net's; the
    losses of policy and value; how often the likeliest result came true; and how far chances are
    from how often they come true, on average."""
    sums, chances, results = np.zeros(4), list[NDArray[np.float32]](), list[NDArray[np.float32]]()
    count = 0
    for examples in parts:
        logits, value = (said.cpu() for said in net(placed(examples.planes, net.device)))
        sums += [*_policy_sums(logits, examples), _value_sum(value, examples)]
        chances.append(chances_of(value).numpy())
        results.append(examples.wdl_side_to_move)
        count += len(examples)
    means = dict(zip(("match1", "match5", "policy_loss", "wdl_loss"), sums / count, strict=True))
    said, came = np.concatenate(chances), np.concatenate(results)
    return {
        **{f"validation_{name}" if "loss" in name else name: float(m) for name, m in means.items()},
        "wdl_accuracy": float((said.argmax(1) == came.argmax(1)).mean()),
        "calibration_error": calibration_error(said, came),
    }


def _policy_sums(logits: Tensor, examples: Examples) -> tuple[int, int, float]:
    logs, places = legal_logs(logits, examples)
    at_legal = logs[places].numpy()
    played = np.flatnonzero(examples.policy)
    # Equals count as better, or a net that says the same of all moves would seem to know.
    better = at_legal >= np.repeat(at_legal[played], examples.legal.counts)
    ranks = np.add.reduceat(better, examples.legal.offsets[:-1], dtype=np.int64)
    return int((ranks <= 1).sum()), int((ranks <= 5).sum()), -float(at_legal[played].sum())


def _value_sum(value: Tensor, examples: Examples) -> float:
    wdl = torch.from_numpy(examples.wdl_side_to_move)
    return len(examples) * float(value_loss(value, wdl))


def calibration_error(chances: NDArray[np.float32], came_true: NDArray[np.float32]) -> float:
    """The mean distance between what was said and what was seen, over bins of like chances [B, 3]:
    who says 0.3 should be right in three of ten cases."""
    said, seen = chances.ravel().astype(np.float64), came_true.ravel()
    bins = np.minimum((said * BINS).astype(np.int64), BINS - 1)
    distances = np.bincount(bins, said, BINS) - np.bincount(bins, seen, BINS)
    return float(np.abs(distances).sum() / len(said))
