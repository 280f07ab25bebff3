"""A Q-net as a player: the legal move of the highest value, or one by chance."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from selfmate.encodings import CODINGS
from selfmate.encodings.packed import INPUTS
from selfmate.nets.q_net import QNet, QNetShape

ACTIONS = CODINGS["from_to4096"].size
Neurons = Annotated[int, Field(ge=1, le=8192)]
Hidden = Annotated[tuple[Neurons, ...], Field(min_length=1, max_length=8)]


class QPlayerSpec(BaseModel):
    """What a checkpoint's card says of the weights."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["q_net"] = "q_net"
    hidden: Hidden
    dueling: bool

    def make_net(self) -> QNet:
        shape = QNetShape(inputs=INPUTS, hidden=self.hidden, actions=ACTIONS, dueling=self.dueling)
        return QNet(shape)
