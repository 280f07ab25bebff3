// NumPy arrays in and out: checked on the way in, owned by Python on the way out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "chess/notation.h"

namespace selfmate::bindings {

namespace nb = nanobind;

template <class T>
using NumpyArray = nb::ndarray<nb::numpy, T>;

using Extents = std::vector<std::size_t>;

enum class NumberKind { kSigned, kUnsigned, kFloat };

template <class T>
constexpr NumberKind number_kind() {
  if (std::is_floating_point_v<T>) return NumberKind::kFloat;
  return std::is_signed_v<T> ? NumberKind::kSigned : NumberKind::kUnsigned;
}

// What an array must be. Numbers are in the machine's order of bytes.
struct ArrayLayout {
  NumberKind kind;
  std::size_t number_size;
  bool writable;
};

// The memory of an object with the buffer protocol, such as a NumPy array. The owner keeps it until
// this is destroyed, which takes the GIL.
class Buffer {
 public:
  // Holds nothing if the object has no buffer, or none that can be written to as asked.
  Buffer(nb::handle value, bool writable);
  Buffer(Buffer&& other) noexcept : view_(std::exchange(other.view_, {})) {}
  Buffer& operator=(Buffer&&) = delete;
  ~Buffer();

  explicit operator bool() const { return view_.obj != nullptr; }
  void* data() const { return view_.buf; }
  Extents extents() const;
  bool fits(const ArrayLayout& layout) const;  // C-contiguous, and its numbers aligned

 private:
  Py_buffer view_{};
};

// BadInput saying what came instead.
Buffer checked_buffer(nb::handle value, const char* name, const ArrayLayout& layout,
                      const Extents& extents);

// A contiguous array, lent by Python for a call; of const numbers if the call only reads them.
template <class T>
class Array {
 public:
  Array(nb::handle value, const char* name, const Extents& extents)
      : buffer_(checked_buffer(
            value, name, {number_kind<std::remove_const_t<T>>(), sizeof(T), !std::is_const_v<T>},
            extents)) {
    for (const std::size_t extent : extents) size_ *= extent;
  }
  T* data() const { return static_cast<T*>(buffer_.data()); }
  std::size_t size() const { return size_; }
  T* begin() const { return data(); }
  T* end() const { return data() + size_; }

 private:
  Buffer buffer_;
  std::size_t size_ = 1;
};

// A copy, for numbers that decide where memory is read or written: another thread may change the
// array after they were checked.
template <class T>
std::vector<T> checked_copy(nb::handle value, const char* name, const Extents& extents) {
  const Array<const T> array(value, name, extents);
  return {array.begin(), array.end()};
}

// BadInput for an array of another number of dimensions.
Extents extents_of(nb::handle value, const char* name, std::size_t dimensions);

// The extents of an array of N dimensions.
template <std::size_t N>
std::array<std::size_t, N> checked_extents(nb::handle value, const char* name) {
  const Extents extents = extents_of(value, name, N);
  std::array<std::size_t, N> checked{};
  std::copy_n(extents.begin(), N, checked.begin());
  return checked;
}

inline std::size_t checked_length(nb::handle value, const char* name) {
  return extents_of(value, name, 1)[0];
}

// A copy of an array of one dimension, whatever its length.
template <class T>
std::vector<T> checked_list(nb::handle value, const char* name) {
  return checked_copy<T>(value, name, {checked_length(value, name)});
}

// How many numbers a result of such extents has; BadInput if they take more than a gigabyte. Arrays
// without numbers may have any extents, so a large one says nothing about the memory there is.
std::size_t checked_size(const Extents& extents);

// Hands a vector over to NumPy without copying; `As` renames the type (bytes as bool).
template <class As = void, class T>
nb::object to_numpy(std::vector<T>&& values, const Extents& shape = {}) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  const Extents extents = shape.empty() ? Extents{owned->size()} : shape;
  using Shown = std::conditional_t<std::is_void_v<As>, T, As>;
  static_assert(sizeof(Shown) == sizeof(T));
  return nb::cast(NumpyArray<Shown>(owned->data(), extents.size(), extents.data(), owner));
}

}  // namespace selfmate::bindings
