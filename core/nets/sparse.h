// Products with sparse matrices, for nets whose inputs are mostly zero and few of whose outputs are
// needed: a position sets some 35 of 839 features and has some 35 legal moves of 4,096.
#pragma once

#include <cstdint>
#include <span>

namespace selfmate {

// Row i holds `values` in `columns`, both from offsets[i] to offsets[i + 1].
struct SparseRows {
  std::span<const std::int32_t> columns;
  std::span<const float> values;
  std::span<const std::int64_t> offsets;  // one more than there are rows

  std::int64_t size() const { return std::int64_t(offsets.size()) - 1; }
};

// All matrices are dense, row after row, `width` numbers each. Every sum is made in the same order
// on any number of threads.

// out [rows, width] = sparse x matrix
void times_matrix(const SparseRows& sparse, const float* matrix, std::int64_t width, float* out,
                  int threads);

// out [columns, width] += sparse transposed x matrix [rows, width]
void add_transposed_times(const SparseRows& sparse, const float* matrix, std::int64_t width,
                          float* out, int threads);

// For each entry (row, column) of the sparse matrix: row of `left` [rows, width] x row `column` of
// `right` [columns, width]. The values of the sparse matrix are not used.
void products_at(const SparseRows& sparse, const float* left, const float* right,
                 std::int64_t width, float* out, int threads);

}  // namespace selfmate
