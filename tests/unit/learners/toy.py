"""A learner that learns next to nothing, with settings of every kind: what it draws at random
depends on all that went before, so a run that was not resumed exactly ends elsewhere. It saves its
last steps as shards, and can be made to roll back once."""

import signal
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import Field, model_validator

import selfmate.presets
from selfmate.arena.match import sample_of
from selfmate.learners.config import Config as LearnerConfig
from selfmate.learners.learner import Learner
from selfmate.learners.registry import LEARNERS
from selfmate.rules import Board
from selfmate.runs.run import Arrays, Rehearsal, Run, SampleGame, SavedState

TOY = Learner(
    name="toy",
    module="unit.learners.toy",
    config="unit.learners.toy:Config",
    summary="a random walk",
    unit="episodes",
    plots=("reward", "moves"),
    then="selfmate inspect {run}",
)
STEPS_REMEMBERED = 3


def install() -> None:
    """Puts the toy and its presets beside what ships; for processes of their own."""
    LEARNERS[TOY.name] = TOY
    selfmate.presets.FOLDER = Path(__file__).parent / "presets"


class Config(LearnerConfig):
    episodes: int = Field(default=2_000, ge=1, le=10**9, description="games to learn from")
    batch: int = Field(default=20, ge=1, lt=1_000, description="games a step")
    rate: float = Field(default=0.1, gt=0, le=1, description="how fast it walks")
    decay: float = Field(default=0.5, ge=0, lt=1, description="how fast it forgets")
    noisy: bool = Field(default=True, description="whether it walks at random")
    rule: Literal["walk", "jump"] = Field(default="walk", description="how it moves")
    hidden: tuple[Annotated[int, Field(ge=1)], ...] = Field(
        default=(4, 4), min_length=1, description="sizes of its layers"
    )
    label: str = Field(default="", description="a name for its player")
    break_at: int = Field(
        default=0, ge=0, description="the step whose reward is no number; 0 is none"
    )
    stumble_at: int = Field(default=0, ge=0, description="the step that rolls back; 0 is none")
    signal_at: int = Field(default=0, ge=0, description="the step it interrupts; 0 is none")
    signal: Literal["SIGINT", "SIGTERM", "SIGUSR1"] = Field(
        default="SIGINT", description="by which signal"
    )
    signal_times: int = Field(default=1, ge=1, le=9, description="how often")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.batch > self.episodes:
            raise ValueError(f"batch {self.batch} is more than the {self.episodes} episodes")
        return self


class Walk:
    def __init__(self, config: Config) -> None:
        self.config = config
        self.rng = np.random.Generator(np.random.PCG64(config.seed))
        self.weights = np.zeros(config.hidden[0])
        self.speed = np.zeros_like(self.weights)
        self.shards: dict[str, Arrays] = {}

    def step(self, number: int, attempt: int) -> float:
        noise = self.rng.normal(size=self.weights.shape) if self.config.noisy else 1.0
        self.speed = self.config.decay * self.speed + noise
        past = sum(shard["w"] for shard in self.shards.values()) / 100
        self.weights = self.weights + self.config.rate / attempt * (self.speed - past)
        self.shards[str(number)] = {"w": self.weights}
        self.shards.pop(str(number - STEPS_REMEMBERED), None)
        return float(np.tanh(self.weights).mean())

    def save(self) -> SavedState:
        facts: Any = {"rng": self.rng.bit_generator.state}
        return SavedState(
            weights={"w": self.weights},
            rest={"speed": self.speed},
            facts=facts,
            shards=dict(self.shards),
        )

    def load(self, saved: SavedState) -> None:
        self.load_weights(saved.weights)
        self.speed = np.array(saved.rest["speed"])
        self.shards = dict(saved.shards)
        state: Any = saved.facts["rng"]
        self.rng.bit_generator.state = state

    def load_weights(self, weights: Arrays) -> None:
        if weights["w"].shape != self.weights.shape:
            raise ValueError(f"w has shape {weights['w'].shape}, not {self.weights.shape}")
        self.weights = np.array(weights["w"])


def _opening(reward: float) -> SampleGame:
    """A game that shows where the walk is."""
    board = Board()
    for _ in range(3):
        moves = board.legal_moves()
        board.push(moves[int((1 + reward) / 2 * (len(moves) - 1))])
    return sample_of(board, "toy", "toy")


def train(config: Config, run: Run) -> None:
    state, kept = Walk(config), not isinstance(run, Rehearsal)
    steps = run.steps(
        state,
        total=config.episodes,
        unit=TOY.unit,
        size=config.batch,
        player={"kind": "toy", "label": config.label},
    )
    for step in steps:
        reward = state.step(step.number, step.attempt)
        step.show(_opening(reward))
        if step.number == config.stumble_at and step.attempt == 1 and kept:
            step.roll_back("the toy stumbled")
            continue
        if step.number == config.break_at:
            reward = float("nan")
        for _ in range(config.signal_times if step.number == config.signal_at and kept else 0):
            signal.raise_signal(signal.Signals[config.signal])
        step.record({"reward": reward, "moves": 7 - reward, "loss": 1 / step.number}, score=reward)


def main() -> None:
    """`selfmate`, with the toy among its learners."""
    from selfmate.__main__ import main as run_verb

    install()
    run_verb()
