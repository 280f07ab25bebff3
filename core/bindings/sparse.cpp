#include "nets/sparse.h"
#include "bindings/module.h"
#include "bindings/sparse_places.h"

namespace selfmate::bindings {
namespace {

using namespace nb::literals;

nb::object sparse_times(nb::handle columns, nb::handle values, nb::handle offsets,
                        nb::handle matrix, int threads) {
  check_threads(threads);
  const auto [height, width] = checked_extents<2>(matrix, "matrix");
  const Array<const float> numbers(matrix, "matrix", {height, width});
  const SparsePlaces places(columns, offsets, height);
  const Array<const float> at_places(values, "values", {places.size()});
  std::vector<float> out(checked_size({places.rows(), width}));
  {
    nb::gil_scoped_release release;
    times_matrix(places.with({at_places.data(), at_places.size()}), numbers.data(),
                 std::int64_t(width), out.data(), threads);
  }
  return to_numpy(std::move(out), {places.rows(), width});
}

nb::object sparse_transposed_times(nb::handle columns, nb::handle values, nb::handle offsets,
                                   nb::handle matrix, std::size_t height, int threads) {
  check_threads(threads);
  const std::size_t width = checked_extents<2>(matrix, "matrix")[1];
  const std::size_t size = checked_size({height, width});
  const SparsePlaces places(columns, offsets, height);
  const Array<const float> at_places(values, "values", {places.size()});
  const Array<const float> numbers(matrix, "matrix", {places.rows(), width});
  std::vector<float> out(size);
  {
    nb::gil_scoped_release release;
    add_transposed_times(places.with({at_places.data(), at_places.size()}), numbers.data(),
                         std::int64_t(width), out.data(), threads);
  }
  return to_numpy(std::move(out), {height, width});
}

nb::object products_of_rows(nb::handle columns, nb::handle offsets, nb::handle left,
                            nb::handle right, int threads) {
  check_threads(threads);
  const auto [height, width] = checked_extents<2>(right, "right");
  const Array<const float> of_columns(right, "right", {height, width});
  const SparsePlaces places(columns, offsets, height);
  const Array<const float> of_rows(left, "left", {places.rows(), width});
  std::vector<float> out(places.size());
  {
    nb::gil_scoped_release release;
    products_at(places.with({}), of_rows.data(), of_columns.data(), std::int64_t(width), out.data(),
                threads);
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
