"""Frozen settings with bounds and help texts: what every configuration is made of."""

from typing import Any, Self

from pydantic import BaseModel, ConfigDict


class Settings(BaseModel):
    """Keyword-only and frozen. Unknown names and values of another type are errors.

    Settings that belong together are a class. A larger configuration that offers them inherits
    from it, and `of` takes them out again: each is stated once.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, allow_inf_nan=False, defer_build=True
    )

    @classmethod
    def of(cls, larger: "Settings", **others: Any) -> Self:
        """These settings of a larger configuration. `others` are those that it does not have."""
        shared = cls.model_fields.keys() & type(larger).model_fields.keys()
        return cls(**{name: getattr(larger, name) for name in shared}, **others)
