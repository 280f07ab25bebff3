"""What SARSA and Double DQN on the mini-chess share: settings, an agent, its metrics."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, Generic, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from selfmate.learners.config import LARGEST_SEED, Config
from selfmate.learners.targets import bootstrapped, of_taken
from selfmate.minichess.evaluation import evaluate_policy
from selfmate.minichess.game import compile_game
from selfmate.minichess.net import Adam, Array, Net, Optimizer, Sgd, as_inputs, initialise
from selfmate.minichess.player import Hidden, MiniChessPlayer, sample_game
from selfmate.minichess.simulation import ParallelGames, Transitions
from selfmate.minichess.solver import greedy_actions
from selfmate.runs import Arrays, Run, SampleGame, SavedState, Step, copied, restore, with_prefix

EPISODES_PER_STEP = 100
SHOWN_EVERY = 10  # steps, of which there are dozens a second


class MiniChessConfig(Config):
    """Defaults follow the text of the reference design; the presets `paper` follow its listings."""

    seed: int = Field(2022, ge=0, le=LARGEST_SEED, description="random seed of the run")
    checkpoint_every: int = Field(100, ge=1, description="steps of 100 games between checkpoints")
    evaluate_every: int = Field(50, ge=1, description="steps of 100 games between evaluations")
    size: int = Field(4, ge=4, le=8, description="rows and columns of the board")
    draw_reward: float = Field(-1.0, ge=-1, le=0, description="reward of a stalemate; a mate is 1")
    episodes: int = Field(100_000, ge=1, le=10**9, description="training games")
    parallel_games: int = Field(8, ge=1, le=4096, description="games played side by side")
    gamma: float = Field(0.85, ge=0, le=0.999, description="discount factor per move")
    epsilon0: float = Field(0.2, ge=0, le=1, description="exploration rate in the first game")
    beta: float = Field(
        5e-5, ge=0, le=1, description="decay of exploration: game n uses epsilon0 / (1 + beta n)"
    )
    learning_rate: float = Field(0.0035, gt=0, le=1, description="learning rate in the first game")
    learning_rate_schedule: Literal["linear", "constant"] = Field(
        "linear", description="learning rate falls to zero with the last game, or stays constant"
    )
    optimizer: Literal["adam", "sgd"] = Field("adam", description="Adam, or plain gradient descent")
    adam_epsilon: float = Field(1e-8, gt=0, le=1, description="epsilon in Adam's denominator")
    hidden: Hidden = Field((200, 200), description="neurons in each hidden layer")
    activation: Literal["relu", "sigmoid"] = Field(
        "relu", description="activation of the hidden layers"
    )
    output: Literal["linear", "sigmoid"] = Field(
        "linear", description="activation of the action values; sigmoid cannot reach a draw's -1"
    )
    weight_init: Literal["xavier", "listing"] = Field(
        "xavier", description="uniform within Xavier's bound, or normal with it as deviation"
    )


C = TypeVar("C", bound=MiniChessConfig)


def td_errors(values: Array, transitions: Transitions, next_values: Array, gamma: float) -> Array:
    """[B] Q(S, A) - (R + gamma V'), for action values [B, A] and values of the next states [B].

    The learners differ in V': SARSA uses Q(S', A'), Double DQN Q'(S', argmax Q(S', .))."""
    targets = bootstrapped(transitions.rewards, transitions.continues, next_values, gamma)
    errors: Array = of_taken(values, transitions.actions) - targets
    return errors


class Stateful(Protocol):
    """A part of a learner that changes during training."""

    def arrays(self) -> Arrays:
        """The state to save and to restore in place."""


class Agent(ABC, Generic[C]):
    """A net that plays and learns: all that SARSA and Double DQN share. A `State` of a run."""

    def __init__(self, config: C) -> None:
        self.config = config
        self.game = compile_game(config.size)
        self.rng = np.random.default_rng(config.seed)
        self.inputs = as_inputs(self.game.vectors())
        self.forbidden = np.where(self.game.allowed, 0, -np.inf).astype(np.float32)
        self._player = MiniChessPlayer(
            size=config.size,
            hidden=config.hidden,
            activation=config.activation,
            output=config.output,
        )
        self.net = self._player.make_net(self.game)
        initialise(self.net, self.rng, config.weight_init)
        self.optimizer = _make_optimizer(config, self.net)
        self.games = ParallelGames(
            self.game, config.parallel_games, seed=config.seed, draw_reward=config.draw_reward
        )
        self.parts: dict[str, Stateful] = {"optimizer": self.optimizer, "games": self.games}
        self._one_hot = np.eye(self.game.actions, dtype=np.float32)
        self._loss_sum, self._updates = 0.0, 0

    def steps(self, run: Run) -> Iterator[Step]:
        return run.steps(
            self,
            total=self.config.episodes,
            unit="episodes",
            size=EPISODES_PER_STEP,
            player=self._player.model_dump(mode="json"),
        )

    def epsilons(self) -> Array:
        """[games] The exploration rate of each running game."""
        return self.epsilons_of(self.games.numbers)

    def epsilons_of(self, numbers: NDArray[np.int64]) -> Array:
        return self.config.epsilon0 / (1 + self.config.beta * numbers)

    def learning_rate(self) -> float:
        config = self.config
        if config.learning_rate_schedule == "constant":
            return config.learning_rate
        return config.learning_rate * max(0.0, 1 - float(self.games.finished) / config.episodes)

    def activations(self, states: NDArray[np.intp]) -> list[Array]:
        """Of all layers; the last are the action values [states, A]."""
        return self.net.forward(self.inputs.take(states, axis=0))

    def update(
        self, activations: Sequence[Array], actions: NDArray[np.intp], errors: Array
    ) -> None:
        """One step down the gradient of half the mean squared error of the taken actions."""
        self.count_loss(errors)
        mean_errors = errors / errors.dtype.type(len(errors))
        output_errors = self._one_hot.take(actions, axis=0) * mean_errors[:, None]
        gradient = self.net.backward(activations, output_errors)
        self.net.parameters += self.optimizer_step(gradient)

    def optimizer_step(self, gradient: Array) -> Array:
        """What to add to the parameters."""
        return self.optimizer.step(gradient, self.learning_rate())

    def count_loss(self, errors: Array) -> None:
        """Adds an update's mean squared error to the metrics of the step."""
        self._loss_sum += float(errors @ errors) / len(errors)
        self._updates += 1

    def play_step(self, step: Step) -> None:
        """Plays and learns until the games of a step have ended."""
        tick = step.part("playing", step.stop - step.start, "games")
        while self.games.finished < step.stop:
            self.play_and_learn()
            tick(int(self.games.finished) - step.start)

    @abstractmethod
    def play_and_learn(self) -> None:
        """A move in every game, and an update."""

    def report(self, step: Step) -> None:
        """Records the metrics of a step, some of them only every `evaluate_every` steps."""
        metrics = self.games.stats.take()
        metrics["epsilon"] = float(self.epsilons().mean())
        if self._updates:  # the first moves only fill the replay buffer
            metrics["loss"] = self._loss_sum / self._updates
        self._loss_sum, self._updates = 0.0, 0
        score = None
        if step.number % self.config.evaluate_every == 0 or step.stop == self.config.episodes:
            exact = self.evaluate()
            metrics |= exact
            score = -exact["exact_regret"]
        if step.number % SHOWN_EVERY == 0:
            step.show(self.sample_game(step.number))
        step.record(metrics, score)

    def evaluate(self) -> dict[str, float]:
        """Exact metrics of the greedy policy; `exact_mean_moves` is missing if some game never
        ends."""
        actions = greedy_actions(self.game, self.net.values(self.inputs))
        found = evaluate_policy(
            self.game, actions, gamma=self.config.gamma, draw_reward=self.config.draw_reward
        )
        return {
            f"exact_{name}": value for name, value in asdict(found).items() if value is not None
        }

    def sample_game(self, number: int) -> SampleGame:
        """A greedy game. It has a generator of its own, so that it does not affect learning."""
        rng = np.random.default_rng([self.config.seed, number])
        return sample_game(self.game, self._greedy_action, rng, "learner")

    def _greedy_action(self, state: int) -> int:
        values = self.activations(np.array([state]))[-1][0]
        return int((values + self.forbidden[state]).argmax())

    def save(self) -> SavedState:
        facts: dict[str, Any] = {"rng": self.rng.bit_generator.state}
        return SavedState(
            weights=copied(self.net.arrays()), rest=copied(self._state_arrays()), facts=facts
        )

    def load(self, saved: SavedState) -> None:
        self.load_weights(saved.weights)
        restore(self._state_arrays(), saved.rest)
        state: Any = saved.facts["rng"]
        self.rng.bit_generator.state = state
        self.games.refresh()

    def load_weights(self, weights: Arrays) -> None:
        restore(self.net.arrays(), weights)

    def _state_arrays(self) -> Arrays:
        return with_prefix(**{name: part.arrays() for name, part in self.parts.items()})


def _make_optimizer(config: MiniChessConfig, net: Net) -> Optimizer:
    return Adam(net.parameters, config.adam_epsilon) if config.optimizer == "adam" else Sgd()
