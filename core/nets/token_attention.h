// Attention of all tokens of a sentence to all, forward and back, for learning and for answering.
#pragma once

#include <cstdint>

namespace selfmate {

constexpr int kHeadGrain = 8;  // a head's width is a multiple of this

struct TokenAttention {
  int tokens, heads, head_width;
  const float* geometry;  // [heads, query, key], added to the scores; or null

  int width() const { return heads * head_width; }
};

// seen [sentences, tokens, width] of looks [sentences, tokens, 3 (query, key, value), width].
void attend(const TokenAttention& attention, std::int64_t sentences, const float* looks,
            float* seen);

// The gradients of the looks and of the geometry, which may be null, for one of what was seen.
void attend_back(const TokenAttention& attention, std::int64_t sentences, const float* looks,
                 const float* seen_gradient, float* looks_gradient, float* geometry_gradient);

}  // namespace selfmate
