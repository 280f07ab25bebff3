// Rows of uneven length in one flat array.
#pragma once

#include <cstdint>
#include <vector>

namespace selfmate {

// Game i owns values[offsets[i]] up to values[offsets[i + 1]], counted in rows.
template <class T>
struct Ragged {
  std::vector<T> values;
  std::vector<std::int64_t> offsets;
};

}  // namespace selfmate
