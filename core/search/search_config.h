// The numbers of a tree search, each said once: type, name, default, smallest and largest value
// (kAny: every finite number).
// The struct is made from this list, and the bindings read keyword arguments by it.
//
// - c_puct grows by c_puct_factor * log((n + c_puct_base) / c_puct_base) with the n visits of a
//   node's moves, and is scaled by the standard deviation of the node's values, if
//   c_puct_stdev_scale says so. root_c_puct takes its place at the root; 0: the same.
// - value_stdev_prior: the standard deviation of values that two visits before the first stand for.
// - Priors are the policy at policy_temperature, at the root at root_policy_temperature; 0: the
//   same.
// - First play urgency: a move without visits has its node's value minus fpu_reduction times the
//   square root of the prior mass of the visited moves; if fpu_absolute, it has fpu_value. At the
//   root their namesakes count; a root_fpu_reduction below 0: the same.
// - virtual_loss of a simulation whose leaf is being evaluated.
// - two_fold_draws: a position that stood on the board since the root is a draw already.
// - prove_draws: draws are proven, as mates are.
// - lcb_stdevs: the move played has the highest lower confidence bound, so many standard errors
//   below its value; 0: it has the most visits.
// - Dirichlet noise in the root's priors: (1 - fraction) * prior + fraction * Dirichlet(alpha).
// - Progressive widening: after n visits a node considers its widening * n ^ widening_exponent most
//   probable moves; 0: all moves.
// - Gumbel: sequential halving starts with num_considered_actions of the root's moves; 0: PUCT at
//   the root, too. c_visit and c_scale are those of the paper.
// - exact_cache_key: see evaluation_key.
// - leaves_per_game that may be evaluated together; cache_size evaluations are kept for all games.
#pragma once

#include <cstdint>
#include <limits>

namespace selfmate {

inline constexpr double kAny = std::numeric_limits<double>::infinity();

// clang-format off
#define SELFMATE_SEARCH_CONFIG(FIELD)                    \
  FIELD(float, c_puct, 1.5f, 0, kAny)                    \
  FIELD(int, c_puct_base, 19652, 1, kAny)                \
  FIELD(float, c_puct_factor, 0.0f, 0, kAny)             \
  FIELD(float, root_c_puct, 0.0f, 0, kAny)               \
  FIELD(float, c_puct_stdev_scale, 0.0f, 0, 1)           \
  FIELD(float, value_stdev_prior, 0.4f, 1e-3, kAny)      \
  FIELD(float, policy_temperature, 1.0f, 1e-3, kAny)     \
  FIELD(float, root_policy_temperature, 0.0f, 0, kAny)   \
  FIELD(float, fpu_reduction, 0.25f, 0, kAny)            \
  FIELD(bool, fpu_absolute, false, 0, 1)                 \
  FIELD(float, fpu_value, -1.0f, -1, 1)                  \
  FIELD(float, root_fpu_reduction, -1.0f, -1, kAny)      \
  FIELD(bool, root_fpu_absolute, false, 0, 1)            \
  FIELD(float, root_fpu_value, 1.0f, -1, 1)              \
  FIELD(float, virtual_loss, 1.0f, 0, kAny)              \
  FIELD(bool, two_fold_draws, false, 0, 1)               \
  FIELD(bool, prove_draws, false, 0, 1)                  \
  FIELD(float, lcb_stdevs, 0.0f, 0, kAny)                \
  FIELD(float, dirichlet_alpha, 0.3f, 1e-3, kAny)        \
  FIELD(float, dirichlet_fraction, 0.25f, 0, 1)          \
  FIELD(float, widening, 0.0f, 0, kAny)                  \
  FIELD(float, widening_exponent, 0.5f, 0, kAny)         \
  FIELD(int, num_considered_actions, 0, 0, kAny)         \
  FIELD(float, c_visit, 50.0f, 0, kAny)                  \
  FIELD(float, c_scale, 1.0f, 0, kAny)                   \
  FIELD(bool, exact_cache_key, false, 0, 1)              \
  FIELD(int, max_nodes, 1 << 20, 2, kAny)                \
  FIELD(int, leaves_per_game, 1, 1, 10'000)              \
  FIELD(std::int64_t, cache_size, 0, 0, kAny)
// clang-format on

struct SearchConfig {
#define SELFMATE_MEMBER(type, name, value, low, high) type name = value;
  SELFMATE_SEARCH_CONFIG(SELFMATE_MEMBER)
#undef SELFMATE_MEMBER
};

}  // namespace selfmate
