"""What SARSA and DDQN on the mini-chess have in common: settings, a pupil, an exact report."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, Generic, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from selfmate.endgame.evaluate import evaluate_policy
from selfmate.endgame.game import compile_game
from selfmate.endgame.games import Games
from selfmate.endgame.net import Array, Net, as_inputs, initialise
from selfmate.endgame.optimal import greedy_actions
from selfmate.endgame.optimizers import Adam, Optimizer, Sgd
from selfmate.endgame.player import Hidden, MiniChessPlayer
from selfmate.endgame.sample_game import sample_game
from selfmate.learners.config import LARGEST_SEED, Config
from selfmate.runs.live import copied, prefixed, restore
from selfmate.runs.run import Arrays, Run, Saved, Step
from selfmate.runs.sample_game import SampleGame

EPISODES_PER_STEP = 100
SHOWN_EVERY = 10  # steps, of which there are dozens a second


class MiniChessConfig(Config):
    """Defaults are those of the seed's text; presets called `paper` do what its listings do."""

    seed: int = Field(2022, ge=0, le=LARGEST_SEED, description="same seed, same run")
    checkpoint_every: int = Field(100, ge=1, description="steps of 100 games between checkpoints")
    evaluate_every: int = Field(50, ge=1, description="steps between exact evaluations")
    size: int = Field(4, ge=4, le=8, description="rows and columns of the board")
    draw_reward: float = Field(-1.0, ge=-1, le=0, description="for stalemate; mate is +1")
    episodes: int = Field(100_000, ge=1, le=10**9, description="games to play")
    games_at_once: int = Field(8, ge=1, le=4096, description="games stepped together")
    gamma: float = Field(0.85, ge=0, le=0.999, description="worth of a reward one move later")
    epsilon0: float = Field(0.2, ge=0, le=1, description="share of random moves in the first game")
    beta: float = Field(5e-5, ge=0, le=1, description="game n explores epsilon0 / (1 + beta n)")
    learning_rate: float = Field(0.0035, gt=0, le=1, description="in the first game")
    learning_rate_schedule: Literal["linear", "constant"] = Field(
        "linear", description="falls to zero with the last game, or stays"
    )
    optimizer: Literal["adam", "sgd"] = Field("adam", description="what is done with a gradient")
    adam_epsilon: float = Field(1e-8, gt=0, le=1, description="Adam's guard against zero")
    hidden: Hidden = Field((200, 200), description="neurons of each hidden layer")
    activation: Literal["relu", "sigmoid"] = Field("relu", description="of hidden layers")
    output: Literal["linear", "sigmoid"] = Field(
        "linear", description="of the values; sigmoid cannot express a draw's -1"
    )
    initial_weights: Literal["xavier", "listing"] = Field(
        "xavier", description="uniform within Xavier's bound, or normal with it as deviation"
    )


C = TypeVar("C", bound=MiniChessConfig)


class Part(Protocol):
    """Something of a learner that changes as it learns."""

    def arrays(self) -> Arrays:
        """All that changes, to be saved and restored in place."""


class Pupil(Generic[C]):
    """A net that plays and is taught: what is the same in SARSA and DDQN. A `State` of a run."""

    def __init__(self, config: C) -> None:
        self.config = config
        self.game = compile_game(config.size)
        self.dice = np.random.default_rng(config.seed)
        self.inputs = as_inputs(self.game.vectors())
        self.forbidden = np.where(self.game.allowed, 0, -np.inf).astype(np.float32)
        self._player = MiniChessPlayer(
            size=config.size,
            hidden=config.hidden,
            activation=config.activation,
            output=config.output,
        )
        self.net = self._player.make_net(self.game)
        initialise(self.net, self.dice, config.initial_weights)
        self.optimizer = _make_optimizer(config, self.net)
        self.games = Games(
            self.game, config.games_at_once, seed=config.seed, draw_reward=config.draw_reward
        )
        self.parts: dict[str, Part] = {"optimizer": self.optimizer, "games": self.games}
        self._one_hot = np.eye(self.game.actions, dtype=np.float32)
        self._loss, self._lessons = 0.0, 0

    def steps(self, run: Run) -> Iterator[Step]:
        return run.steps(
            self,
            total=self.config.episodes,
            unit="episodes",
            size=EPISODES_PER_STEP,
            player=self._player.model_dump(mode="json"),
        )

    def epsilons(self) -> Array:
        """How likely each game is to explore."""
        return self.epsilons_of(self.games.numbers)

    def epsilons_of(self, numbers: NDArray[np.int64]) -> Array:
        return self.config.epsilon0 / (1 + self.config.beta * numbers)

    def levels(self, states: NDArray[np.intp]) -> list[Array]:
        return self.net.forward(self.inputs.take(states, axis=0))

    def lesson(self, levels: Sequence[Array], actions: NDArray[np.intp], errors: Array) -> Array:
        """The step that lessens the errors of the taken actions' values: down the gradient of
        half their mean square, other outputs being left alone."""
        self.note(errors)
        shares = errors / errors.dtype.type(len(errors))
        of_outputs = self._one_hot.take(actions, axis=0) * shares[:, None]
        return self.step_down(self.net.backward(levels, of_outputs))

    def step_down(self, gradient: Array) -> Array:
        return self.optimizer.step(gradient, self.learning_rate())

    def note(self, errors: Array) -> None:
        """For the report."""
        self._loss += float(errors @ errors) / len(errors)
        self._lessons += 1

    def learning_rate(self) -> float:
        config = self.config
        if config.learning_rate_schedule == "constant":
            return config.learning_rate
        return config.learning_rate * max(0.0, 1 - float(self.games.finished) / config.episodes)

    def report(self, step: Step) -> None:
        """What the games and lessons of a step came to, and now and then the exact truth."""
        figures = self.games.tally.take()
        figures["epsilon"] = float(self.epsilons().mean())
        figures["loss"] = self._loss / max(self._lessons, 1)
        self._loss, self._lessons = 0.0, 0
        score = None
        if step.number % self.config.evaluate_every == 0 or step.stop == self.config.episodes:
            exact = self.evaluate()
            figures |= exact
            score = -exact["exact_regret"]
        if step.number % SHOWN_EVERY == 0:
            step.show(self.sample(step.number))
        step.record(figures, score)

    def sample(self, number: int) -> SampleGame:
        """A game without exploring. Its dice are its own, so that learning does not notice it."""
        dice = np.random.default_rng([self.config.seed, number])
        return sample_game(self.game, self._best_action, dice, "learner")

    def _best_action(self, state: int) -> int:
        return int((self.levels(np.array([state]))[-1][0] + self.forbidden[state]).argmax())

    def evaluate(self) -> dict[str, float]:
        """The greedy policy from every start; moves are left out where some game never ends."""
        actions = greedy_actions(self.game, self.net.values(self.inputs))
        found = evaluate_policy(
            self.game, actions, gamma=self.config.gamma, draw_reward=self.config.draw_reward
        )
        return {
            f"exact_{name}": value for name, value in asdict(found).items() if value is not None
        }

    def save(self) -> Saved:
        rest = prefixed(**{name: part.arrays() for name, part in self.parts.items()})
        facts: dict[str, Any] = {"dice": self.dice.bit_generator.state}
        return Saved(weights=copied(self.net.arrays()), rest=copied(rest), facts=facts)

    def load(self, saved: Saved) -> None:
        self.load_weights(saved.weights)
        rest = prefixed(**{name: part.arrays() for name, part in self.parts.items()})
        restore(rest, saved.rest)
        state: Any = saved.facts["dice"]
        self.dice.bit_generator.state = state
        self.games.refresh()

    def load_weights(self, weights: Arrays) -> None:
        restore(self.net.arrays(), weights)


def _make_optimizer(config: MiniChessConfig, net: Net) -> Optimizer:
    return Adam(net.parameters, config.adam_epsilon) if config.optimizer == "adam" else Sgd()
