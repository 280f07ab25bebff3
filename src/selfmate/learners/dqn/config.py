"""The settings of the chess DQN and of its pretraining by imitation."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

import selfmate.learners.config
from selfmate.nets.config import QNetSettings

OPPONENTS = ("self", "best", "past", "teacher_1", "teacher_2", "random")
FileName = Annotated[str, Field(min_length=1)]


class Config(QNetSettings, selfmate.learners.config.Config):
    checkpoint_every: int = Field(1, ge=1, description="cycles between checkpoints")
    cycles: int = Field(
        500, ge=1, le=10**9, description="cycles of self-play, learning and evaluation"
    )

    # Self-play.
    threads: int = Field(
        1, ge=1, le=256, description="threads of self-play; the games do not depend on them"
    )
    games: int = Field(128, ge=1, le=65536, description="games per cycle, all played in parallel")
    max_plies: int = Field(
        100, ge=1, le=10_000, description="ply limit after the start; longer games are truncated"
    )
    openings: bool = Field(True, description="start games from the shipped openings")
    endgame_fraction: float = Field(
        0.1, ge=0, le=1, description="fraction of games that start from a won endgame"
    )
    epsilon: float = Field(0.1, ge=0, le=1, description="initial exploration rate")
    epsilon_end: float = Field(0.03, ge=0, le=1, description="final exploration rate")
    epsilon_cycles: int = Field(
        100, ge=1, description="cycles over which the exploration rate is annealed"
    )
    warmup_cycles: int = Field(
        0, ge=0, description="cycles at the initial exploration rate before annealing"
    )
    vs_self: float = Field(0.6, ge=0, le=1, description="weight of games against itself")
    vs_best: float = Field(0.1, ge=0, le=1, description="weight of games against the best version")
    vs_past: float = Field(
        0.1, ge=0, le=1, description="weight of games against earlier best versions"
    )
    vs_teacher_1: float = Field(
        0.1, ge=0, le=1, description="weight of games against teacher:depth=1"
    )
    vs_teacher_2: float = Field(
        0.05, ge=0, le=1, description="weight of games against teacher:depth=2"
    )
    vs_random: float = Field(
        0.05, ge=0, le=1, description="weight of games against a random player"
    )

    # Replay.
    replay_size: int = Field(
        300_000, ge=100, le=10**7, description="capacity of the main replay buffer, in positions"
    )
    high_quality_size: int = Field(
        50_000, ge=1, le=10**7, description="capacity of the high-quality buffer, in positions"
    )
    min_quality: float = Field(
        0.9,
        gt=0,
        le=1,
        description="lowest quality there: gamma to the plies left before mate or stalemate",
    )
    recent_size: int = Field(
        10_000, ge=1, le=10**7, description="capacity of the recent buffer, in transitions"
    )
    high_quality_fraction: float = Field(
        0.1, ge=0, le=1, description="fraction of each batch drawn from the high-quality buffer"
    )
    recent_fraction: float = Field(
        0.3, ge=0, le=1, description="fraction of each batch drawn from the recent buffer"
    )
    prioritized: bool = Field(False, description="sample the replay buffer by TD error")
    priority_alpha: float = Field(
        0.6, ge=0, le=1, description="priority exponent (0 samples uniformly)"
    )
    priority_beta: float = Field(
        0.4, ge=0, le=1, description="importance-sampling exponent (1 corrects the bias fully)"
    )

    # Learning.
    updates: int = Field(200, ge=1, le=10**6, description="gradient updates per cycle")
    batch_size: int = Field(256, ge=1, le=65536, description="transitions per update")
    learning_starts: int = Field(
        2_000, ge=1, description="transitions in the replay buffer before the first update"
    )
    learning_rate: float = Field(2e-4, gt=0, le=1, description="learning rate of Adam")
    max_grad_norm: float = Field(10.0, gt=0, description="maximum gradient norm (global clipping)")
    huber_delta: float = Field(
        1.0, gt=0, description="TD error beyond which the Huber loss is linear"
    )
    target_update_every: int = Field(
        100, ge=1, description="updates between copies of the net to the target net"
    )
    double: bool = Field(
        True, description="Double DQN: the online net selects, the target net evaluates"
    )
    backup: Literal["negamax", "two_ply"] = Field(
        "negamax", description="bootstrap from the opponent's position or from the own next one"
    )
    n_step: int = Field(1, ge=1, le=100, description="plies before bootstrapping (negamax)")
    gamma: float = Field(0.99, ge=0, le=1, description="discount per ply")

    # The teacher's help, annealed over `teacher_anneal_cycles`.
    teacher_depth: int = Field(
        2, ge=0, le=4, description="search depth of the teacher's advice, in plies (0: no advice)"
    )
    teacher_anneal_cycles: int = Field(
        500, ge=1, description="cycles over which the teacher's weights are annealed"
    )
    shaping_weight: float = Field(
        0.0, ge=0, le=1, description="initial weight of potential-based shaping by the teacher"
    )
    shaping_weight_end: float = Field(
        0.0, ge=0, le=1, description="final weight of potential-based shaping"
    )
    imitation: Literal["cross_entropy", "margin"] = Field(
        "cross_entropy", description="loss that prefers the teacher's best move"
    )
    imitation_weight: float = Field(
        1.0, ge=0, le=1000, description="initial weight of the imitation loss"
    )
    imitation_weight_end: float = Field(
        0.2, ge=0, le=1000, description="final weight of the imitation loss"
    )
    temperature: float = Field(
        0.1, gt=0, le=10, description="temperature T of the policy softmax(Q / T)"
    )
    margin: float = Field(
        0.1, ge=0, le=2, description="margin of the teacher's move in Q (imitation = margin)"
    )
    imitation_bonus: float = Field(
        0.0,
        ge=0,
        le=1,
        description="initial reward for a move among the teacher's best, annealed to 0 "
        "(backup = two_ply)",
    )
    imitation_bonus_top_k: int = Field(
        1, ge=1, le=200, description="how many of the teacher's best moves earn the bonus"
    )
    truncation_penalty: float = Field(
        0.0,
        ge=0,
        le=1,
        description="penalty of each side's last move before truncation (backup = two_ply)",
    )

    # Evaluation.
    evaluate_every: int = Field(1, ge=1, description="cycles between evaluations")
    evaluation_games: int = Field(
        40, ge=2, le=1000, multiple_of=2, description="evaluation games per opponent"
    )
    promotion: Literal["interval", "half"] = Field(
        "interval",
        description="gating rule: 95 % interval above one half less a margin, or half the points",
    )
    promotion_every: int = Field(
        5, ge=1, description="cycles between gating matches against the best version"
    )
    promotion_games: int = Field(
        200, ge=2, le=1000, multiple_of=2, description="games per gating match"
    )
    promotion_margin: float = Field(
        0.02, ge=0, lt=0.5, description="margin of the score below one half (promotion = interval)"
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not sum(getattr(self, f"vs_{name}") for name in OPPONENTS):
            raise ValueError("one of the weights vs_... must be above 0")
        if self.high_quality_fraction + self.recent_fraction > 1:
            raise ValueError("high_quality_fraction and recent_fraction must sum to at most 1")
        if self.backup == "negamax" and (self.imitation_bonus or self.truncation_penalty):
            # Negamax is zero-sum: what one side gains the other would have to lose.
            raise ValueError("imitation_bonus and truncation_penalty need backup = two_ply")
        if self.backup == "two_ply" and self.n_step > 1:
            raise ValueError("backup = two_ply needs n_step = 1")
        is_shaped = self.shaping_weight or self.shaping_weight_end
        if not self.teacher_depth and (is_shaped or self.imitation_bonus):
            raise ValueError(
                "shaping_weight and imitation_bonus need a teacher_depth of at least 1"
            )
        self._check_replay()
        return self

    def _check_replay(self) -> None:
        positions = self.games * (self.max_plies + 1)
        if positions > self.replay_size:
            raise ValueError(
                f"replay_size must hold the games of a cycle, games * (max_plies + 1) = "
                f"{positions} positions, not {self.replay_size}"
            )
        if self.learning_starts > self.replay_size:
            raise ValueError(
                "learning_starts must be at most replay_size, or learning never starts"
            )

    def epsilon_in(self, cycle: int) -> float:
        """The exploration rate, linear after the warm-up; cycles count from 1."""
        return _annealed(
            self.epsilon, self.epsilon_end, cycle - 1 - self.warmup_cycles, self.epsilon_cycles
        )

    def teacher_weight(self, start: float, end: float, cycle: int) -> float:
        """A weight of the teacher's help in a cycle."""
        return _annealed(start, end, cycle - 1, self.teacher_anneal_cycles)


def _annealed(start: float, end: float, passed: int, total: int) -> float:
    return start + (end - start) * min(max(passed / total, 0.0), 1.0)


class PretrainConfig(
    QNetSettings, selfmate.learners.config.LabelSettings, selfmate.learners.config.Config
):
    checkpoint_every: int = Field(
        8, ge=1, description="steps between checkpoints, of up to 64 batches each"
    )
    data: tuple[FileName, ...] = Field(
        (),
        description="files written by selfmate collect, or in its format; none: the teacher labels "
        "positions while the net learns",
    )

    positions: int = Field(
        4_000_000, ge=1, le=10**10, description="new positions to learn from (without data)"
    )

    # With files.
    validation_fraction: float = Field(
        0.1, gt=0, lt=1, description="fraction of games held out for validation"
    )
    epochs: int = Field(3, ge=1, le=1000, description="passes over the training positions")
    batch_size: int = Field(1024, ge=1, le=65536, description="positions per update")
    learning_rate: float = Field(
        2e-3, gt=0, le=1, description="initial learning rate, annealed to zero by a cosine"
    )
    max_grad_norm: float = Field(10.0, gt=0, description="maximum gradient norm (global clipping)")
    temperature: float = Field(
        0.1, gt=0, le=10, description="temperature T of the policy softmax(Q / T)"
    )
    target_sharpness: float = Field(
        5.0, gt=0, le=100, description="exponent applied to the teacher's probabilities"
    )
    label_smoothing: float = Field(
        0.05, ge=0, lt=1, description="probability mass spread uniformly over the legal moves"
    )
    value_weight: float = Field(1.0, ge=0, le=1000, description="weight of the value loss")
    evaluation_games: int = Field(
        40, ge=2, le=1000, multiple_of=2, description="evaluation games per opponent"
    )
