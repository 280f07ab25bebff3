"""What a checkpoint's card says of a net of policy and value; light to import."""

from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from selfmate.nets.se_resnet import SeResNet


class SeResNetSpec(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["se_resnet"] = "se_resnet"
    blocks: int = Field(ge=1, le=64)
    filters: int = Field(ge=8, le=1024, multiple_of=8)
    attention: int = Field(ge=0, le=64)
    squeeze: bool
    wdl: bool
    semantic: bool

    def make_net(self) -> "SeResNet":
        from selfmate.nets.se_resnet import SeResNet, SeResNetShape

        return SeResNet(SeResNetShape(**self.model_dump(exclude={"kind"})))
