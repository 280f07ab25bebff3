"""Double DQN on the mini-chess (van Hasselt, Guez and Silver 2016).

Off-policy: Q(S, A) of transitions from a replay buffer moves towards R + gamma Q'(S', A'), where
the online net chooses A' = argmax Q(S', .) and the target net Q' values it. `sarsa.py` is the
on-policy sibling.
"""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from selfmate.learners.targets import double_q
from selfmate.minichess.learner import Agent, MiniChessConfig, td_errors
from selfmate.minichess.net import Array, Net, OneSample
from selfmate.minichess.simulation import Transitions
from selfmate.runs import Arrays, Run, SavedState


class Config(MiniChessConfig):
    """The quirks are those of the reference design's listing 3."""

    parallel_games: int = Field(16, ge=1, le=4096, description="games played side by side")
    replay_size: int = Field(10_000, ge=1, le=10**7, description="transitions in the replay buffer")
    batch_size: int = Field(32, ge=1, le=10**5, description="transitions per update")
    learning_starts: int = Field(
        100, ge=1, description="transitions stored before the first update"
    )
    target_update_every: int = Field(
        200, ge=1, description="updates or games between copies to the target net"
    )
    target_update_unit: Literal["updates", "games"] = Field(
        "updates", description="unit of target_update_every"
    )
    vectorized: bool = Field(True, description="one update per batch, or one per sample")
    quirk_max_of_all: bool = Field(
        False, description="the target net also chooses A', among all actions, allowed or not"
    )
    quirk_epsilon_stuck: bool = Field(
        False, description="every game explores at the rate of the last one"
    )

    @model_validator(mode="after")
    def _single_samples_need_sgd(self) -> "Config":
        if not self.vectorized and self.optimizer != "sgd":
            raise ValueError("vectorized = false needs optimizer = sgd")
        return self


class ReplayBuffer:
    """The last `capacity` transitions, with states by number; the newest replace the oldest."""

    def __init__(self, capacity: int) -> None:
        self.indices = np.zeros((3, capacity), np.intp)  # state, action, next state
        self.numbers = np.zeros((2, capacity), np.float32)  # reward, continues
        self.stored = np.array(0, np.int64)  # ever, including those replaced

    def __len__(self) -> int:
        return min(int(self.stored), self.indices.shape[1])

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"indices": self.indices, "numbers": self.numbers, "stored": self.stored}

    def store(self, transitions: Transitions) -> None:
        states, actions, rewards, next_states, continues = transitions
        places = (int(self.stored) + np.arange(len(states))) % self.indices.shape[1]
        self.indices[:, places] = (states, actions, next_states)
        self.numbers[:, places] = (rewards, continues)
        self.stored += len(states)

    def sample(self, rng: np.random.Generator, count: int) -> Transitions:
        """Transitions drawn uniformly, with replacement."""
        places = (rng.random(count) * len(self)).astype(np.intp)
        states, actions, next_states = self.indices.take(places, axis=1)
        rewards, continues = self.numbers.take(places, axis=1)
        return Transitions(states, actions, rewards, next_states, continues)


class TargetNet:
    """A delayed copy of the online net. If at least as many states will be asked for between two
    copies as there are, it values all of them in advance."""

    def __init__(self, net: Net, inputs: Array, lookups: int) -> None:
        self._net, self._inputs = Net(net.shape), inputs
        self._is_table = len(inputs) <= lookups
        self.copy_from(net)

    def arrays(self) -> Arrays:
        return self._net.arrays()

    def copy_from(self, net: Net) -> None:
        self._net.parameters[:] = net.parameters
        self.refresh()

    def refresh(self) -> None:
        """Values all states anew, after the parameters have changed."""
        if self._is_table:
            self._table = self._net.values(self._inputs)
            self._max: Array = self._table.max(axis=1)

    def values(self, states: NDArray[np.intp]) -> Array:
        """[states, A]"""
        if self._is_table:
            return self._table.take(states, axis=0)
        return self._net.values(self._inputs.take(states, axis=0))

    def max_values(self, states: NDArray[np.intp]) -> Array:
        """[states] The maximum over all actions, allowed or not."""
        if self._is_table:
            return self._max.take(states)
        highest: Array = self.values(states).max(axis=1)
        return highest


class Counts:
    """Updates so far, and how often the target net has been copied."""

    def __init__(self) -> None:
        self.updates, self.copies = np.array(0, np.int64), np.array(0, np.int64)

    def arrays(self) -> Arrays:
        return {"updates": self.updates, "copies": self.copies}


class Ddqn(Agent[Config]):
    def __init__(self, config: Config) -> None:
        super().__init__(config)
        lookups = config.target_update_every * config.batch_size
        self.replay = ReplayBuffer(config.replay_size)
        self.target = TargetNet(self.net, self.inputs, lookups)
        self.counts = Counts()
        self.single_samples = OneSample(self.net, self.game.features)
        self._last_epsilon = self.epsilons_of(np.array([config.episodes - 1]))
        self.parts |= {"replay": self.replay, "target": self.target, "counts": self.counts}

    def epsilons(self) -> Array:
        return self._last_epsilon if self.config.quirk_epsilon_stuck else super().epsilons()

    def play_and_learn(self) -> None:
        """Plays a move in every game and, once the replay buffer has enough, updates
        Q(S, A) towards R + gamma Q'(S', argmax Q(S', .))."""
        if len(self.replay) < self.config.learning_starts:
            self.play(self.activations(self.games.states)[-1])
            return
        transitions = self.replay.sample(self.rng, self.config.batch_size)
        if self.config.vectorized:
            self.play_and_learn_batch(transitions)
        else:
            self.play(self.activations(self.games.states)[-1])
            self.learn_single_samples(transitions)
        self.update_target()

    def play(self, values: Array) -> None:
        """A move in every game, by the action values [games, A]."""
        self.replay.store(self.games.play(self.games.choose(values, self.epsilons())))

    def play_and_learn_batch(self, transitions: Transitions) -> None:
        """Both from one pass through the net, which costs little more than the update alone."""
        playing = len(self.games.states)
        states = np.concatenate([self.games.states, self.states_to_value(transitions)])
        activations = self.activations(states)
        self.play(activations[-1][:playing])
        self.learn_batch(transitions, [level[playing:] for level in activations])

    def states_to_value(self, transitions: Transitions) -> NDArray[np.intp]:
        """The states whose values an update needs: S, and S' unless the target net chooses A'."""
        if self.config.quirk_max_of_all:
            return transitions.states
        return np.concatenate([transitions.states, transitions.next_states])

    def learn_batch(self, transitions: Transitions, activations: Sequence[Array]) -> None:
        count = len(transitions.states)
        next_values = self.next_values(transitions.next_states, activations[-1][count:])
        activations = [level[:count] for level in activations]
        errors = td_errors(activations[-1], transitions, next_values, self.config.gamma)
        self.update(activations, transitions.actions, errors)

    def next_values(self, states: NDArray[np.intp], online_values: Array) -> Array:
        """[B] Q'(S', argmax Q(S', .)) over allowed actions."""
        if self.config.quirk_max_of_all:
            return self.target.max_values(states)
        online = online_values + self.forbidden.take(states, axis=0)
        return double_q(online, self.target.values(states))

    def learn_single_samples(self, transitions: Transitions) -> None:
        """One update per transition, each based on the one before."""
        rate, errors = self.learning_rate(), np.zeros(len(transitions.states))
        target_values = self.target.values(transitions.next_states)
        next_values = target_values.max(axis=1).tolist()
        for i, (state, action, reward, next_state, continues) in enumerate(
            zip(*transitions, strict=True)
        ):
            if not self.config.quirk_max_of_all:
                online = self.single_samples.values(next_state) + self.forbidden[next_state]
                next_values[i] = float(target_values[i, online.argmax()])
            target = float(reward) + self.config.gamma * float(continues) * next_values[i]
            errors[i] = self.single_samples.learn(state, action, target, rate)
        self.count_loss(errors)

    def update_target(self) -> None:
        """Counts an update, and copies the online net to the target net when it is due."""
        config, counts = self.config, self.counts
        counts.updates += 1
        by_updates = config.target_update_unit == "updates"
        passed = counts.updates if by_updates else self.games.finished
        if passed // config.target_update_every > counts.copies:
            counts.copies[...] = passed // config.target_update_every
            self.target.copy_from(self.net)

    def load(self, saved: SavedState) -> None:
        super().load(saved)
        self.target.refresh()

    def load_weights(self, weights: Arrays) -> None:
        super().load_weights(weights)
        self.target.copy_from(self.net)


def train(config: Config, run: Run) -> None:
    agent = Ddqn(config)
    for step in agent.steps(run):
        agent.play_step(step)
        agent.report(step)
