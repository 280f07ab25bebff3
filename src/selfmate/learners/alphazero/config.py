"""The settings of AlphaZero: self-play and training, and pretraining on master games."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field, model_validator

import selfmate.learners.config
from selfmate.learners.config import FolderName, LabelSettings
from selfmate.nets.config import (
    PLANES,
    ResNetConfig,
    ResNetSettings,
    SparseNetConfig,
    SparseNetSettings,
)
from selfmate.runs import Arrays, check_layout
from selfmate.searches.config import CacheSize, ExactCacheKey, SearchSettings

if TYPE_CHECKING:
    from selfmate.nets.resnet import SeResNet
    from selfmate.nets.sparse_net import SparseNet


Share = Annotated[float, Field(gt=0, le=1000)]
Fraction = Annotated[float, Field(ge=0, le=1)]


class ComputeSettings(selfmate.learners.config.Config):
    """What self-play and pretraining have in common, besides the net."""

    gradient_checkpointing: bool = Field(
        False, description="recompute activations in the backward pass: less memory, more time"
    )
    precision: Literal["auto", "fp32", "bf16", "fp16"] = Field(
        "auto",
        description="of the residual net's matrix products; auto is bf16 on a GPU and fp32 on a "
        "CPU; fp16 scales gradients",
    )
    threads: int = Field(
        2,
        ge=1,
        le=256,
        description="threads of self-play and training; games do not depend on them, the last bits "
        "of gradients do",
    )


def _on(name: str) -> Any:
    """A switch that new nets have; a card that does not name it is of an older one."""
    return Field(True, description=ResNetSettings.model_fields[name].description)


class NetSettings(ResNetSettings, SparseNetSettings):
    tactical_planes: bool = _on("tactical_planes")
    policy_pairs: bool = _on("policy_pairs")
    net: Literal["residual", "sparse"] = Field(
        "residual",
        description="a residual net, or a sparse one: small, and evaluated a hundred times as fast",
    )

    def net_config(self) -> ResNetConfig | SparseNetConfig:
        return ResNetConfig.of(self) if self.net == "residual" else SparseNetConfig.of(self)


def check_sparse_precision(settings: ComputeSettings) -> None:
    if settings.precision not in ("auto", "fp32"):
        raise ValueError("net = sparse learns in 32 bits: precision is auto or fp32")


def with_sparse_defaults(given: Any, defaults: Mapping[str, Any]) -> Any:
    """Settings as they are given; those of a sparse net have other defaults."""
    is_sparse = isinstance(given, Mapping) and given.get("net") == "sparse"
    return {**defaults, **given} if is_sparse else given


class Config(SearchSettings, NetSettings, ComputeSettings):
    checkpoint_every: int = Field(1, ge=1, description="cycles between checkpoints")
    cycles: int = Field(
        100, ge=1, le=10**9, description="cycles of self-play, training and evaluation"
    )

    # Self-play.
    games: int = Field(100, ge=2, le=65536, description="self-play games per cycle")
    parallel_games: int = Field(
        32, ge=1, le=4096, description="games that each thread plays in parallel"
    )
    simulations: int = Field(100, ge=1, le=10**6, description="simulations per move")
    simulations_start: int = Field(
        0,
        ge=0,
        le=10**6,
        description="simulations per move in the first cycle, while a new net knows little; they "
        "grow by equal factors to simulations; 0: no fewer",
    )
    simulations_cycles: int = Field(
        100, ge=2, le=10**6, description="cycles until all simulations are made"
    )
    full_search_fraction: float = Field(
        1.0,
        gt=0,
        le=1,
        description="fraction of moves with all simulations; the others are not learned from",
    )
    fast_simulations: int = Field(
        16, ge=1, le=10**6, description="simulations of the other moves, if there are some"
    )
    max_plies: int = Field(
        300, ge=1, le=10_000, description="plies after which a game is truncated, as a draw"
    )
    openings: bool = Field(True, description="start games from the shipped openings")
    random_plies: int = Field(
        0,
        ge=0,
        le=100,
        description="random plies at the start of games, at most; at least half as many; 0: none",
    )
    endgame_fraction: float = Field(
        0.0, ge=0, le=1, description="fraction of games that start from a won endgame"
    )
    temperature: float = Field(
        1.0, ge=0, le=10, description="softmax temperature of the move choice, at first"
    )
    temperature_end: float = Field(
        0.1, ge=0, le=10, description="temperature after temperature_plies"
    )
    temperature_plies: int = Field(
        60, ge=0, le=10_000, description="plies played at the first temperature"
    )
    resign_threshold: float = Field(
        0.95, gt=0, le=1, description="a side resigns when its value is below minus this; 1: never"
    )
    resign_playthrough: float = Field(
        0.1,
        ge=0,
        le=1,
        description="fraction of games without resignation, to measure how often it is wrong",
    )
    cache_size: CacheSize = 50_000
    exact_cache_key: ExactCacheKey = True  # so that a game does not depend on those beside it

    # Training.
    replay_size: int = Field(500_000, ge=1, le=10**9, description="positions in the replay buffer")
    recent_fraction: float = Field(
        0.8, ge=0, le=1, description="fraction of each batch drawn from the newest quarter"
    )
    epochs: float = Field(3.0, gt=0, le=100, description="passes over the replay buffer per cycle")
    max_updates: int = Field(
        0, ge=0, le=10**9, description="maximum training steps per cycle; 0: as epochs say"
    )
    max_uses: float = Field(
        0.0,
        ge=0,
        le=1000,
        description="maximum training steps per cycle, as uses of each new position; 0: any",
    )
    batch_size: int = Field(640, ge=1, le=65536, description="positions per training step")
    optimizer: Literal["sgd", "muon"] = Field(
        "sgd",
        description="SGD with momentum, or Muon for the residual tower and AdamW for the rest",
    )
    learning_rate: float = Field(0.01, gt=0, le=1, description="learning rate in the first cycle")
    learning_rate_decay: float = Field(
        0.95, gt=0, le=1, description="factor of the learning rate from cycle to cycle"
    )
    min_learning_rate: float = Field(1e-5, ge=0, le=1, description="minimum learning rate")
    momentum: float = Field(0.9, ge=0, lt=1, description="momentum of SGD")
    weight_decay: float = Field(
        1e-4, ge=0, le=1, description="weight decay: L2 for SGD, decoupled for Muon"
    )
    max_grad_norm: float = Field(10.0, gt=0, description="maximum gradient norm (global clipping)")
    value_weight: float = Field(1.0, ge=0, le=1000, description="weight of the value loss")
    search_value_fraction: float = Field(
        0.0,
        ge=0,
        le=1,
        description="fraction of the search's value in value targets; the rest is the game result",
    )
    masters: str = Field(
        "", description="folder of selfmate import, whose games are mixed in against forgetting"
    )
    master_fraction: float = Field(
        0.25, ge=0, lt=1, description="fraction of each batch drawn from master games, if any"
    )

    # Gating match and ladder evaluation.
    promotion: Literal["sprt", "points", "always"] = Field(
        "sprt",
        description="the new net becomes the best by a sequential test (SPRT), by more than 55 % "
        "of the points, or without a match",
    )
    promotion_every: int = Field(1, ge=1, description="cycles between gating matches")
    promotion_games: int = Field(
        200, ge=2, le=1000, multiple_of=2, description="maximum games of a gating match"
    )
    promotion_simulations: int = Field(
        100, ge=0, le=10**6, description="simulations per move in gating matches; 0: policy alone"
    )
    elo0: float = Field(0.0, ge=-500, le=500, description="Elo gain of the SPRT's null hypothesis")
    elo1: float = Field(20.0, ge=-500, le=500, description="Elo gain of the SPRT's alternative")
    evaluate_every: int = Field(5, ge=1, description="cycles between ladder evaluations")
    evaluation_games: int = Field(
        40, ge=2, le=1000, multiple_of=2, description="games per opponent in ladder evaluations"
    )
    rollback_threshold: float = Field(
        0.15, gt=0, le=1, description="drop of the ladder score that restores the best weights"
    )

    @model_validator(mode="before")
    @classmethod
    def _with_defaults_of_the_net(cls, given: Any) -> Any:
        return with_sparse_defaults(given, SPARSE_TRAINING)

    @model_validator(mode="after")
    def _fits_the_net(self) -> Self:
        if self.net == "sparse":
            check_sparse_precision(self)
        return self

    @model_validator(mode="after")
    def _simulations_grow(self) -> Self:
        if self.simulations_start > self.simulations:
            raise ValueError(
                f"simulations_start {self.simulations_start} must not be above simulations "
                f"{self.simulations}"
            )
        return self

    @model_validator(mode="after")
    def _tests_a_range(self) -> Self:
        if self.elo0 >= self.elo1:
            raise ValueError(f"elo0 {self.elo0:g} must be below elo1 {self.elo1:g}")
        return self

    def simulations_in(self, cycle: int) -> int:
        """Cycles count from 1."""
        if not self.simulations_start:
            return self.simulations
        done = min(1.0, (cycle - 1) / (self.simulations_cycles - 1))
        growth: float = (self.simulations / self.simulations_start) ** done
        return round(self.simulations_start * growth)

    def learning_rate_in(self, cycle: int) -> float:
        """Cycles count from 1."""
        decayed = self.learning_rate * self.learning_rate_decay ** (cycle - 1)
        return max(self.min_learning_rate, decayed)


# Of a sparse net, where nothing else is said.
SPARSE_TRAINING: Mapping[str, Any] = MappingProxyType(
    {"learning_rate": 1e-3, "learning_rate_decay": 0.995, "min_learning_rate": 1e-4}
    | {"batch_size": 1024, "weight_decay": 0.0, "simulations": 400}
)
SPARSE_PRETRAINING: Mapping[str, Any] = MappingProxyType(
    {
        "batch_size": 1024,
        "gradient_accumulation": 1,
        "learning_rate": 2e-3,
        "schedule": "cosine",
        "value_weight": 2.0,
        "weight_decay": 0.0,
        "entropy_bonus": 0.0,
    }
)


class PretrainConfig(NetSettings, LabelSettings, ComputeSettings):
    checkpoint_every: int = Field(
        4, ge=1, description="steps of up to 32 updates between checkpoints"
    )
    data: tuple[FolderName, ...] = Field(
        (),
        max_length=8,
        description="folders of selfmate import; validation is on the first; none: the teacher "
        "labels positions while the net learns (net = sparse)",
    )
    data_shares: tuple[Share, ...] = Field(
        (),
        max_length=8,
        description="weight of each folder in the batches; none: by their numbers of positions",
    )
    evaluation_share: tuple[Fraction, ...] = Field(
        (0.0,),
        min_length=1,
        max_length=8,
        description="weight of evaluations in value targets, the rest is the game result: one "
        "for all folders, or one for each",
    )
    epochs: int = Field(5, ge=1, le=1000, description="passes over the training positions")
    positions: int = Field(
        0,
        ge=0,
        le=10**12,
        description="training positions in all; 0: as many as the epochs have, without data "
        "4,000,000",
    )
    label_sharpness: float = Field(
        5.0,
        gt=0,
        le=100,
        description="the teacher's policy is softmax(sharpness * score in pawns) (without data)",
    )
    batch_size: int = Field(640, ge=1, le=65536, description="positions per batch")
    gradient_accumulation: int = Field(
        2, ge=1, le=1000, description="batches whose gradients make one update"
    )

    optimizer: Literal["adam", "muon"] = Field(
        "adam", description="AdamW for all weights, or Muon for the residual tower's"
    )
    learning_rate: float = Field(1e-4, gt=0, le=1, description="learning rate, at first")
    schedule: Literal["plateau", "cosine"] = Field(
        "plateau",
        description="halve the learning rate when validations stop improving, or decay it to zero",
    )
    warmup_positions: int = Field(
        0, ge=0, le=10**9, description="positions of linear learning-rate warm-up"
    )
    patience: int = Field(
        3, ge=1, le=1000, description="validations without gain that halve the learning rate"
    )
    early_stopping_patience: int = Field(
        5, ge=1, le=1000, description="validations without gain that end the training"
    )
    plateau_validations: Literal["all", "epochs"] = Field(
        "all",
        description="validations that the plateau counts: all of them, or those at the end of an "
        "epoch",
    )
    weight_decay: float = Field(1e-4, ge=0, le=1, description="decoupled weight decay")
    max_grad_norm: float = Field(10.0, gt=0, description="maximum gradient norm (global clipping)")
    value_weight: float = Field(5.0, ge=0, le=1000, description="weight of the value loss")
    entropy_bonus: float = Field(
        0.01, ge=0, le=10, description="weight of the policy's entropy, subtracted from the loss"
    )

    validations_per_epoch: int = Field(4, ge=1, le=1000, description="validations per epoch")
    validation_positions: int = Field(
        16384, ge=1, le=10**9, description="maximum held-out positions per validation"
    )

    @model_validator(mode="before")
    @classmethod
    def _with_defaults_of_the_net(cls, given: Any) -> Any:
        return with_sparse_defaults(given, SPARSE_PRETRAINING)

    @model_validator(mode="after")
    def _fits_the_net(self) -> Self:
        if self.net == "residual":
            return self
        check_sparse_precision(self)
        for name in ("schedule", "optimizer", "gradient_accumulation"):
            wanted = {"optimizer": "adam", **SPARSE_PRETRAINING}[name]
            if getattr(self, name) != wanted:
                raise ValueError(f"net = sparse needs {name} = {wanted}")
        return self

    @model_validator(mode="after")
    def _fits_the_data(self) -> Self:
        for name, allowed in (("data_shares", (0,)), ("evaluation_share", (1,))):
            count = len(getattr(self, name))
            if self.data and count not in (*allowed, len(self.data)):
                raise ValueError(f"{name} has {count} entries for {len(self.data)} folders of data")
        return self

    def evaluation_share_of(self, folder: int) -> float:
        """For the number of a folder of `data`."""
        shares = self.evaluation_share
        return shares[folder if len(shares) > 1 else 0]


def check_fits(weights: Arrays, net: "SeResNet") -> None:
    """ValueError when weights are not those of a net with this configuration."""
    if "stem.weight" not in weights:
        raise ValueError("they are of another kind of net: load a net of alphazero")
    theirs, ours = shape_of(weights), shape_of(net.arrays())
    if different := {name: value for name, value in theirs.items() if value != ours[name]}:
        wanted = ", ".join(f"{name}={value}" for name, value in different.items()).lower()
        raise ValueError(f"they are of a net with {wanted}: set the same")
    check_layout(weights, net.arrays())


def shape_of(weights: Arrays) -> dict[str, int | bool]:
    """Settings of a net, as far as its weights show them."""
    filters, planes = weights["stem.weight"].shape[:2]
    return {
        "blocks": len({name.split(".")[1] for name in weights if name.startswith("blocks.")}),
        "filters": filters,
        "tactical_planes": planes == PLANES,
        "policy_pairs": "pairs.weight" in weights,
    }


def check_fits_sparse(weights: Arrays, net: "SparseNet") -> None:
    """ValueError when weights are not those of a sparse net with this configuration."""
    if "accumulator.weight" not in weights:
        raise ValueError("they are of another kind of net: load a sparse net of alphazero")
    inputs, width = weights["accumulator.weight"].shape
    if (inputs, width) != (net.config.inputs, net.config.accumulator):
        raise ValueError(
            f"they have {inputs} inputs and an accumulator of {width}, this net has "
            f"{net.config.inputs} and {net.config.accumulator}: set accumulator, king_buckets and "
            "attacks to the same"
        )
    check_layout(weights, net.arrays())
