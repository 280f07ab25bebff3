"""The settings of AlphaZero."""

from typing import Literal, Self

from pydantic import Field, model_validator

from selfmate.learners.alphazero_net import NetConfig


class Config(NetConfig):
    checkpoint_every: int = Field(1, ge=1, description="cycles between checkpoints")
    cycles: int = Field(100, ge=1, le=10**9, description="of playing, learning and a match")

    # Playing.
    games: int = Field(100, ge=2, le=65536, description="of a cycle")
    at_once: int = Field(32, ge=1, le=4096, description="games that a thread plays side by side")
    simulations: int = Field(100, ge=1, le=10**6, description="a move")
    max_plies: int = Field(300, ge=1, le=10_000, description="longer games are cut, as draws")
    openings: bool = Field(True, description="games begin with one of the shipped openings")
    endgames: float = Field(0.0, ge=0, le=1, description="share that begins with a won endgame")
    temperature: float = Field(1.0, ge=0, le=10, description="of the choice of moves, at first")
    temperature_end: float = Field(0.1, ge=0, le=10, description="the same, later")
    temperature_plies: int = Field(60, ge=0, le=10_000, description="until then")
    resign: float = Field(
        0.95, gt=0, le=1, description="who is worth less than this below zero gives up; 1: nobody"
    )
    resign_checked: float = Field(
        0.1, ge=0, le=1, description="share of games in which nobody may, to see who was wrong"
    )

    # Searching.
    c_puct: float = Field(1.5, ge=0, le=100, description="how much priors count")
    fpu_reduction: float = Field(0.25, ge=0, le=10, description="first-play urgency, see docs")
    noise_alpha: float = Field(0.3, ge=0.001, le=100, description="Dirichlet noise at the root")
    noise_share: float = Field(0.25, ge=0, le=1, description="of that noise in the root's priors")
    gumbel_moves: int = Field(
        0, ge=0, le=256, description="of the root, for sequential halving; 0: Dirichlet noise"
    )
    gumbel_visits: float = Field(50.0, ge=0, le=10**6, description="c_visit of the paper")
    gumbel_scale: float = Field(1.0, ge=0, le=1000, description="c_scale of the paper")
    widening: float = Field(
        0.0, ge=0, le=1000, description="progressive widening; 0: none; not with Gumbel"
    )
    widening_power: float = Field(0.5, ge=0, le=1, description="of the visits")
    exact_key: bool = Field(False, description="evaluations are shared only if all planes agree")
    cached_evaluations: int = Field(50_000, ge=0, le=10**8, description="kept by a thread")
    most_nodes: int = Field(1 << 20, ge=2, le=1 << 30, description="of a tree")

    # Learning.
    replay: int = Field(500_000, ge=1, le=10**9, description="positions to learn from")
    recent: float = Field(0.8, ge=0, le=1, description="share drawn from the newest quarter")
    epochs: float = Field(3.0, gt=0, le=100, description="times the replay's size that is drawn")
    most_updates: int = Field(0, ge=0, le=10**9, description="of a cycle; 0: as epochs say")
    batch: int = Field(640, ge=1, le=65536, description="positions an update learns from")
    learning_rate: float = Field(0.01, gt=0, le=1, description="of SGD, in the first cycle")
    learning_rate_decay: float = Field(0.95, gt=0, le=1, description="factor a cycle")
    least_learning_rate: float = Field(1e-5, ge=0, le=1, description="it does not fall below")
    momentum: float = Field(0.9, ge=0, lt=1, description="of SGD")
    weight_decay: float = Field(1e-4, ge=0, le=1, description="of SGD")
    most_norm: float = Field(10.0, gt=0, description="gradients longer than this are shortened")
    value_weight: float = Field(1.0, ge=0, le=1000, description="of the value's loss")
    search_share: float = Field(
        0.0, ge=0, le=1, description="of a value's target that the search says, not the game's end"
    )
    masters: str = Field("", description="a folder of selfmate import, against forgetting")
    master_share: float = Field(0.25, ge=0, lt=1, description="of a batch, if there are masters")

    # The match with the best, and the ladder.
    promotion: Literal["sprt", "points", "always"] = Field(
        "sprt", description="by a sequential test, by more than 55 % of points, or without a match"
    )
    promotion_every: int = Field(1, ge=1, description="cycles between matches with the best")
    promotion_games: int = Field(200, ge=2, le=1000, multiple_of=2, description="at most")
    promotion_simulations: int = Field(100, ge=0, le=10**6, description="a move; 0: policy alone")
    elo0: float = Field(0.0, ge=-500, le=500, description="of the sequential test")
    elo1: float = Field(20.0, ge=-500, le=500, description="of the sequential test")
    evaluate_every: int = Field(5, ge=1, description="cycles between matches with the ladder")
    evaluation_games: int = Field(40, ge=2, le=1000, multiple_of=2, description="per opponent")
    roll_back: float = Field(
        0.15, gt=0, le=1, description="fall of the ladder score that brings older weights back"
    )

    @model_validator(mode="after")
    def _tests_something(self) -> Self:
        if self.elo0 >= self.elo1:
            raise ValueError(f"elo0 {self.elo0:g} must be below elo1 {self.elo1:g}")
        if self.widening and self.gumbel_moves:
            raise ValueError("widening and gumbel_moves cannot be used together: set one to 0")
        return self

    def learning_rate_in(self, cycle: int) -> float:
        """Cycles count from 1."""
        fallen = self.learning_rate * self.learning_rate_decay ** (cycle - 1)
        return max(self.least_learning_rate, fallen)
