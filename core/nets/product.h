// Products of matrices. Every sum runs over the depth in order, one term at a time, so that a row's
// sums do not depend on how many rows there are.
#pragma once

#include "nets/layers.h"
#include "nets/simd.h"

namespace selfmate::SELFMATE_SIMD {

#if SELFMATE_AVX2 || defined(__aarch64__)
constexpr int kMostRows = 6;  // whose sums fit into the registers
#else
constexpr int kMostRows = 2;
#endif

struct Factor {
  const float* numbers;
  std::ptrdiff_t stride;    // from row to row
  std::ptrdiff_t step = 1;  // from column to column, where the factor is on the left
};

struct Result {
  float* numbers;
  std::ptrdiff_t stride;
};

template <int Rows, int Vectors>
SELFMATE_INLINE void multiply_rows(int depth, Factor left, Factor right, const float* start,
                                   Result out) {
  Vec sums[Rows][Vectors];
  for (int row = 0; row < Rows; ++row)
    for (int v = 0; v < Vectors; ++v) sums[row][v] = load(start + v * kLanes);
#pragma GCC unroll 4
  for (int k = 0; k < depth; ++k) {
    __builtin_prefetch(right.numbers + (depth + k) * right.stride);  // the next panel
    Vec columns[Vectors];
    for (int v = 0; v < Vectors; ++v)
      columns[v] = load(right.numbers + k * right.stride + v * kLanes);
    for (int row = 0; row < Rows; ++row) {
      const Vec factor = all(left.numbers[row * left.stride + k * left.step]);
      for (int v = 0; v < Vectors; ++v) sums[row][v] = fused(factor, columns[v], sums[row][v]);
    }
  }
  for (int row = 0; row < Rows; ++row)
    for (int v = 0; v < Vectors; ++v)
      store(out.numbers + row * out.stride + v * kLanes, sums[row][v]);
}

template <int Vectors, int Rows = kMostRows>
SELFMATE_INLINE void multiply_some(int rows, int depth, Factor left, Factor right,
                                   const float* start, Result out) {
  if constexpr (Rows > 1)
    if (rows < Rows) return multiply_some<Vectors, Rows - 1>(rows, depth, left, right, start, out);
  multiply_rows<Rows, Vectors>(depth, left, right, start, out);
}

// out [rows, Vectors * kLanes] = start + left [rows, depth] x right; rows in even shares, since a
// small rest would not fill the pipeline.
template <int Vectors>
void multiply(int rows, int depth, Factor left, Factor right, const float* start, Result out) {
  const int shares = (rows + kMostRows - 1) / kMostRows;
  for (int share = 0, row = 0; share < shares; ++share) {
    const int end = rows * (share + 1) / shares;
    multiply_some<Vectors>(end - row, depth,
                           {left.numbers + row * left.stride, left.stride, left.step}, right, start,
                           {out.numbers + row * out.stride, out.stride});
    row = end;
  }
}

// One panel of columns, wide or narrow.
SELFMATE_INLINE void multiply_panel(int columns, int rows, int depth, Factor left, Factor right,
                                    const float* start, Result out) {
  if (columns >= kPanel)
    multiply<kPanel / kLanes>(rows, depth, left, right, start, out);
  else
    multiply<kGrain / kLanes>(rows, depth, left, right, start, out);
}

inline void apply(const Product& product, int rows, Factor in, Result out) {
  for (int column = 0; column < product.outputs; column += kPanel) {
    const int columns = product.outputs - column < kPanel ? kGrain : kPanel;
    multiply_panel(columns, rows, product.inputs, in,
                   {product.panels + std::ptrdiff_t(column) * product.inputs, columns},
                   product.bias + column, {out.numbers + column, out.stride});
  }
}

}  // namespace selfmate::SELFMATE_SIMD
