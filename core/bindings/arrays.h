// NumPy arrays in and out: checked on the way in, owned by Python on the way out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "chess/notation.h"

namespace selfmate::bindings {

namespace nb = nanobind;

template <class T>
using NumpyArray = nb::ndarray<nb::numpy, T>;

template <class T>
std::string dtype_name() {
  const std::string kind = std::is_floating_point_v<T> ? "float"
                           : std::is_signed_v<T>       ? "int"
                                                       : "uint";
  return kind + std::to_string(8 * sizeof(T));
}

inline void check_threads(int threads) {
  if (threads < 1) throw BadInput("threads must be at least 1, not " + std::to_string(threads));
}

// A contiguous array of exactly this type and shape, or BadInput saying what came instead.
template <class T>
T* checked_array(nb::handle value, const char* name, const std::vector<std::size_t>& shape,
                 bool writable = false) {
  std::string wanted =
      std::string(name) + " must be a C-contiguous " + dtype_name<T>() + " array of shape (";
  for (const std::size_t extent : shape) wanted += std::to_string(extent) + ",";
  wanted += ")";
  using Any = nb::ndarray<nb::device::cpu>;
  using AnyReadOnly = nb::ndarray<nb::ro, nb::device::cpu>;
  const auto check = [&](const auto& array) -> T* {
    bool fits = array.dtype() == nb::dtype<T>() && array.ndim() == shape.size();
    std::int64_t stride = 1;
    for (std::size_t axis = shape.size(); fits && axis-- > 0;) {
      // The strides of an array without elements mean nothing.
      fits = array.shape(axis) == shape[axis] &&
             (array.stride(axis) == stride || array.shape(axis) <= 1 || array.size() == 0);
      stride *= std::int64_t(shape[axis]);
    }
    if (!fits) throw BadInput(wanted);
    return static_cast<T*>(const_cast<void*>(static_cast<const void*>(array.data())));
  };
  if (!nb::ndarray_check(value)) throw BadInput(wanted);
  if (Any array; nb::try_cast<Any>(value, array, false)) return check(array);
  if (writable) throw BadInput(wanted + " that can be written to");
  if (AnyReadOnly array; nb::try_cast<AnyReadOnly>(value, array, false)) return check(array);
  throw BadInput(wanted);
}

// The extents of an array of N dimensions; BadInput for an array of another number of them.
template <std::size_t N>
std::array<std::size_t, N> checked_extents(nb::handle value, const char* name) {
  static constexpr const char* kDimensions[] = {"", "one dimension", "two dimensions",
                                                "three dimensions", "four dimensions"};
  nb::ndarray<nb::ro, nb::ndim<N>, nb::device::cpu> array;
  if (!nb::ndarray_check(value) || !nb::try_cast(value, array, false))
    throw BadInput(std::string(name) + " must be an array of " + kDimensions[N]);
  std::array<std::size_t, N> extents;
  for (std::size_t axis = 0; axis < N; ++axis) extents[axis] = array.shape(axis);
  return extents;
}

inline std::size_t checked_length(nb::handle value, const char* name) {
  return checked_extents<1>(value, name)[0];
}

// Hands a vector over to NumPy without copying; `As` renames the type (bytes as bool).
template <class As = void, class T>
nb::object to_numpy(std::vector<T>&& values, const std::vector<std::size_t>& shape = {}) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  const std::vector<std::size_t> extents = shape.empty() ? std::vector{owned->size()} : shape;
  using Shown = std::conditional_t<std::is_void_v<As>, T, As>;
  static_assert(sizeof(Shown) == sizeof(T));
  return nb::cast(NumpyArray<Shown>(owned->data(), extents.size(), extents.data(), owner));
}

}  // namespace selfmate::bindings
