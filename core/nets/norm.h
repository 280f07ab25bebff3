// Norms, as what each channel is multiplied by and what is added to it.
#pragma once

#include "nets/layers.h"
#include "nets/simd.h"

namespace selfmate::SELFMATE_SIMD {

constexpr float kNormEpsilon = 1e-5f;

// [channels] each; `means` are those before the norm.
struct Scaling {
  float* factors;
  float* shifts;
  float* means;
  float* spreads;
};

// Of one vector of channels: the sum over all squares of what `term` makes of it.
template <class Term>
SELFMATE_INLINE Vec over_squares(const float* board, int width, Term term) {
  Vec sums[4] = {};
  for (int square = 0; square < kSquares; square += 4)
    for (int i = 0; i < 4; ++i) sums[i] += term(load(board + (square + i) * width));
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// Each channel's number becomes the mean of those of its group.
inline void average_groups(float* numbers, int filters, float* out) {
  const int size = filters / kNormGroups;
  for (int group = 0; group < kNormGroups; ++group) {
    float sum = 0;
    for (int i = 0; i < size; ++i) sum += numbers[group * size + i];
    for (int i = 0; i < size; ++i) out[group * size + i] = sum / float(size);
  }
}

inline void group_norm(const Norm& norm, const float* board, int filters, const Scaling& out) {
  const Vec share = all(1.0f / kSquares);
  for (int c = 0; c < filters; c += kLanes)
    store(out.means + c, share * over_squares(board + c, filters, [](Vec x) { return x; }));
  average_groups(out.means, filters, out.shifts);
  for (int c = 0; c < filters; c += kLanes) {
    const Vec mean = load(out.shifts + c);
    const auto square = [&](Vec x) { return (x - mean) * (x - mean); };
    store(out.spreads + c, share * over_squares(board + c, filters, square));
  }
  average_groups(out.spreads, filters, out.factors);
  for (int c = 0; c < filters; ++c) {
    const float factor = norm.weight[c] / __builtin_sqrtf(out.factors[c] + kNormEpsilon);
    out.factors[c] = factor;
    out.shifts[c] = norm.bias[c] - out.shifts[c] * factor;
  }
}

// Each square by itself; `places` [64, filters] are added.
inline void layer_norm(const Norm& norm, const float* places, const float* board, int filters,
                       float* out) {
  for (int square = 0; square < kSquares; ++square, board += filters, out += filters) {
    Vec sums{}, spreads{};
    for (int c = 0; c < filters; c += kLanes) sums += load(board + c);
    const Vec mean = all(sum_of(sums) / float(filters));
    for (int c = 0; c < filters; c += kLanes) {
      const Vec difference = load(board + c) - mean;
      spreads = fused(difference, difference, spreads);
    }
    const Vec factor = all(1.0f / __builtin_sqrtf(sum_of(spreads) / float(filters) + kNormEpsilon));
    for (int c = 0; c < filters; c += kLanes) {
      const Vec place = load(norm.bias + c) + load(places + square * filters + c);
      store(out + c, fused((load(board + c) - mean) * factor, load(norm.weight + c), place));
    }
  }
}

}  // namespace selfmate::SELFMATE_SIMD
