"""Imitation epoch by epoch: the loss in training, and how well games held back are guessed."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from selfmate.cli.figures import figure

if TYPE_CHECKING:
    from selfmate.runs.directory import RunDirectory

LOSSES = {"policy_loss", "value_loss"}
VALIDATED = ("match1", "match3", "kl", "value_mse")


@dataclass(frozen=True, kw_only=True)
class Epoch:
    number: int  # 0: before training
    training_loss: float | None  # the mean over its steps
    validated: tuple[float, ...]  # as VALIDATED names them


def epochs_of(run: "RunDirectory") -> list[Epoch]:
    """What the metrics say at the end of each; none when the run is no imitation."""
    count, weight = run.config.get("epochs"), run.config.get("value_weight")
    if not count or weight is None:
        return []
    status, epochs, losses = run.status(), list[Epoch](), list[float]()
    for line in run.metrics():
        if line.keys() >= LOSSES:
            losses.append(line["policy_loss"] + weight * line["value_loss"])
        if line.keys() >= {*VALIDATED, status.unit}:
            number = line[status.unit] * count // status.total
            loss = fmean(losses) if number and losses else None
            validated = tuple(line[name] for name in VALIDATED)
            epochs.append(Epoch(number=number, training_loss=loss, validated=validated))
            losses = losses if not number else []
    return epochs


def print_epochs(epochs: Sequence[Epoch]) -> None:
    """A line an epoch, or nothing."""
    from rich.console import Console
    from rich.table import Table

    if not epochs:
        return
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("  epoch", "training loss", "match@1", "match@3", "KL", "value MSE"):
        table.add_column(column, justify="right")
    for epoch in epochs:
        match1, match3, kl, value_mse = epoch.validated
        table.add_row(
            f"{epoch.number}" if epoch.number else "before",
            "" if epoch.training_loss is None else figure(epoch.training_loss),
            f"{match1:.1%}",
            f"{match3:.1%}",
            figure(kl),
            figure(value_mse),
        )
    Console(highlight=False).print(table)
