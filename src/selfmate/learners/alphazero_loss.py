"""What a net of policy and value learns by: cross-entropy to moves, and to ends of games."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import mse_loss

from selfmate.data.examples import Examples


@dataclass(frozen=True, kw_only=True)
class Loss:
    policy: Tensor  # cross-entropy, of legal moves alone
    value: Tensor  # cross-entropy of win, draw and loss; the squared error of a scalar
    entropy: Tensor  # of the policy, in nats

    def total(self, value_weight: float, entropy_bonus: float) -> Tensor:
        return self.policy + value_weight * self.value - entropy_bonus * self.entropy

    def figures(self) -> tuple[float, float, float]:
        """Policy, value and entropy."""
        parts = (self.policy, self.value, self.entropy)
        policy, value, entropy = (float(part.detach()) for part in parts)
        return policy, value, entropy


def loss_of(logits: Tensor, value: Tensor, examples: Examples) -> Loss:
    """For what the net says: logits [B, 4672] and the value's [B, 3], or [B, 1] before its tanh."""
    logs, places = legal_logs(logits, examples)
    at_legal = logs[places]
    policy = torch.from_numpy(examples.policy).to(logits.device)
    return Loss(
        policy=-(policy * at_legal).sum() / len(examples),
        value=value_loss(value, torch.from_numpy(examples.wdl_side_to_move).to(value.device)),
        entropy=-(at_legal.exp() * at_legal).sum() / len(examples),
    )


def legal_logs(logits: Tensor, examples: Examples) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    """Logarithms of the policy [B, 4672], -inf where an action is not legal, and where the legal
    ones stand."""
    rows = torch.from_numpy(examples.legal.rows).to(logits.device)
    actions = torch.from_numpy(examples.legal.values.astype(np.int64)).to(logits.device)
    is_legal = torch.zeros_like(logits, dtype=torch.bool)
    is_legal[rows, actions] = True
    masked = logits.float().masked_fill(~is_legal, -torch.inf)
    return torch.log_softmax(masked, 1), (rows, actions)


def value_loss(value: Tensor, wdl: Tensor) -> Tensor:
    """For targets [B, 3]."""
    if value.shape[1] == 1:
        return mse_loss(torch.tanh(value.float()[:, 0]), wdl[:, 0] - wdl[:, 2])
    return -(wdl * torch.log_softmax(value.float(), 1)).sum(1).mean()
