"""Double DQN on the mini-chess (van Hasselt, Guez and Silver 2016): replay and a target net.

Q(S, A) of remembered moves is moved towards R + gamma Q'(S', A'), where the net chooses the best
A' and Q', the net as it was a while ago, says what that is worth.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from selfmate.endgame.games import Moves
from selfmate.endgame.net import Array, Net
from selfmate.endgame.one_sample import OneSample
from selfmate.endgame.replay import Replay
from selfmate.learners.minichess import MiniChessConfig, Pupil
from selfmate.learners.targets import bootstrapped, double_q, of_taken
from selfmate.runs.run import Arrays, Run, Saved


class Config(MiniChessConfig):
    """The quirks are those of the seed's listing."""

    games_at_once: int = Field(16, ge=1, le=4096, description="games stepped together")
    replay: int = Field(10_000, ge=1, le=10**7, description="moves that are remembered")
    batch: int = Field(32, ge=1, le=10**5, description="of them drawn for an update")
    learning_starts: int = Field(100, ge=1, description="moves remembered before learning starts")
    copy_every: int = Field(200, ge=1, description="what passes until the target net follows")
    copy_unit: Literal["updates", "games"] = Field("updates", description="what is counted there")
    vectorized: bool = Field(True, description="a batch in one update, or sample by sample")
    quirk_max_of_all: bool = Field(
        False, description="the target net chooses as well, among all actions, allowed or not"
    )
    quirk_epsilon_stuck: bool = Field(
        False, description="every game explores like the last one; in the listing n is left over"
    )

    @model_validator(mode="after")
    def _one_by_one_is_plain(self) -> "Config":
        if not self.vectorized and self.optimizer != "sgd":
            raise ValueError("vectorized = false needs optimizer = sgd")
        return self


class Target:
    """The net as it was some time ago. Where there are fewer states than it will be asked about,
    it values all of them at once."""

    def __init__(self, net: Net, inputs: Array, questions: int) -> None:
        self._net, self._inputs = Net(net.shape), inputs
        self._is_table = len(inputs) <= questions
        self.follow(net)

    def arrays(self) -> Arrays:
        return self._net.arrays()

    def follow(self, net: Net) -> None:
        self._net.parameters[:] = net.parameters
        self.refresh()

    def refresh(self) -> None:
        if self._is_table:
            self._table = self._net.values(self._inputs)
            self._highest: Array = self._table.max(axis=1)

    def values(self, states: NDArray[np.intp]) -> Array:
        if self._is_table:
            return self._table.take(states, axis=0)
        return self._net.values(self._inputs.take(states, axis=0))

    def highest(self, states: NDArray[np.intp]) -> Array:
        """Over all actions, allowed or not."""
        if self._is_table:
            return self._highest.take(states)
        highest: Array = self.values(states).max(axis=1)
        return highest


class Counts:
    """Updates so far, and how often the target has followed."""

    def __init__(self) -> None:
        self.updates, self.copies = np.array(0, np.int64), np.array(0, np.int64)

    def arrays(self) -> Arrays:
        return {"updates": self.updates, "copies": self.copies}


class Ddqn(Pupil[Config]):
    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.replay = Replay(config.replay)
        self.target = Target(self.net, self.inputs, config.copy_every * config.batch)
        self.counts = Counts()
        self._stuck = self.epsilons_of(np.array([config.episodes - 1]))
        self.one = OneSample(self.net, self.game.features)
        self.parts |= {"replay": self.replay, "target": self.target, "counts": self.counts}

    def epsilons(self) -> Array:
        return self._stuck if self.config.quirk_epsilon_stuck else super().epsilons()

    def move(self) -> None:
        """A move in every game, and an update from remembered ones if there are enough."""
        if len(self.replay) < self.config.learning_starts:
            self.play(self.levels(self.games.states)[-1])
            return
        moves = self.replay.sample(self.dice, self.config.batch)
        if self.config.vectorized:
            self.play_and_learn(moves)
        else:
            self.play(self.levels(self.games.states)[-1])
            self.learn_one_by_one(moves)
        self.follow()

    def play_and_learn(self, moves: Moves) -> None:
        """Both from one pass through the net, which costs little more than the update alone."""
        playing = len(self.games.states)
        levels = self.levels(np.concatenate([self.games.states, self.asked(moves)]))
        self.play(levels[-1][:playing])
        self.update(moves, [level[playing:] for level in levels])

    def play(self, values: Array) -> None:
        self.replay.store(self.games.play(self.games.choose(values, self.epsilons())))

    def asked(self, moves: Moves) -> NDArray[np.intp]:
        """The states whose values an update needs."""
        if self.config.quirk_max_of_all:
            return moves.states
        return np.concatenate([moves.states, moves.next_states])

    def update(self, moves: Moves, levels: Sequence[Array]) -> None:
        count = len(moves.states)
        if self.config.quirk_max_of_all:
            best = self.target.highest(moves.next_states)
        else:
            online = levels[-1][count:] + self.forbidden.take(moves.next_states, axis=0)
            best = double_q(online, self.target.values(moves.next_states))
        targets = bootstrapped(moves.rewards, moves.goes_on, best, self.config.gamma)
        levels = [level[:count] for level in levels]
        errors = of_taken(levels[-1], moves.actions) - targets
        self.net.parameters += self.lesson(levels, moves.actions, errors)

    def learn_one_by_one(self, moves: Moves) -> None:
        """An update for each move, which the next one's already builds on."""
        rate, errors = self.learning_rate(), np.zeros(len(moves.states))
        next_values = self.target.values(moves.next_states)
        best = next_values.max(axis=1).tolist()
        for i, (state, action) in enumerate(zip(moves.states, moves.actions, strict=True)):
            if not self.config.quirk_max_of_all:
                after = moves.next_states[i]
                chosen = (self.one.values(after) + self.forbidden[after]).argmax()
                best[i] = float(next_values[i, chosen])
            discount = self.config.gamma * float(moves.goes_on[i])
            target = float(moves.rewards[i]) + discount * best[i]
            errors[i] = self.one.learn(state, action, target, rate)
        self.note(errors)

    def follow(self) -> None:
        """Counts an update, and lets the target follow when it is time."""
        config, counts = self.config, self.counts
        counts.updates += 1
        passed = counts.updates if config.copy_unit == "updates" else self.games.finished
        if passed // config.copy_every > counts.copies:
            counts.copies[...] = passed // config.copy_every
            self.target.follow(self.net)

    def load(self, saved: Saved) -> None:
        super().load(saved)
        self.target.refresh()

    def load_weights(self, weights: Arrays) -> None:
        super().load_weights(weights)
        self.target.follow(self.net)


def train(config: Config, run: Run) -> None:
    pupil = Ddqn(config)
    for step in pupil.steps(run):
        while pupil.games.finished < step.stop:
            pupil.move()
        pupil.report(step)
