"""The settings of the tree search, with their defaults; light to import.

PUCT and the noise at the root are AlphaZero's (Silver et al. 2018), the root's sequential halving
is Gumbel AlphaZero's (Danihelka et al. 2022), first-play urgency is that of Lc0 and KataGo, and
progressive widening that of Coulom (2007). `docs/learners/alphazero.md` has the formulas.
"""

from typing import Annotated, Self

from pydantic import Field, model_validator

from selfmate.settings import Settings

CacheSize = Annotated[
    int, Field(ge=0, le=10**8, description="evaluations that each search thread caches; 0: none")
]


class SearchSettings(Settings):
    """What a learner lets users set."""

    c_puct: float = Field(default=1.5, ge=0, le=100, description="exploration constant of PUCT")
    fpu_reduction: float = Field(
        default=0.25, ge=0, le=10, description="first-play urgency reduction for unvisited moves"
    )
    dirichlet_alpha: float = Field(
        default=0.3,
        ge=0.001,
        le=100,
        description="concentration of the Dirichlet noise at the root",
    )
    dirichlet_fraction: float = Field(
        default=0.25, ge=0, le=1, description="fraction of Dirichlet noise in the root's priors"
    )
    num_considered_actions: int = Field(
        default=0,
        ge=0,
        le=256,
        description="root moves that Gumbel's sequential halving considers; 0: PUCT and Dirichlet",
    )
    c_visit: float = Field(default=50.0, ge=0, le=10**6, description="c_visit of Gumbel AlphaZero")
    c_scale: float = Field(default=1.0, ge=0, le=1000, description="c_scale of Gumbel AlphaZero")
    widening: float = Field(
        default=0.0,
        ge=0,
        le=1000,
        description="progressive widening: n visits consider widening * n^widening_exponent "
        "moves; 0: all moves",
    )
    widening_exponent: float = Field(
        default=0.5, ge=0, le=1, description="exponent of progressive widening"
    )
    exact_cache_key: bool = Field(
        default=False, description="cached evaluations must agree in history and clocks, too"
    )
    cache_size: CacheSize = 0
    max_nodes: int = Field(
        default=1 << 20,
        ge=2,
        le=1 << 30,
        description="nodes of a tree, after which its search ends",
    )

    @model_validator(mode="after")
    def _does_not_widen_a_gumbel_root(self) -> Self:
        if self.widening and self.num_considered_actions:
            raise ValueError(
                "widening and num_considered_actions cannot be used together: set one to 0"
            )
        return self


class SearchConfig(SearchSettings):
    """Everything that the core's `TreeSearch` takes, under the same names."""

    virtual_loss: float = Field(
        default=1.0, ge=0, description="losses that a simulation under way counts as"
    )
    leaves_per_game: int = Field(
        default=1,
        ge=1,
        description="leaves of a game in one batch; with 1, games do not affect each other",
    )
