// The numbers of a tree search, each said once: type, name, default, smallest and largest value
// (kAny: every finite number).
// The struct is made from this list, and the bindings read keyword arguments by it.
//
// - fpu_reduction, first play urgency: a move without visits has its node's value minus this times
//   the square root of the prior mass of the visited moves.
// - virtual_loss of a simulation whose leaf is being evaluated.
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
  FIELD(float, fpu_reduction, 0.25f, 0, kAny)            \
  FIELD(float, virtual_loss, 1.0f, 0, kAny)              \
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
