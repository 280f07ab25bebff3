"""Episodic semi-gradient SARSA on the mini-chess (Sutton and Barto, section 10.1).

Q(S, A) is moved towards R + gamma Q(S', A'), where A' is what the agent will really play: the
values are those of a player who explores.
"""

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from selfmate.endgame.games import Moves
from selfmate.endgame.net import Array, layers_of
from selfmate.learners.minichess import MiniChessConfig, Pupil
from selfmate.learners.targets import bootstrapped, of_taken
from selfmate.runs.run import Arrays, Run


class Config(MiniChessConfig):
    """The quirks are those of the seed's listing; with any of them an update is no gradient."""

    quirk_redraw: bool = Field(
        False, description="A' is drawn again before it is played, so another may be valued"
    )
    quirk_next_hidden: bool = Field(
        False, description="the gradient takes the hidden neurons as S' has them, not S"
    )
    quirk_all_outputs: bool = Field(
        False, description="the error goes back to the hidden layer from all outputs"
    )
    quirk_one_row: bool = Field(
        False, description="of the hidden layer only the neuron numbered like the action learns"
    )

    @property
    def has_quirky_update(self) -> bool:
        return self.quirk_next_hidden or self.quirk_all_outputs or self.quirk_one_row

    @model_validator(mode="after")
    def _quirks_need_one_game(self) -> "Config":
        if self.has_quirky_update and (self.games_at_once > 1 or len(self.hidden) > 1):
            raise ValueError("quirks of the update need games_at_once = 1 and one hidden layer")
        return self


class Chosen:
    """A', chosen with the last update and played with the next."""

    def __init__(self, actions: NDArray[np.intp]) -> None:
        self.actions = actions

    def arrays(self) -> Arrays:
        return {"actions": self.actions}


class Sarsa(Pupil[Config]):
    def __init__(self, config: Config) -> None:
        super().__init__(config)
        values = self.levels(self.games.states)[-1]
        self.chosen = Chosen(self.games.choose(values, self.epsilons()))
        self.parts["chosen"] = self.chosen

    def move(self) -> None:
        """Plays A in every game, chooses A' and learns from both."""
        config, count = self.config, self.config.games_at_once
        moves = self.games.play(self.chosen.actions.copy())
        both = self.levels(np.concatenate([moves.states, self.games.states]))
        levels, next_levels = [x[:count] for x in both], [x[count:] for x in both]
        next_actions = self.games.choose(next_levels[-1], self.epsilons())
        next_values = of_taken(next_levels[-1], next_actions)
        targets = bootstrapped(moves.rewards, moves.goes_on, next_values, config.gamma)
        errors = of_taken(levels[-1], moves.actions) - targets
        if config.has_quirky_update:
            self.listed_update(moves, errors, levels, next_levels)
        else:
            self.net.parameters += self.lesson(levels, moves.actions, errors)
        self.chosen.actions[:] = self.redrawn() if config.quirk_redraw else next_actions

    def redrawn(self) -> NDArray[np.intp]:
        values = self.levels(self.games.states)[-1]
        return self.games.choose(values, self.epsilons(), again=True)

    def listed_update(
        self, moves: Moves, errors: Array, levels: list[Array], next_levels: list[Array]
    ) -> None:
        """What the seed's listing does to the weights after a move of its one game."""
        config, action = self.config, int(moves.actions[0])
        self.note(errors)
        hidden = next_levels[1] if config.quirk_next_hidden and moves.goes_on[0] else levels[1]
        of_outputs = np.zeros_like(levels[-1])
        of_outputs[:, slice(None) if config.quirk_all_outputs else action] = errors[0]
        gradient = self.net.backward([levels[0], hidden, levels[-1]], of_outputs)
        first, last = layers_of(self.step_down(gradient), self.net.shape)
        rows = action if config.quirk_one_row else slice(None)
        self.net.layers[0][:, rows] += first[:, rows]
        self.net.layers[1][:, action] += last[:, action]


def train(config: Config, run: Run) -> None:
    pupil = Sarsa(config)
    for step in pupil.steps(run):
        while pupil.games.finished < step.stop:
            pupil.move()
        pupil.report(step)
