"""A page: arrays of games that a run writes once and may read again."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class Page:
    """Its fields are arrays; what cannot be is refused where they are taken in."""

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """What `arrays` returned once."""
        names = [field.name for field in fields(cls)]
        if sorted(arrays) != sorted(names):
            raise ValueError(f"the arrays are {sorted(arrays)}, not {sorted(names)}")
        return cls(**arrays)

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {field.name: getattr(self, field.name) for field in fields(self)}
