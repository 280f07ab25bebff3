"""The settings of the chess DQN."""

from typing import Literal, Self

from pydantic import Field, model_validator

import selfmate.learners.config
from selfmate.players.layers import Hidden

OPPONENTS = ("self", "best", "past", "teacher_1", "teacher_2", "random")


class Config(selfmate.learners.config.Config):
    checkpoint_every: int = Field(1, ge=1, description="cycles between checkpoints")
    cycles: int = Field(500, ge=1, le=10**9, description="of playing, learning and evaluating")

    # Playing.
    games: int = Field(128, ge=1, le=65536, description="games a cycle, all played at once")
    max_plies: int = Field(100, ge=1, le=10_000, description="longer games are cut")
    openings: bool = Field(True, description="games begin with one of the shipped openings")
    endgames: float = Field(0.1, ge=0, le=1, description="share that begins with a won endgame")
    epsilon: float = Field(0.1, ge=0, le=1, description="share of random moves at first")
    epsilon_end: float = Field(0.03, ge=0, le=1, description="share of random moves at last")
    epsilon_cycles: int = Field(100, ge=1, description="cycles that it takes to get there")
    warmup_cycles: int = Field(0, ge=0, description="cycles before that, at the first share")
    vs_self: float = Field(0.6, ge=0, le=1, description="weight of games with itself")
    vs_best: float = Field(0.1, ge=0, le=1, description="weight of games with the best so far")
    vs_past: float = Field(0.1, ge=0, le=1, description="weight of games with earlier bests")
    vs_teacher_1: float = Field(0.1, ge=0, le=1, description="of games with teacher:depth=1")
    vs_teacher_2: float = Field(0.05, ge=0, le=1, description="of games with teacher:depth=2")
    vs_random: float = Field(0.05, ge=0, le=1, description="of games with a random mover")

    # What is remembered.
    replay: int = Field(300_000, ge=100, le=10**7, description="positions that are remembered")
    share_high: float = Field(
        0.1, ge=0, le=1, description="of a batch, from near mates and stalemates"
    )
    share_recent: float = Field(0.3, ge=0, le=1, description="of a batch, from the newest cycle")
    prioritized: bool = Field(False, description="where errors were large, more often")
    priority_alpha: float = Field(0.6, ge=0, le=1, description="how much more often")
    priority_beta: float = Field(0.4, ge=0, le=1, description="how far weights make up for that")

    # Learning.
    updates: int = Field(200, ge=1, le=10**6, description="updates a cycle")
    batch: int = Field(256, ge=1, le=65536, description="experiences an update learns from")
    learning_starts: int = Field(2_000, ge=1, description="experiences before the first update")
    learning_rate: float = Field(2e-4, gt=0, le=1, description="of Adam")
    most_norm: float = Field(10.0, gt=0, description="gradients longer than this are shortened")
    huber_delta: float = Field(1.0, gt=0, description="errors beyond this count linearly")
    target_sync: int = Field(100, ge=1, description="updates until the target net follows")
    double: bool = Field(True, description="the online net chooses, the target net values")
    backup: Literal["negamax", "two_ply"] = Field(
        "negamax", description="from the next position, or from that after the reply"
    )
    steps: int = Field(1, ge=1, le=100, description="plies until a value is taken over")
    gamma: float = Field(0.99, ge=0, le=1, description="worth of a reward one ply later")
    hidden: Hidden = Field((512, 256, 128), description="neurons of each hidden layer")
    dueling: bool = Field(False, description="values of positions and of moves apart")

    # The teacher's help, which ends with `help_cycles`.
    advice_depth: int = Field(2, ge=0, le=4, description="plies the teacher looks ahead; 0: none")
    help_cycles: int = Field(500, ge=1, description="cycles until the following are at their end")
    shaping: float = Field(0.0, ge=0, le=1, description="share of the teacher's value in rewards")
    shaping_end: float = Field(0.0, ge=0, le=1, description="at last")
    imitation: Literal["cross_entropy", "margin"] = Field(
        "cross_entropy", description="how the teacher's best move is preferred"
    )
    imitation_weight: float = Field(1.0, ge=0, le=1000, description="weight of that")
    imitation_weight_end: float = Field(0.2, ge=0, le=1000, description="at last")
    temperature: float = Field(0.1, gt=0, le=10, description="T of the policy softmax(Q / T)")
    margin: float = Field(0.1, ge=0, le=2, description="how far the best move is to be ahead")
    imitation_bonus: float = Field(
        0.0, ge=0, le=1, description="reward for the teacher's move; two_ply alone"
    )
    cut_penalty: float = Field(
        0.0, ge=0, le=1, description="for each side's last move before a cut; two_ply alone"
    )

    # Evaluation.
    evaluate_every: int = Field(1, ge=1, description="cycles between evaluations")
    evaluation_games: int = Field(40, ge=2, le=1000, multiple_of=2, description="per opponent")
    promotion: Literal["interval", "seed"] = Field(
        "interval", description="surely not much worse, or at least half the points"
    )
    promotion_every: int = Field(5, ge=1, description="cycles between matches with the best")
    promotion_games: int = Field(200, ge=2, le=1000, multiple_of=2, description="of such a match")
    promotion_margin: float = Field(0.02, ge=0, lt=0.5, description="below half, for interval")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not sum(getattr(self, f"vs_{name}") for name in OPPONENTS):
            raise ValueError("one of the weights vs_... must be above 0")
        if self.share_high + self.share_recent > 1:
            raise ValueError("share_high and share_recent are at most 1 together")
        if self.backup == "negamax" and (self.imitation_bonus or self.cut_penalty):
            # What one side gets the other would have to lose: here both would seem to gain.
            raise ValueError("imitation_bonus and cut_penalty need backup = two_ply")
        if self.backup == "two_ply" and self.steps > 1:
            raise ValueError("backup = two_ply needs steps = 1")
        if not self.advice_depth and (self.shaping or self.shaping_end or self.imitation_bonus):
            raise ValueError("shaping and imitation_bonus need an advice_depth of 1 or more")
        if self.games * (self.max_plies + 1) > self.replay:
            raise ValueError(
                f"replay must hold the games of a cycle, games * (max_plies + 1) = "
                f"{self.games * (self.max_plies + 1)} positions, not {self.replay}"
            )
        if self.learning_starts > self.replay:
            raise ValueError("learning_starts is at most replay, or learning never does")
        return self

    def epsilon_in(self, cycle: int) -> float:
        """Falls evenly after the warm-up; cycles count from 1."""
        return _between(
            self.epsilon, self.epsilon_end, cycle - 1 - self.warmup_cycles, self.epsilon_cycles
        )

    def helped(self, start: float, end: float, cycle: int) -> float:
        return _between(start, end, cycle - 1, self.help_cycles)


def _between(start: float, end: float, passed: int, total: int) -> float:
    return start + (end - start) * min(max(passed / total, 0.0), 1.0)
