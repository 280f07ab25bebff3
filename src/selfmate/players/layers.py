"""How nets are described in settings and cards; light to import."""

from typing import Annotated

from pydantic import Field

Neurons = Annotated[int, Field(ge=1, le=8192)]
Hidden = Annotated[tuple[Neurons, ...], Field(min_length=1, max_length=8)]
