#include "bindings/arguments.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <stdexcept>

namespace selfmate::bindings {
namespace {

constexpr int kMaxThreads = 1024;

InUse* newest = nullptr;  // of all that exist, changed with the GIL held

}  // namespace

void check_threads(int threads) {
  if (threads < 1 || threads > kMaxThreads)
    throw BadInput("threads must be at least 1 and at most " + std::to_string(kMaxThreads) +
                   ", not " + std::to_string(threads));
}

std::string_view utf8(const nb::str& text) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (bytes) return {bytes, std::size_t(size)};
  if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) throw nb::python_error();
  PyErr_Clear();
  throw BadInput("the text " + std::string(nb::repr(text).c_str()) +
                 " has half of a surrogate pair, which is no character");
}

void check_initialized(nb::handle object) {
  if (!nb::inst_ready(object))
    throw BadInput("a " + nb::cast<std::string>(object.type().attr("__name__")) +
                   " was not initialized: a subclass must call super().__init__()");
}

InUse::InUse(const void* object, Games boards, Purpose purpose)
    : object_(object), boards_(boards), purpose_(purpose) {
  if (object && !is_free(object, purpose))
    throw std::runtime_error(
        "this object is in use by another call that has not ended: give each thread its own, or "
        "wait for that call");
  next_ = newest;
  if (next_) next_->previous_ = this;
  newest = this;
}

InUse::~InUse() {
  (previous_ ? previous_->next_ : newest) = next_;
  if (next_) next_->previous_ = previous_;
}

bool InUse::uses(const void* object) const {
  return object == object_ || std::find(boards_.begin(), boards_.end(), object) != boards_.end();
}

bool InUse::is_free(const void* object, Purpose purpose) {
  for (const InUse* other = newest; other; other = other->next_)
    if ((purpose == kChange || other->purpose_ == kChange) && other->uses(object)) return false;
  return true;
}

}  // namespace selfmate::bindings
