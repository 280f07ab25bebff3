// Moves chosen by a policy that does not know the rules: it may attempt any action. An illegal
// action is rejected and not sampled again in that position.
#pragma once

#include <cstdint>
#include <span>

#include "chess/ragged.h"

namespace selfmate {

struct AttemptSettings {
  double temperature;  // of the softmax that is sampled; 0: always the most probable
  int max_attempts;    // illegal ones; then the most probable legal action is taken
};

struct Attempts {
  std::vector<std::int32_t> chosen;  // a legal action per row
  Ragged<std::int32_t> illegal;      // attempted before it, in order
};

// For rows of `actions` logits each, and the legal actions of each row, at least one. A row depends
// on no seed but its own.
Attempts attempt_actions(const float* logits, std::size_t actions, const std::int32_t* legal,
                         std::span<const std::int64_t> offsets, const std::uint64_t* seeds,
                         const AttemptSettings& settings);

}  // namespace selfmate
