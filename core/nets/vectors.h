// Vectors of eight floats, and products made with them. They become wide instructions only in
// functions that are compiled for a processor that has them from the start, so this is included
// between SELFMATE_WIDE_BEGIN and SELFMATE_WIDE_END (nets/wide.h), after all else.
#pragma once

namespace selfmate {
namespace {

using Vec __attribute__((vector_size(32))) = float;

[[gnu::always_inline]] inline Vec load(const float* from) {
  Vec value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// The first `count` lanes, the others zero.
[[gnu::always_inline]] inline Vec load_some(const float* from, std::int64_t count) {
  if (count >= kLanes) return load(from);
  Vec value{};
  std::memcpy(&value, from, std::size_t(count) * sizeof(float));
  return value;
}

[[gnu::always_inline]] inline void store(float* to, const Vec& value) {
  std::memcpy(to, &value, sizeof value);
}

[[gnu::always_inline]] inline void store_some(float* to, const Vec& value, std::int64_t count) {
  std::memcpy(to, &value, std::size_t(std::min<std::int64_t>(count, kLanes)) * sizeof(float));
}

struct Matrix {
  const float* numbers;
  std::int64_t row, column;  // steps from one to the next
};

// out [Rows, 16] (+)= left [Rows, depth] x right [depth, 16]
template <int Rows, bool Add>
[[gnu::always_inline]] inline void multiply_some(Matrix left, const float* right,
                                                 std::int64_t right_row, std::int64_t depth,
                                                 float* out, std::int64_t out_row) {
  Vec sums[Rows][2];
  for (int r = 0; r < Rows; ++r)
    for (int half = 0; half < 2; ++half)
      sums[r][half] = Add ? load(out + r * out_row + half * kLanes) : Vec{};
  for (std::int64_t k = 0; k < depth; ++k) {
    const Vec first = load(right + k * right_row), second = load(right + k * right_row + kLanes);
    const float* factors = left.numbers + k * left.column;
    for (int r = 0; r < Rows; ++r) {
      sums[r][0] += factors[r * left.row] * first;
      sums[r][1] += factors[r * left.row] * second;
    }
  }
  for (int r = 0; r < Rows; ++r)
    for (int half = 0; half < 2; ++half) store(out + r * out_row + half * kLanes, sums[r][half]);
}

template <bool Add>
[[gnu::always_inline]] inline void multiply(Matrix left, std::int64_t rows, const float* right,
                                            std::int64_t right_row, std::int64_t depth, float* out,
                                            std::int64_t out_row) {
  std::int64_t r = 0;
  for (; r + 6 <= rows; r += 6, left.numbers += 6 * left.row)  // as many sums as registers hold
    multiply_some<6, Add>(left, right, right_row, depth, out + r * out_row, out_row);
  for (; r + 2 <= rows; r += 2, left.numbers += 2 * left.row)
    multiply_some<2, Add>(left, right, right_row, depth, out + r * out_row, out_row);
  if (r < rows) multiply_some<1, Add>(left, right, right_row, depth, out + r * out_row, out_row);
}

// out [rows, width] (+)= left [rows, depth] x right [width / 16, depth, 16]
template <bool Add>
[[gnu::always_inline]] inline void multiply_panels(const float* left, std::int64_t rows,
                                                   std::int64_t depth, const float* right,
                                                   std::int64_t width, float* out) {
  for (std::int64_t panel = 0; panel < width; panel += kPanel)
    multiply<Add>({left, depth, 1}, rows, right + panel * depth, kPanel, depth, out + panel, width);
}

}  // namespace
}  // namespace selfmate
