#include "nets/sparse.h"

#include <algorithm>

#include "chess/parallel.h"

// Wider instructions where the processor has them; chosen when the library is loaded.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define SELFMATE_WIDE __attribute__((target_clones("arch=haswell", "default")))
#else
#define SELFMATE_WIDE
#endif

namespace selfmate {
namespace {

constexpr std::int64_t kLeastRows = 32;  // worth waking a helper for
constexpr std::int64_t kLeastWidth = 32;
constexpr int kLanes = 16;

SELFMATE_WIDE void add_row(float factor, const float* row, std::int64_t width, float* out) {
  for (std::int64_t i = 0; i < width; ++i) out[i] += factor * row[i];
}

SELFMATE_WIDE float dot(const float* left, const float* right, std::int64_t width) {
  float sums[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= width; i += kLanes)
    for (int lane = 0; lane < kLanes; ++lane) sums[lane] += left[i + lane] * right[i + lane];
  for (int lane = 0; i < width; ++i, ++lane) sums[lane] += left[i] * right[i];
  float sum = 0;
  for (const float part : sums) sum += part;
  return sum;
}

}  // namespace

void times_matrix(const SparseRows& sparse, const float* matrix, std::int64_t width, float* out,
                  int threads) {
  parallel_for(sparse.size(), threads, kLeastRows, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      float* sums = out + row * width;
      std::fill_n(sums, width, 0.0f);
      for (std::int64_t at = sparse.offsets[row]; at < sparse.offsets[row + 1]; ++at)
        add_row(sparse.values[at], matrix + sparse.columns[at] * width, width, sums);
    }
  });
}

void add_transposed_times(const SparseRows& sparse, const float* matrix, std::int64_t width,
                          float* out, int threads) {
  // Each thread has some columns of the result to itself.
  parallel_for(width, threads, kLeastWidth, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = 0; row < sparse.size(); ++row)
      for (std::int64_t at = sparse.offsets[row]; at < sparse.offsets[row + 1]; ++at)
        add_row(sparse.values[at], matrix + row * width + begin, end - begin,
                out + sparse.columns[at] * width + begin);
  });
}

void products_at(const SparseRows& sparse, const float* left, const float* right,
                 std::int64_t width, float* out, int threads) {
  parallel_for(sparse.size(), threads, kLeastRows, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row)
      for (std::int64_t at = sparse.offsets[row]; at < sparse.offsets[row + 1]; ++at)
        out[at] = dot(left + row * width, right + sparse.columns[at] * width, width);
  });
}

}  // namespace selfmate
