// Moves chosen by a net that does not know the rules: it may try any action. One that is not legal
// is taken back and not offered again in that position.
#pragma once

#include <cstdint>
#include <span>

#include "chess/ragged.h"

namespace selfmate {

struct AttemptSettings {
  double temperature;  // of the softmax that is drawn from; 0: always the likeliest
  int most;            // illegal attempts; then the likeliest legal action is taken
};

struct Attempts {
  std::vector<std::int32_t> chosen;  // a legal action per row
  Ragged<std::int32_t> illegal;      // what was tried before it, in order
};

// For rows of `actions` logits each, and the legal actions of each row, of which there is one at
// least. A row depends on its own random number alone.
Attempts attempt_actions(const float* logits, std::size_t actions, const std::int32_t* legal,
                         std::span<const std::int64_t> offsets, const std::uint64_t* dice,
                         const AttemptSettings& settings);

}  // namespace selfmate
