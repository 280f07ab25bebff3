#include "nets/sparse.h"

#include <algorithm>

#include "chess/parallel.h"
#include "nets/dispatch.h"

namespace selfmate {
namespace {

constexpr std::int64_t kMinRows = 32;  // per thread: fewer are not worth waking a helper for
constexpr std::int64_t kMinWidth = 32;

}  // namespace

void times_matrix(const SparseRows& sparse, const float* matrix, std::int64_t width, float* out,
                  int threads) {
  const Kernels& kernels = best_kernels();
  parallel_for(sparse.size(), threads, kMinRows, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t at = sparse.offsets[row];
      kernels.sum_rows(sparse.columns.data() + at, sparse.values.data() + at,
                       sparse.offsets[row + 1] - at, matrix, width, out + row * width);
    }
  });
}

void add_transposed_times(const SparseRows& sparse, const float* matrix, std::int64_t width,
                          float* out, int threads) {
  const Kernels& kernels = best_kernels();
  // Each thread owns some columns of the result.
  parallel_for(width, threads, kMinWidth, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = 0; row < sparse.size(); ++row)
      for (std::int64_t at = sparse.offsets[row]; at < sparse.offsets[row + 1]; ++at)
        kernels.add_scaled(sparse.values[at], matrix + row * width + begin, end - begin,
                           out + sparse.columns[at] * width + begin);
  });
}

void products_at(const SparseRows& sparse, const float* left, const float* right,
                 std::int64_t width, float* out, int threads) {
  const Kernels& kernels = best_kernels();
  parallel_for(sparse.size(), threads, kMinRows, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row)
      for (std::int64_t at = sparse.offsets[row]; at < sparse.offsets[row + 1]; ++at)
        out[at] = kernels.dot(left + row * width, right + sparse.columns[at] * width, width);
  });
}

}  // namespace selfmate
