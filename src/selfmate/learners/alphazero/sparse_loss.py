"""AlphaZero's loss for a sparse net, which has logits of legal moves only, and its validation.

    loss = -sum(pi log p) + value_weight * cross-entropy of win, draw and loss

Both targets are probabilities: of a search, of a teacher, or of what was played.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from selfmate.data.sparse_examples import SparseExamples
from selfmate.learners.alphazero.loss import calibration_error, value_loss
from selfmate.nets.optim import Optimizer
from selfmate.nets.sparse import log_softmax
from selfmate.nets.sparse_net import SparseNet
from selfmate.rules import best_places
from selfmate.runs import Tick, unwatched

Floats = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class SparseLoss:
    """Means over the positions of a batch."""

    policy: Tensor  # cross-entropy over the legal moves
    value: Tensor  # cross-entropy of WDL
    log_policy: Tensor  # [N]
    wdl: Tensor  # [B, 3] logits


def sparse_loss(net: SparseNet, examples: SparseExamples) -> SparseLoss:
    logits, value = net(examples.inputs)
    log_policy = log_softmax(logits, examples.inputs.offsets)
    targets = torch.from_numpy(examples.policy)
    return SparseLoss(
        policy=-(targets * log_policy).sum() / len(examples),
        value=value_loss(value, torch.from_numpy(examples.wdl_side_to_move)),
        log_policy=log_policy,
        wdl=value,
    )


def sparse_update(
    net: SparseNet,
    optimizer: Optimizer,
    examples: SparseExamples,
    *,
    learning_rate: float,
    value_weight: float,
) -> dict[str, float]:
    """One update. The metrics are those before it."""
    loss = sparse_loss(net, examples)
    norm = optimizer.gradient(loss.policy + value_weight * loss.value)
    optimizer.step(learning_rate)
    net.clip_weights()
    return {
        "policy_loss": float(loss.policy.detach()),
        "wdl_loss": float(loss.value.detach()),
        "gradient_norm": norm,
        **_policy_and_value_metrics(loss, examples),
    }


def _policy_and_value_metrics(loss: SparseLoss, examples: SparseExamples) -> dict[str, float]:
    logs = loss.log_policy.detach().numpy()
    wdl = torch.softmax(loss.wdl.detach(), 1).numpy()
    values = wdl[:, 0] - wdl[:, 2]
    return {
        "entropy": -float((np.exp(logs) * logs).sum()) / len(examples),
        "ln_legal": float(np.log(np.diff(examples.inputs.offsets)).mean()),
        "value_mean": float(values.mean()),
        "value_spread": float(values.std()),
    }


@torch.inference_mode()
def validate_sparse(
    net: SparseNet, batches: Iterable[SparseExamples], tick: Tick = unwatched
) -> dict[str, float]:
    """Metrics on held-out positions, as `loss.validate` has them. The move to match is the target's
    likeliest."""
    sums, wdl, targets, count = np.zeros(4), list[Floats](), list[Floats](), 0
    for examples in batches:
        tick(count)
        loss = sparse_loss(net, examples)
        first, fifth = _matches(loss.log_policy.numpy(), examples)
        sums += [first, fifth, *(len(examples) * float(x) for x in (loss.policy, loss.value))]
        wdl.append(torch.softmax(loss.wdl, 1).numpy())
        targets.append(examples.wdl_side_to_move)
        count += len(examples)
    match1, match5, policy, value = (sums / count).tolist()
    predicted, actual = np.concatenate(wdl), np.concatenate(targets)
    return {
        "match1": match1,
        "match5": match5,
        "validation_policy_loss": policy,
        "validation_wdl_loss": value,
        "wdl_accuracy": float((predicted.argmax(1) == actual.argmax(1)).mean()),
        "calibration_error": calibration_error(predicted, actual),
    }


def _matches(log_policy: Floats, examples: SparseExamples) -> tuple[int, int]:
    """How often the target's likeliest move is the net's first, and among its first five. Ties
    count as better moves, or a net that is indifferent would seem to match."""
    offsets = examples.inputs.offsets
    played = best_places(examples.policy, offsets)
    better = log_policy >= np.repeat(log_policy[played], np.diff(offsets))
    ranks = np.add.reduceat(better, offsets[:-1], dtype=np.int64)
    return int((ranks <= 1).sum()), int((ranks <= 5).sum())
