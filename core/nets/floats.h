// Numbers on lines of the cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

namespace selfmate {

// Starts as zeros and keeps its place when moved.
class Floats {
 public:
  explicit Floats(std::size_t size)
      : numbers_(static_cast<float*>(::operator new(size * sizeof(float), kLine))) {
    std::fill_n(numbers_.get(), size, 0.0f);
  }
  float* get() const { return numbers_.get(); }

 private:
  static constexpr std::align_val_t kLine{64};
  struct Free {
    void operator()(float* numbers) const { ::operator delete(numbers, kLine); }
  };
  std::unique_ptr<float[], Free> numbers_;
};

}  // namespace selfmate
