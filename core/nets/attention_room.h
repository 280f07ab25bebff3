// Where attention of tokens works, and its kernels for processors of several kinds.
#pragma once

#include <cstddef>

#include "nets/token_attention.h"

namespace selfmate {

// All but the scale are on lines of the cache; rows of queries are filled up.
struct AttentionRoom {
  int queries;               // of a row: the tokens, filled up
  float scale;               // of scores
  float* turned;             // [head width, queries]
  float* weights;            // [tokens, queries] by key and query
  float* changes;            // the same
  float* geometry;           // [heads, tokens, queries] by key and query
  float* geometry_gradient;  // the same
  std::ptrdiff_t head_step;  // from head to head

  const float* geometry_of(int head) const { return geometry + head * head_step; }
  float* geometry_gradient_of(int head) const { return geometry_gradient + head * head_step; }
};

struct AttentionKernels {
  void (*forward)(const TokenAttention&, const float* looks, const AttentionRoom&, float* seen);
  void (*back)(const TokenAttention&, const float* looks, const float* seen_gradient,
               const AttentionRoom&, float* looks_gradient);
};

AttentionKernels attention_portable();
// For processors with AVX2 and FMA; of null pointers where the compiler knows of none.
AttentionKernels attention_avx2();
// The quickest this processor can run.
AttentionKernels best_attention();

}  // namespace selfmate
