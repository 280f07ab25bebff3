// Weights that Python owns and the core reads.
#pragma once

#include <nanobind/stl/string.h>

#include "bindings/arrays.h"
#include "nets/weights.h"

namespace selfmate::bindings {

// Weights by their names, borrowed from the arrays of a dict.
class BorrowedWeights {
 public:
  explicit BorrowedWeights(const nb::dict& arrays) {
    for (nb::handle item : arrays.items()) {
      std::string name;
      if (!nb::try_cast(item[0], name)) throw BadInput("the names of weights must be texts");
      add(name, nb::object(item[1]));
    }
  }
  const Weights& weights() const { return weights_; }

 private:
  void add(const std::string& name, nb::handle value) {
    const std::string title = "the weight " + name;
    Extents extents;
    if (const Buffer buffer(value, false); buffer)
      extents = buffer.extents();
    else
      throw BadInput(title + " must be an array");
    arrays_.emplace_back(value, title.c_str(), extents);
    weights_[name] = {arrays_.back().data(), std::move(extents)};
  }

  std::vector<Array<const float>> arrays_;
  Weights weights_;
};

}  // namespace selfmate::bindings
