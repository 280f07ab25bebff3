"""What a checkpoint's card says of a transformer that plays by its policy; light to import."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from selfmate.nets.transformer import Transformer


class TransformerSpec(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["transformer"] = "transformer"
    width: Annotated[int, Field(ge=4, le=4096)]
    blocks: Annotated[int, Field(ge=1, le=64)]
    heads: Annotated[int, Field(ge=1, le=64)] = 8
    read_out: Literal["pairs", "board8x8", "special"] = "pairs"
    geometry: bool = True

    def make_net(self) -> "Transformer":
        from selfmate.encodings.sentences import MOVES
        from selfmate.nets.transformer import Transformer, TransformerShape

        return Transformer(TransformerShape(**self.model_dump(exclude={"kind"})), MOVES)
