// Arrays of a net by name, on their way out.
#pragma once

#include "bindings/arrays.h"
#include "learn/scorer_parameters.h"

namespace selfmate::bindings {

inline nb::dict to_dict(std::vector<NamedArray> arrays) {
  nb::dict found;
  for (NamedArray& array : arrays)
    found[array.name.c_str()] = to_numpy(std::move(array.numbers), array.shape);
  return found;
}

}  // namespace selfmate::bindings
