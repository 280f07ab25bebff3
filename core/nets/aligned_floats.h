// Memory for floats that starts on a cache line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

namespace selfmate {

// Zero at first. The address stays the same when the object is moved.
class AlignedFloats {
 public:
  explicit AlignedFloats(std::size_t size)
      : numbers_(static_cast<float*>(::operator new(size * sizeof(float), kCacheLine))) {
    std::fill_n(numbers_.get(), size, 0.0f);
  }
  float* get() const { return numbers_.get(); }

 private:
  static constexpr std::align_val_t kCacheLine{64};
  struct Free {
    void operator()(float* numbers) const { ::operator delete(numbers, kCacheLine); }
  };
  std::unique_ptr<float[], Free> numbers_;
};

}  // namespace selfmate
