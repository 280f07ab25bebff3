// Arguments that are not arrays: numbers of threads, texts, and objects that calls use while other
// threads of Python run.
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

#include "encode/games.h"

namespace selfmate::bindings {

namespace nb = nanobind;

void check_threads(int threads);

// The text in UTF-8, which lives as long as the object. BadInput for half of a surrogate pair:
// nanobind would say that the type is wrong.
std::string_view utf8(const nb::str& text);

// BadInput for an object like `Board.__new__(Board)`, without an instance in C++.
void check_initialized(nb::handle object);

// The instance of an object of the type; null for an object of another.
template <class T>
T* instance_of(nb::handle object) {
  if (!nb::isinstance<T>(object)) return nullptr;
  check_initialized(object);
  return nb::inst_ptr<T>(object);
}

// Announces that a call uses an object, until this is destroyed. Calls that read may share it; a
// call that changes it has it alone, and others are refused with RuntimeError. Created and
// destroyed with the GIL held, so it needs no lock.
class InUse {
 public:
  enum Purpose { kRead, kChange };

  template <class T>
  InUse(const T& object, Purpose purpose) : InUse(&object, {}, purpose) {}
  explicit InUse(Games boards) : InUse(nullptr, boards, kRead) {}
  InUse(const InUse&) = delete;
  ~InUse();

 private:
  InUse(const void* object, Games boards, Purpose purpose);
  bool uses(const void* object) const;
  // Whether no other call is in the way.
  static bool is_free(const void* object, Purpose purpose);

  const void* object_;
  Games boards_;
  Purpose purpose_;
  InUse *previous_ = nullptr, *next_;
};

}  // namespace selfmate::bindings
