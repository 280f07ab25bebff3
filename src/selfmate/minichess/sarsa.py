"""Episodic semi-gradient SARSA on the mini-chess (Rummery and Niranjan 1994; Sutton and Barto 2018,
section 10.1).

On-policy: Q(S, A) moves towards R + gamma Q(S', A'), where A' is the action that the agent plays
next, exploration included. `ddqn.py` is the off-policy sibling.
"""

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from selfmate.learners.targets import of_taken
from selfmate.minichess.learner import Agent, MiniChessConfig, td_errors
from selfmate.minichess.net import Array, layers_of
from selfmate.minichess.simulation import Transitions
from selfmate.runs import Arrays, Run


class Config(MiniChessConfig):
    """The quirks are those of the reference design's listing 1; apart from `quirk_redraw`, an
    update with any of them does not follow the gradient."""

    quirk_redraw: bool = Field(
        False, description="draw A' again before playing it, so the target may use another action"
    )
    quirk_next_hidden: bool = Field(
        False, description="use the hidden activations of S' instead of S in the gradient"
    )
    quirk_all_outputs: bool = Field(
        False, description="propagate the error to the hidden layer from all outputs"
    )
    quirk_one_row: bool = Field(
        False, description="update only the hidden neuron that has the action's number"
    )

    @property
    def has_quirky_update(self) -> bool:
        return self.quirk_next_hidden or self.quirk_all_outputs or self.quirk_one_row

    @model_validator(mode="after")
    def _quirks_need_one_game(self) -> "Config":
        if self.has_quirky_update and (self.parallel_games > 1 or len(self.hidden) > 1):
            raise ValueError("quirks of the update need parallel_games = 1 and one hidden layer")
        return self


class NextActions:
    """A' of every game: chosen with the last update, played with the next."""

    def __init__(self, actions: NDArray[np.intp]) -> None:
        self.actions = actions

    def arrays(self) -> Arrays:
        return {"actions": self.actions}


class Sarsa(Agent[Config]):
    def __init__(self, config: Config) -> None:
        super().__init__(config)
        values = self.activations(self.games.states)[-1]
        self.chosen = NextActions(self.games.choose(values, self.epsilons()))
        self.parts["chosen"] = self.chosen

    def play_and_learn(self) -> None:
        """Plays A in every game, chooses A', and updates Q(S, A) towards R + gamma Q(S', A')."""
        config, count = self.config, self.config.parallel_games
        transitions = self.games.play(self.chosen.actions.copy())
        both = self.activations(np.concatenate([transitions.states, self.games.states]))
        activations, next_activations = [x[:count] for x in both], [x[count:] for x in both]
        next_actions = self.games.choose(next_activations[-1], self.epsilons())
        next_values = of_taken(next_activations[-1], next_actions)  # Q(S', A')
        errors = td_errors(activations[-1], transitions, next_values, config.gamma)
        if config.has_quirky_update:
            self.listed_update(transitions, errors, activations, next_activations)
        else:
            self.update(activations, transitions.actions, errors)
        self.chosen.actions[:] = self.redrawn_actions() if config.quirk_redraw else next_actions

    def redrawn_actions(self) -> NDArray[np.intp]:
        values = self.activations(self.games.states)[-1]
        return self.games.choose(values, self.epsilons(), again=True)

    def listed_update(
        self,
        transitions: Transitions,
        errors: Array,
        activations: list[Array],
        next_activations: list[Array],
    ) -> None:
        """The update of the reference design's listing, after a move of its one game."""
        config, action = self.config, int(transitions.actions[0])
        self.count_loss(errors)
        uses_next = config.quirk_next_hidden and transitions.continues[0]
        hidden = next_activations[1] if uses_next else activations[1]
        output_errors = np.zeros_like(activations[-1])
        output_errors[:, slice(None) if config.quirk_all_outputs else action] = errors[0]
        gradient = self.net.backward([activations[0], hidden, activations[-1]], output_errors)
        first, last = layers_of(self.optimizer_step(gradient), self.net.shape)
        rows = action if config.quirk_one_row else slice(None)
        self.net.layers[0][:, rows] += first[:, rows]
        self.net.layers[1][:, action] += last[:, action]


def train(config: Config, run: Run) -> None:
    agent = Sarsa(config)
    for step in agent.steps(run):
        agent.play_step(step)
        agent.report(step)
