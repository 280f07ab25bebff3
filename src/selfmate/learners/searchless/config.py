"""Settings of the searchless learner and of its pretraining."""

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, Self

from pydantic import Field, model_validator

import selfmate.learners.config
from selfmate.learners.config import FolderName
from selfmate.learners.schedule import UPDATES_PER_STEP
from selfmate.nets.config import TransformerSettings

if TYPE_CHECKING:
    from selfmate.data.dataset import Split
    from selfmate.learners.searchless.targets import TargetScores
    from selfmate.nets.optim import Optimizer
    from selfmate.nets.transformer import Transformer


class NetConfig(TransformerSettings, selfmate.learners.config.Config):
    """Settings that self-play and pretraining share."""

    threads: int = Field(2, ge=1, le=256, description="threads for self-play and gradients")

    optimizer: Literal["adam", "muon"] = Field(
        "muon", description="AdamW for all weights, or Muon for the matrices of the blocks"
    )
    learning_rate: float = Field(3e-3, gt=0, le=1, description="learning rate after warmup")
    warmup_positions: int = Field(
        0, ge=0, le=10**9, description="positions over which the learning rate rises from zero"
    )
    weight_decay: float = Field(1e-4, ge=0, le=1, description="decoupled weight decay")
    max_grad_norm: float = Field(2.0, gt=0, description="maximum gradient norm (global clipping)")

    batch_size: int = Field(256, ge=1, le=65536, description="positions per update at the start")
    batch_size_end: int = Field(256, ge=1, le=65536, description="positions per update at the end")

    illegal_score: float = Field(
        -10.0, ge=-100, le=0, description="target score of illegal moves; legal moves have 0"
    )
    result_score: float = Field(
        4.0, ge=0, le=100, description="target score of moves that won; negated for lost games"
    )
    speed_bonus: float = Field(
        1.0, ge=0, le=100, description="added to result_score, divided by the moves to the end"
    )

    validation_positions: int = Field(
        1024, ge=1, le=20_000, description="held-out positions per kind (opening, check, ...)"
    )
    evaluation_games: int = Field(
        20, ge=2, le=1000, multiple_of=2, description="evaluation games per opponent"
    )
    conversion_games: int = Field(
        20, ge=1, le=1000, description="won endgames per kind, played out in evaluations"
    )
    puzzles: str = Field("", description="file of Lichess puzzles; up to 2,000 are evaluated")

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.batch_size > self.batch_size_end:
            raise ValueError(
                f"batch_size {self.batch_size} is more than batch_size_end {self.batch_size_end}: "
                "batches can only grow"
            )
        return self

    def target_scores(self) -> "TargetScores":
        """Without attempts, as in master games."""
        from selfmate.learners.searchless.targets import TargetScores

        return TargetScores(
            illegal=self.illegal_score,
            attempted=self.illegal_score,
            result=self.result_score,
            speed_bonus=self.speed_bonus,
        )

    def make_optimizer(self, net: "Transformer") -> "Optimizer":
        from selfmate.nets.optim import Optimizer

        if self.optimizer == "adam":
            return Optimizer.adam(net, self.max_grad_norm, self.weight_decay)
        return Optimizer.muon(net, self.max_grad_norm, self.weight_decay, net.matrices())


class Config(NetConfig):
    """Self-play."""

    checkpoint_every: int = Field(5, ge=1, description="cycles between checkpoints")
    cycles: int = Field(100_000, ge=1, le=10**9, description="cycles of self-play and learning")

    games: int = Field(256, ge=1, le=65536, description="games per cycle")
    parallel_games: int = Field(
        32, ge=1, le=4096, description="games that each thread plays side by side"
    )
    temperature: float = Field(
        1.0, ge=0, le=10, description="sampling temperature; 0 always plays the likeliest move"
    )
    max_attempts: int = Field(
        8, ge=1, le=1968, description="maximum number of illegal attempts per position"
    )
    max_plies: int = Field(
        160, ge=1, le=10_000, description="maximum plies per game; truncated games count as draws"
    )
    openings: bool = Field(True, description="start games from the shipped openings")
    endgame_fraction: float = Field(
        0.2, ge=0, le=1, description="fraction of games that start from a won endgame"
    )
    must_win: bool = Field(False, description="treat a draw in a won endgame as a loss")
    games_per_start: int = Field(
        1, ge=1, le=1024, description="games per start; results are relative to the others' mean"
    )
    mate_fraction: float = Field(
        0.0, ge=0, le=1, description="fraction of games that start shortly before its own mates"
    )
    rules_cycles: int = Field(
        0, ge=0, le=10**9, description="cycles at the start in which it learns the rules alone"
    )
    vs_random: float = Field(
        0.0, ge=0, le=1, description="fraction of games against a random player"
    )
    plays_mate_in_one: bool = Field(False, description="always play a mate in one in self-play")

    attempted_score: float = Field(
        -10.0, ge=-100, le=0, description="target score of an attempted illegal move (variant: -25)"
    )
    unplayed_target: Literal["uniform", "policy", "reinforce"] = Field(
        "uniform",
        description="target of legal moves not played: uniform, the current policy, or the policy "
        "with the gradient of REINFORCE",
    )
    quiet_fraction: float = Field(
        1.0, ge=0, le=1, description="fraction of quiet positions (drawn, no illegal attempt) used"
    )
    batch_size_end: int = Field(4096, ge=1, le=65536, description="positions per update at the end")
    batch_size_cycles: int = Field(1000, ge=1, description="cycles over which the batch size grows")
    learning_rate_decay: float = Field(
        1.0, gt=0, le=1, description="factor on the learning rate per cycle"
    )
    min_learning_rate: float = Field(
        0.0, ge=0, le=1, description="lower bound of the decaying learning rate"
    )
    average_cycles: int = Field(
        1, ge=1, le=10_000, description="cycles over which the weights that play are averaged"
    )
    masters: str = Field(
        "", description="folder of selfmate import: source of held-out positions and master moves"
    )
    master_fraction: float = Field(
        0.0, ge=0, lt=1, description="fraction of each batch drawn from master games"
    )

    evaluate_every: int = Field(20, ge=1, description="cycles between evaluations")

    @model_validator(mode="after")
    def _groups_are_whole(self) -> Self:
        if self.games % self.games_per_start:
            raise ValueError(
                f"games {self.games} is not a multiple of games_per_start {self.games_per_start}"
            )
        return self

    def target_scores(self) -> "TargetScores":
        return replace(super().target_scores(), attempted=self.attempted_score)

    @property
    def learns_only_rules(self) -> bool:
        """Whether results of games never matter."""
        return self.result_score == self.speed_bonus == 0

    def learns_only_rules_at(self, cycle: int) -> bool:
        return self.learns_only_rules or cycle <= self.rules_cycles

    @property
    def splits(self) -> tuple["Split", ...]:
        """The splits of the master games that the run reads."""
        return ("training", "validation") if self.master_fraction else ("validation",)

    def batch_size_at(self, cycle: int) -> int:
        """Grows geometrically, by the same factor in every cycle."""
        progress = min(1.0, (cycle - 1) / self.batch_size_cycles)
        return round(self.batch_size * math.pow(self.batch_size_end / self.batch_size, progress))

    def masters_in(self, batch_size: int) -> int:
        """Positions of master games in a batch."""
        return max(1, round(self.master_fraction * batch_size))

    def learning_rate_at(self, cycle: int, positions: int) -> float:
        """`positions` is the number of positions learned from so far."""
        warmup = min(1.0, (positions + 1) / self.warmup_positions) if self.warmup_positions else 1.0
        rate = self.learning_rate * self.learning_rate_decay ** (cycle - 1)
        return warmup * max(rate, self.min_learning_rate)


class PretrainConfig(NetConfig):
    """Master games."""

    checkpoint_every: int = Field(
        4, ge=1, description="steps of up to 32 updates between checkpoints"
    )
    data: tuple[FolderName, ...] = Field((), max_length=1, description="folder of selfmate import")
    epochs: int = Field(1, ge=1, le=1000, description="passes over all training positions")
    positions: int = Field(
        0, ge=0, le=10**12, description="training positions in total; 0 follows epochs"
    )
    target: Literal["outcome", "imitation"] = Field(
        "outcome", description="score moves by the result of their game, or imitate them"
    )
    speed_bonus_by: Literal["mate", "end"] = Field(
        "mate", description="games with a speed bonus: those ended by mate, or all"
    )

    validations_per_epoch: int = Field(4, ge=1, le=1000, description="validations per epoch")
    validation_positions: int = Field(
        4096, ge=1, le=20_000, description="held-out positions per kind (opening, check, ...)"
    )

    @property
    def doublings(self) -> int:
        """How often the batch size doubles during the run."""
        return (self.batch_size_end // self.batch_size).bit_length() - 1

    @model_validator(mode="after")
    def _doubles(self) -> Self:
        allowed = [self.batch_size << times for times in range(UPDATES_PER_STEP.bit_length())]
        if self.batch_size_end not in allowed:
            raise ValueError(
                f"batch_size_end {self.batch_size_end} is not batch_size {self.batch_size} doubled "
                f"a few times: it can be {', '.join(map(str, allowed))}"
            )
        return self
