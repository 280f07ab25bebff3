"""The numbers of a tree search that players have as settings: default, bounds and meaning.

Each is stated here. `SearchConfig` takes its fields from this table, a player's name its settings,
and the UCI engine its options, which must be there before anything heavy is imported.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class SearchNumber(NamedTuple):
    default: float  # its type is that of the number: bool, int or float
    low: float
    high: float
    uci: str  # the UCI option: the name that Lc0 has for it, or one like it
    description: str


NUMBERS: Mapping[str, SearchNumber] = MappingProxyType(
    {
        "c_puct": SearchNumber(1.5, 0, 100, "CPuct", "exploration constant of PUCT"),
        "c_puct_base": SearchNumber(
            19652, 1, 10**6, "CPuctBase", "visits from which on c_puct grows noticeably"
        ),
        "c_puct_factor": SearchNumber(
            0.0,
            0,
            100,
            "CPuctFactor",
            "growth of c_puct, times log((visits + c_puct_base) / c_puct_base); 0: none",
        ),
        "root_c_puct": SearchNumber(
            0.0, 0, 100, "CPuctAtRoot", "c_puct at the root; 0: as elsewhere"
        ),
        "c_puct_stdev_scale": SearchNumber(
            0.0,
            0,
            1,
            "CPuctStdevScale",
            "how far c_puct follows the standard deviation of a node's values; 0: not at all",
        ),
        "value_stdev_prior": SearchNumber(
            0.4, 0.01, 1, "ValueStdevPrior", "standard deviation of values before there are any"
        ),
        "policy_temperature": SearchNumber(
            1.0, 0.1, 10, "PolicyTemperature", "softmax temperature of the net's policy"
        ),
        "root_policy_temperature": SearchNumber(
            0.0,
            0,
            10,
            "PolicyTemperatureAtRoot",
            "softmax temperature of the net's policy at the root; 0: as elsewhere",
        ),
        "fpu_reduction": SearchNumber(
            0.25, 0, 10, "FpuReduction", "first-play urgency reduction for unvisited moves"
        ),
        "fpu_absolute": SearchNumber(
            False, 0, 1, "FpuAbsolute", "unvisited moves have fpu_value; not at the root"
        ),
        "fpu_value": SearchNumber(
            -1.0, -1, 1, "FpuValue", "value of unvisited moves where fpu_absolute is set"
        ),
        "root_fpu_reduction": SearchNumber(
            -1.0, -1, 10, "FpuReductionAtRoot", "fpu_reduction at the root; -1: as elsewhere"
        ),
        "root_fpu_absolute": SearchNumber(
            False, 0, 1, "FpuAbsoluteAtRoot", "unvisited moves of the root have root_fpu_value"
        ),
        "root_fpu_value": SearchNumber(
            1.0,
            -1,
            1,
            "FpuValueAtRoot",
            "value of the root's unvisited moves where root_fpu_absolute is set",
        ),
        "two_fold_draws": SearchNumber(
            False,
            0,
            1,
            "TwoFoldDraws",
            "a position that stood on the board since the root counts as a draw",
        ),
        "prove_draws": SearchNumber(
            False, 0, 1, "StickyEndgames", "draws by rule are proven up the tree, as mates are"
        ),
        "lcb_stdevs": SearchNumber(
            0.0,
            0,
            100,
            "LcbStdevs",
            "the move played has the highest value minus so many standard errors; 0: the most "
            "visits",
        ),
        "virtual_loss": SearchNumber(
            1.0, 0, 100, "VirtualLoss", "losses that a simulation under way counts as"
        ),
        "num_considered_actions": SearchNumber(
            0,
            0,
            256,
            "NumConsideredActions",
            "root moves that Gumbel's sequential halving considers; 0: PUCT and Dirichlet",
        ),
        "c_visit": SearchNumber(50.0, 0, 10**6, "CVisit", "c_visit of Gumbel AlphaZero"),
        "c_scale": SearchNumber(1.0, 0, 1000, "CScale", "c_scale of Gumbel AlphaZero"),
        "widening": SearchNumber(
            0.0,
            0,
            1000,
            "Widening",
            "progressive widening: n visits consider widening * n^widening_exponent moves; 0: all "
            "moves",
        ),
        "widening_exponent": SearchNumber(
            0.5, 0, 1, "WideningExponent", "exponent of progressive widening"
        ),
    }
)


def check_numbers(numbers: Mapping[str, float]) -> None:
    """ValueError when two of them exclude each other. Those that are missing have their default."""
    if numbers.get("widening") and numbers.get("num_considered_actions"):
        raise ValueError(
            "widening and num_considered_actions cannot be used together: set one to 0"
        )
