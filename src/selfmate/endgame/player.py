"""Weights as a player of the mini-chess: what a checkpoint's card says of them."""

from collections.abc import Mapping
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from selfmate.endgame.game import Game, compile_game
from selfmate.endgame.net import Net, Shape, as_inputs
from selfmate.runs.live import restore
from selfmate.runs.run import Arrays, Json

Neurons = Annotated[int, Field(ge=1, le=4096)]
Hidden = Annotated[tuple[Neurons, ...], Field(min_length=1, max_length=4)]


class MiniChessPlayer(BaseModel):
    """Plays the action with the highest value of a net."""

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
    """The game that a checkpoint plays, and its value of every action in every state  # [S, A]

    ValueError says why the checkpoint is no player of the mini-chess."""
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
