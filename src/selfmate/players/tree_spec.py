"""What a checkpoint's card says of a net for tree search; light to import."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from selfmate.nets.se_resnet import SeResNet

Blocks = Annotated[int, Field(ge=1, le=64)]
Filters = Annotated[int, Field(ge=8, le=1024, multiple_of=8)]


class SeResNetSpec(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["se_resnet"] = "se_resnet"
    blocks: Blocks
    filters: Filters
    attention: Annotated[int, Field(ge=0, le=64)] = 2
    squeeze: bool = True
    wdl: bool = True
    semantic: bool = True

    def make_net(self) -> "SeResNet":
        from selfmate.nets.se_resnet import SeResNet, SeResNetShape

        return SeResNet(SeResNetShape(**self.model_dump(exclude={"kind"})))
