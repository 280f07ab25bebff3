"""Computing in 16 bits: what torch rounds, and how small gradients survive it."""

from collections.abc import Iterable
from contextlib import nullcontext
from typing import Literal

import torch
from torch import Tensor

Precision = Literal["auto", "fp32", "bf16", "fp16"]
TYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}

FIRST_SCALE = 2.0**16
MIN_SCALE = 1.0
STEPS_TO_DOUBLE = 2000  # without overflow


def precision_on(precision: Precision, device: torch.device) -> Precision:
    """What auto means: bf16 on a GPU, fp32 on a CPU."""
    if precision != "auto":
        return precision
    return "bf16" if device.type == "cuda" else "fp32"


def autocast(precision: Precision, device: torch.device) -> torch.autocast | nullcontext[None]:
    """For `with`: matrix products in 16 bits, sums and losses in 32. Weights stay in 32 bits."""
    kind = TYPES.get(precision_on(precision, device))
    return nullcontext() if kind is None else torch.autocast(device.type, kind)


def loss_scale_for(precision: Precision) -> "LossScale | None":
    """bf16 has the range of fp32 and needs none."""
    return LossScale() if precision == "fp16" else None


class LossScale:
    """A factor of the loss, so that gradients that are too small for fp16 do not become 0
    (Micikevicius et al. 2018).

    A gradient that overflows halves the factor, and its update is skipped. The factor doubles
    after 2,000 updates without overflow. Its state is tensors, so that an optimizer saves them.
    """

    def __init__(self) -> None:
        self.factor = torch.tensor(FIRST_SCALE)
        self.steps = torch.tensor(0.0)  # since the factor changed

    def tensors(self) -> dict[str, Tensor]:
        return {"loss_scale.factor": self.factor, "loss_scale.steps": self.steps}

    def reset(self) -> None:
        self.factor.fill_(FIRST_SCALE)
        self.steps.zero_()

    def unscale(self, gradients: Iterable[Tensor]) -> None:
        for gradient in gradients:
            gradient.div_(self.factor.to(gradient.device))

    def update(self, *, overflow: bool) -> None:
        """After each gradient."""
        if overflow:
            self.factor.mul_(0.5).clamp_(min=MIN_SCALE)
            self.steps.zero_()
            return
        self.steps.add_(1)
        if self.steps >= STEPS_TO_DOUBLE:
            self.factor.mul_(2)
            self.steps.zero_()
