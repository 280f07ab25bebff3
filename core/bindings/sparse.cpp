#include "nets/sparse.h"
#include "bindings/module.h"

namespace selfmate::bindings {
namespace {

using namespace nb::literals;

void check_rows(const SparseRows& sparse, std::size_t height) {
  const auto size = std::int64_t(sparse.columns.size());
  if (sparse.offsets.front() != 0 || sparse.offsets.back() != size)
    throw BadInput("offsets must run from 0 to the number of columns, " + std::to_string(size));
  for (std::size_t row = 0; row + 1 < sparse.offsets.size(); ++row)
    if (sparse.offsets[row] > sparse.offsets[row + 1]) throw BadInput("offsets must not fall");
  for (const std::int32_t column : sparse.columns)
    if (column < 0 || column >= std::int64_t(height))
      throw BadInput("column " + std::to_string(column) + " is not in 0.." +
                     std::to_string(std::int64_t(height) - 1));
}

// `height` is how many columns there are: the dense matrix has a row for each.
SparseRows checked_sparse(nb::handle columns, nb::handle values, nb::handle offsets,
                          std::size_t height) {
  const std::size_t size = checked_length(columns, "columns");
  const std::size_t ends = checked_length(offsets, "offsets");
  if (ends == 0) throw BadInput("offsets must hold at least one number");
  SparseRows sparse{.columns = {checked_array<std::int32_t>(columns, "columns", {size}), size},
                    .values = {},
                    .offsets = {checked_array<std::int64_t>(offsets, "offsets", {ends}), ends}};
  if (!values.is_none()) sparse.values = {checked_array<float>(values, "values", {size}), size};
  check_rows(sparse, height);
  return sparse;
}

nb::object sparse_times(nb::handle columns, nb::handle values, nb::handle offsets,
                        nb::handle matrix, int threads) {
  check_threads(threads);
  const auto [height, width] = checked_extents<2>(matrix, "matrix");
  const auto* numbers = checked_array<float>(matrix, "matrix", {height, width});
  const SparseRows sparse = checked_sparse(columns, values, offsets, height);
  std::vector<float> out(std::size_t(sparse.size()) * width);
  {
    nb::gil_scoped_release release;
    times_matrix(sparse, numbers, std::int64_t(width), out.data(), threads);
  }
  return to_numpy(std::move(out), {std::size_t(sparse.size()), width});
}

nb::object sparse_transposed_times(nb::handle columns, nb::handle values, nb::handle offsets,
                                   nb::handle matrix, std::size_t height, int threads) {
  check_threads(threads);
  const std::size_t width = checked_extents<2>(matrix, "matrix")[1];
  const SparseRows sparse = checked_sparse(columns, values, offsets, height);
  const auto* numbers = checked_array<float>(matrix, "matrix", {std::size_t(sparse.size()), width});
  std::vector<float> out(height * width);
  {
    nb::gil_scoped_release release;
    add_transposed_times(sparse, numbers, std::int64_t(width), out.data(), threads);
  }
  return to_numpy(std::move(out), {height, width});
}

nb::object products_of_rows(nb::handle columns, nb::handle offsets, nb::handle left,
                            nb::handle right, int threads) {
  check_threads(threads);
  const auto [height, width] = checked_extents<2>(right, "right");
  const auto* of_columns = checked_array<float>(right, "right", {height, width});
  const SparseRows sparse = checked_sparse(columns, nb::none(), offsets, height);
  const auto* of_rows = checked_array<float>(left, "left", {std::size_t(sparse.size()), width});
  std::vector<float> out(sparse.columns.size());
  {
    nb::gil_scoped_release release;
    products_at(sparse, of_rows, of_columns, std::int64_t(width), out.data(), threads);
  }
  return to_numpy(std::move(out));
}

}  // namespace

void bind_sparse(nb::module_& module) {
  module.def("sparse_times", &sparse_times, "columns"_a.none(), "values"_a.none(),
             "offsets"_a.none(), "matrix"_a.none(), "threads"_a = 1,
             nb::sig("def sparse_times(columns: numpy.typing.NDArray[numpy.int32], "
                     "values: numpy.typing.NDArray[numpy.float32], "
                     "offsets: numpy.typing.NDArray[numpy.int64], "
                     "matrix: numpy.typing.NDArray[numpy.float32], threads: int = 1) "
                     "-> numpy.typing.NDArray[numpy.float32]"),
             "Sparse rows times a matrix.");
  module.def("sparse_transposed_times", &sparse_transposed_times, "columns"_a.none(),
             "values"_a.none(), "offsets"_a.none(), "matrix"_a.none(), "height"_a, "threads"_a = 1,
             nb::sig("def sparse_transposed_times(columns: numpy.typing.NDArray[numpy.int32], "
                     "values: numpy.typing.NDArray[numpy.float32], "
                     "offsets: numpy.typing.NDArray[numpy.int64], "
                     "matrix: numpy.typing.NDArray[numpy.float32], height: int, "
                     "threads: int = 1) -> numpy.typing.NDArray[numpy.float32]"),
             "The sparse rows' transpose, of so many rows, times a matrix.");
  module.def("products_at", &products_of_rows, "columns"_a.none(), "offsets"_a.none(),
             "left"_a.none(), "right"_a.none(), "threads"_a = 1,
             nb::sig("def products_at(columns: numpy.typing.NDArray[numpy.int32], "
                     "offsets: numpy.typing.NDArray[numpy.int64], "
                     "left: numpy.typing.NDArray[numpy.float32], "
                     "right: numpy.typing.NDArray[numpy.float32], threads: int = 1) "
                     "-> numpy.typing.NDArray[numpy.float32]"),
             "Each row of `left` times those rows of `right` that its columns name.");
}

}  // namespace selfmate::bindings
