"""Trained nets as players of the mini-chess, and the sample games that runs record."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from selfmate.minichess.game import (
    DRAW,
    MATE,
    ONGOING,
    Game,
    Squares,
    compile_game,
    placement,
    square_name,
)
from selfmate.minichess.net import Net, Shape, as_inputs
from selfmate.minichess.solver import check_rewards, greedy_actions
from selfmate.runs import Arrays, Found, Json, RunDirectory, SampleGame, restore

MAX_MOVES = 50  # of the agent in a sample game; a policy may go in circles
RESULTS = {  # result and reason by ending
    ONGOING: ("*", "ply_limit"),
    MATE: ("1-0", "checkmate"),
    DRAW: ("1/2-1/2", "stalemate"),
}

Neurons = Annotated[int, Field(ge=1, le=4096)]
Hidden = Annotated[tuple[Neurons, ...], Field(min_length=1, max_length=4)]


class MiniChessPlayer(BaseModel):
    """The player in a checkpoint's card: the shape of a net, whose highest value is played."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["minichess"] = "minichess"
    size: int = Field(ge=4, le=8)
    hidden: Hidden
    activation: Literal["relu", "sigmoid"]
    output: Literal["linear", "sigmoid"]

    def make_net(self, game: Game) -> Net:
        shape = Shape(
            inputs=game.vector_length,
            hidden=self.hidden,
            outputs=game.actions,
            activation=self.activation,
            output=self.output,
        )
        return Net(shape)


def learned_values(player: Mapping[str, Json], weights: Arrays) -> tuple[Game, NDArray[np.float32]]:
    """The game that a checkpoint plays, and its action values [S, A].

    Raises ValueError if the checkpoint is no player of the mini-chess."""
    if (kind := player.get("kind")) != "minichess":
        raise ValueError(f"this is no player of the mini-chess: its net is of kind {kind!r}")
    try:
        spec = MiniChessPlayer.model_validate(player)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"this is no player of the mini-chess: {where}: {first['msg']}") from None
    game = compile_game(spec.size)
    net = spec.make_net(game)
    restore(net.arrays(), weights)
    return game, net.values(as_inputs(game.vectors()))


@dataclass(frozen=True, eq=False, kw_only=True)
class TrainedRun:
    """A checkpoint's action values, and the rewards that it was trained for."""

    game: Game
    values: NDArray[np.float32]  # [S, A]
    actions: NDArray[np.intp]  # [S], the greedy ones
    gamma: float
    draw_reward: float
    step: int


def trained_run(run: RunDirectory, found: Found) -> TrainedRun:
    """Raises ValueError if the checkpoint is no player of the mini-chess."""
    game, values = learned_values(found.card.player, found.weights)
    gamma, draw_reward = _setting(run, "gamma"), _setting(run, "draw_reward")
    check_rewards(gamma, draw_reward)
    return TrainedRun(
        game=game,
        values=values,
        actions=greedy_actions(game, values),
        gamma=gamma,
        draw_reward=draw_reward,
        step=found.card.step,
    )


def _setting(run: RunDirectory, name: str) -> float:
    value = run.config.get(name)
    if not isinstance(value, int | float):
        raise ValueError(f"{run.path} has no setting {name} that is a number")
    return float(value)


def sample_game(
    game: Game, choose: Callable[[int], int], rng: np.random.Generator, agent: str
) -> SampleGame:
    """A game from a random start; `choose` maps a state to the agent's action."""
    state = int(rng.choice(game.states, p=game.start_probabilities))
    first, moves, ending = state, list[str](), ONGOING
    while ending == ONGOING and len(moves) < 2 * MAX_MOVES:
        after = game.afterstates[state, choose(state)]
        moves.append(_move(game, game.pieces[state], game.after_pieces[after]))
        ending = int(game.endings[after])
        if ending == ONGOING:
            state = int(game.replies[after, rng.integers(game.reply_counts[after])])
            moves.append(_move(game, game.after_pieces[after], game.pieces[state]))
    result, reason = RESULTS[ending]
    return SampleGame(
        start=placement(game.size, game.pieces[first].tolist()),
        moves=tuple(moves),
        result=result,
        reason=reason,
        white=agent,
        black="random",
    )


def _move(game: Game, before: Squares, after: Squares) -> str:
    """The move of the one piece that changed its square, as `b2b3`."""
    piece = int(np.flatnonzero(before != after)[0])
    return "".join(square_name(game.size, int(squares[piece])) for squares in (before, after))
