"""The options that `train` and `pretrain` have in common."""

from pathlib import Path
from typing import Annotated

import typer

from selfmate.cli.numbers import LARGEST_SEED, above_zero, whole

Preset = Annotated[str | None, typer.Option(metavar="P", help="Settings that ship, such as tiny.")]
ConfigFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Settings as TOML or JSON, or a run's config.toml."),
]
Sets = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="One setting; as often as you like."),
]
Seed = Annotated[
    int | None,
    typer.Option(parser=whole(0, LARGEST_SEED), metavar="N", help="Same seed, same run."),
]
Device = Annotated[str, typer.Option(metavar="D", help="What computes; no setting of the run.")]
RunFolder = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Where to keep it.", show_default="runs/LEARNER-PRESET-N"),
]
Resume = Annotated[bool, typer.Option("--resume", help="Go on exactly where the same run stopped.")]
Load = Annotated[
    Path | None,
    typer.Option(metavar="RUN", help="Begin with the weights of another run or a net that ships."),
]
Minutes = Annotated[
    float | None, typer.Option(parser=above_zero, metavar="M", help="Pause after so long.")
]
PauseAfter = Annotated[
    int | None,
    typer.Option(
        parser=whole(1, 10**12), metavar="N", help="Pause after N more games, cycles and so on."
    ),
]
TensorBoard = Annotated[
    bool, typer.Option("--tensorboard", help="Also write the figures for TensorBoard.")
]
Settings = Annotated[bool, typer.Option("--settings", help="List the learner's settings and stop.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
