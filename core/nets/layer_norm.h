// Layer normalisation (Ba et al. 2016): each row by its own mean and variance.
#pragma once

#include "nets/layers.h"
#include "nets/simd.h"

namespace selfmate::SELFMATE_SIMD {

constexpr float kNormEpsilon = 1e-5f;

// A norm of one row: (x - mean) * factor.
struct RowScaling {
  Vec mean, factor;

  SELFMATE_INLINE Vec of(Vec numbers) const { return (numbers - mean) * factor; }
};

// Of the first `width` numbers of a row that is padded with zeros. Narrow vectors: AVX-512 adds in
// the order of AVX2, so that both compute the same bits.
SELFMATE_INLINE RowScaling row_scaling(const float* row, int width) {
  NarrowVec sums{}, squares{};
  for (int c = 0; c < width; c += kNarrowLanes) sums += load<NarrowVec>(row + c);
  const float mean = horizontal_sum(sums) / float(width);
  for (int c = 0; c < width; c += kNarrowLanes) {
    NarrowVec difference = load<NarrowVec>(row + c) - broadcast<NarrowVec>(mean);
    for (int lane = width - c; lane < kNarrowLanes; ++lane) difference[lane] = 0;
    squares = fma(difference, difference, squares);
  }
  const float variance = horizontal_sum(squares) / float(width);
  return {broadcast(mean), broadcast(1.0f / __builtin_sqrtf(variance + kNormEpsilon))};
}

}  // namespace selfmate::SELFMATE_SIMD
