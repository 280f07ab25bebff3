"""The settings of the tree search; light to import.

PUCT and the noise at the root are AlphaZero's (Silver et al. 2018), the root's sequential halving
is Gumbel AlphaZero's (Danihelka et al. 2022), first-play urgency, policy temperature, draws by
twofold repetition and proven draws are those of Lc0, a c_puct that follows the variance and lower
confidence bounds those of KataGo, and progressive widening that of Coulom (2007).
`docs/learners/alphazero.md` has the formulas, `searches.numbers` the defaults that players share.
"""

from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from selfmate.searches.numbers import NUMBERS, check_numbers
from selfmate.settings import Settings

CacheSize = Annotated[
    int, Field(ge=0, le=10**8, description="evaluations that each search thread caches; 0: none")
]

ExactCacheKey = Annotated[
    bool, Field(description="cached evaluations must agree in history and clocks, too")
]


def _number(name: str) -> Any:
    """A field with the default, bounds and description of the table."""
    number = NUMBERS[name]
    if isinstance(number.default, bool):
        return Field(default=number.default, description=number.description)
    return Field(
        default=number.default, ge=number.low, le=number.high, description=number.description
    )


class SearchSettings(Settings):
    """What a learner lets users set."""

    c_puct: float = _number("c_puct")
    c_puct_base: int = _number("c_puct_base")
    c_puct_factor: float = _number("c_puct_factor")
    root_c_puct: float = _number("root_c_puct")
    c_puct_stdev_scale: float = _number("c_puct_stdev_scale")
    value_stdev_prior: float = _number("value_stdev_prior")
    policy_temperature: float = _number("policy_temperature")
    root_policy_temperature: float = _number("root_policy_temperature")
    fpu_reduction: float = _number("fpu_reduction")
    root_fpu_reduction: float = _number("root_fpu_reduction")
    two_fold_draws: bool = _number("two_fold_draws")
    prove_draws: bool = _number("prove_draws")
    dirichlet_alpha: float = Field(
        default=0.3,
        ge=0.001,
        le=100,
        description="concentration of the Dirichlet noise at the root",
    )
    dirichlet_fraction: float = Field(
        default=0.25, ge=0, le=1, description="fraction of Dirichlet noise in the root's priors"
    )
    num_considered_actions: int = _number("num_considered_actions")
    c_visit: float = _number("c_visit")
    c_scale: float = _number("c_scale")
    widening: float = _number("widening")
    widening_exponent: float = _number("widening_exponent")
    exact_cache_key: ExactCacheKey = False
    cache_size: CacheSize = 0
    max_nodes: int = Field(
        default=1 << 20,
        ge=2,
        le=1 << 30,
        description="nodes of a tree, after which its search ends",
    )

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        check_numbers(self.model_dump())
        return self


class SearchConfig(SearchSettings):
    """Everything that the core's `TreeSearch` takes, under the same names. What a learner does not
    set: how unvisited moves are valued absolutely, how the move played is chosen, and batches.

    It is frozen, takes keywords only, and refuses names and values that are not allowed. Values of
    positions are in the view of the side to move, from -1 to 1.

    Examples:
        >>> from selfmate import SearchConfig
        >>> SearchConfig(c_puct=2.0).c_puct, SearchConfig().dirichlet_fraction
        (2.0, 0.25)
    """

    fpu_absolute: bool = _number("fpu_absolute")
    fpu_value: float = _number("fpu_value")
    root_fpu_absolute: bool = _number("root_fpu_absolute")
    root_fpu_value: float = _number("root_fpu_value")
    lcb_stdevs: float = _number("lcb_stdevs")
    virtual_loss: float = _number("virtual_loss")
    leaves_per_game: int = Field(
        default=1,
        ge=1,
        description="leaves of a game in one batch; with 1, games do not affect each other",
    )
