// Sparse matrices, and lists of uneven length, on their way in.
#pragma once

#include "bindings/arrays.h"
#include "nets/sparse.h"

namespace selfmate::bindings {

// Where the values of a sparse matrix stand. `height` is how many columns there are: the dense
// matrix has a row for each.
class SparsePlaces {
 public:
  SparsePlaces(nb::handle columns, nb::handle offsets, std::size_t height)
      : columns_(checked_list<std::int32_t>(columns, "columns")),
        offsets_(checked_list<std::int64_t>(offsets, "offsets")) {
    if (offsets_.empty()) throw BadInput("offsets must hold at least one number");
    const auto size = std::int64_t(columns_.size());
    if (offsets_.front() != 0 || offsets_.back() != size)
      throw BadInput("offsets must run from 0 to the number of columns, " + std::to_string(size));
    for (std::size_t row = 0; row < rows(); ++row)
      if (offsets_[row] > offsets_[row + 1]) throw BadInput("offsets must not fall");
    for (const std::int32_t column : columns_)
      if (column < 0 || std::size_t(column) >= height)
        throw BadInput("column " + std::to_string(column) + " is not in 0.." +
                       std::to_string(std::int64_t(height) - 1));
  }

  std::size_t size() const { return columns_.size(); }
  std::span<const std::int32_t> columns() const { return columns_; }
  std::span<const std::int64_t> offsets() const { return offsets_; }
  std::size_t rows() const { return offsets_.size() - 1; }
  SparseRows with(std::span<const float> values) const { return {columns_, values, offsets_}; }

 private:
  std::vector<std::int32_t> columns_;
  std::vector<std::int64_t> offsets_;
};

}  // namespace selfmate::bindings
