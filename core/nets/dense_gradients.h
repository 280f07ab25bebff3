// Gradients of dense layers with ReLU. Every sum goes over the rows in order and starts from what
// is there, so that results do not depend on how rows are divided into calls.
#pragma once

#include "nets/activations.h"
#include "nets/matmul.h"

namespace selfmate::SELFMATE_SIMD {

// The gradient through a ReLU with these outputs: 0 where it gave 0.
inline void keep_active(const float* outputs, std::int64_t count, float* gradient) {
  using V = NarrowVec;
  for (std::int64_t i = 0; i < count; i += kNarrowLanes)
    store(gradient + i, load<V>(outputs + i) > V{} ? load<V>(gradient + i) : V{});
}

// gradient [outputs, inputs] += out_gradient [rows, outputs] transposed x in [rows, inputs].
// `scratch` has rows * (outputs + kPanel) floats. What the innermost loop reads is made contiguous
// first: columns of matrices would compete for the same lines of the cache.
inline void add_weight_gradient(int rows, int outputs, int inputs, const float* out_gradient,
                                const float* in, float* scratch, float* gradient) {
  float* panel = scratch + std::ptrdiff_t(rows) * outputs;
  transpose(rows, outputs, {out_gradient, outputs}, 1.0f, {scratch, rows});
  for (int column = 0; column < inputs; column += kPanel) {
    const int columns = inputs - column < kPanel ? kGrain : kPanel;
    for (int row = 0; row < rows; ++row)
      for (int i = 0; i < columns; i += kNarrowLanes)
        store(panel + row * columns + i,
              load<NarrowVec>(in + std::ptrdiff_t(row) * inputs + column + i));
    multiply_columns(columns, outputs, rows, {scratch, rows}, {panel, columns, 0},
                     FromMatrix{gradient + column, inputs}, {gradient + column, inputs});
  }
}

inline void exponentials(const float* in, std::int64_t count, float* out) {
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) store(out + i, exponential(load(in + i)));
  if (i == count) return;
  float rest[kLanes] = {};
  std::memcpy(rest, in + i, std::size_t(count - i) * sizeof(float));
  store(rest, exponential(load(rest)));
  std::memcpy(out + i, rest, std::size_t(count - i) * sizeof(float));
}

}  // namespace selfmate::SELFMATE_SIMD
