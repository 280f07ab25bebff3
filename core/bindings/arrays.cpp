#include "bindings/arrays.h"

#include <bit>
#include <cstdint>
#include <string_view>

namespace selfmate::bindings {
namespace {

constexpr std::size_t kMaxResultSize = std::size_t(1) << 28;  // of four bytes each

std::string dtype_name(const ArrayLayout& layout) {
  const char* kinds[] = {"int", "uint", "float"};
  return kinds[int(layout.kind)] + std::to_string(8 * layout.number_size);
}

std::string shape_text(const Extents& extents) {
  std::string text;
  for (const std::size_t extent : extents) text += std::to_string(extent) + ",";
  return "(" + text + ")";
}

// A format of one number, as Python's module struct writes it.
bool is_format_of(NumberKind kind, std::string_view format) {
  constexpr std::string_view kNative = std::endian::native == std::endian::little ? "@=<" : "@=>!";
  constexpr std::string_view kLetters[] = {"bhilqn", "BHILQN", "efdg"};
  if (format.size() == 2 && kNative.find(format[0]) != kNative.npos) format.remove_prefix(1);
  return format.size() == 1 && kLetters[int(kind)].find(format[0]) != std::string_view::npos;
}

}  // namespace

Buffer::Buffer(nb::handle value, bool writable) {
  if (!PyObject_CheckBuffer(value.ptr())) return;
  if (PyObject_GetBuffer(value.ptr(), &view_, writable ? PyBUF_RECORDS : PyBUF_RECORDS_RO)) {
    PyErr_Clear();
    view_ = {};
  }
}

Buffer::~Buffer() {
  if (view_.obj) PyBuffer_Release(&view_);
}

Extents Buffer::extents() const {
  return {view_.shape, view_.shape + view_.ndim};
}

bool Buffer::fits(const ArrayLayout& layout) const {
  return std::size_t(view_.itemsize) == layout.number_size &&
         is_format_of(layout.kind, view_.format ? view_.format : "B") &&
         PyBuffer_IsContiguous(&view_, 'C') &&
         (view_.len == 0 || reinterpret_cast<std::uintptr_t>(view_.buf) % layout.number_size == 0);
}

Buffer checked_buffer(nb::handle value, const char* name, const ArrayLayout& layout,
                      const Extents& extents) {
  Buffer buffer(value, layout.writable);
  if (buffer && buffer.fits(layout) && buffer.extents() == extents) return buffer;
  throw BadInput(std::string(name) + " must be a C-contiguous " + dtype_name(layout) +
                 " array of shape " + shape_text(extents) +
                 (layout.writable ? " that can be written to" : ""));
}

Extents extents_of(nb::handle value, const char* name, std::size_t dimensions) {
  static constexpr const char* kDimensions[] = {"", "one dimension", "two dimensions",
                                                "three dimensions", "four dimensions"};
  const Buffer buffer(value, false);
  if (!buffer || buffer.extents().size() != dimensions)
    throw BadInput(std::string(name) + " must be an array of " + kDimensions[dimensions]);
  return buffer.extents();
}

std::size_t checked_size(const Extents& extents) {
  std::size_t size = 1;
  for (const std::size_t extent : extents) {
    if (extent && size > kMaxResultSize / extent)
      throw BadInput("a result of shape " + shape_text(extents) + " is too large: at most " +
                     std::to_string(kMaxResultSize) + " numbers are possible");
    size *= extent;
  }
  return size;
}

}  // namespace selfmate::bindings
