// Memory for numbers that starts on a cache line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace selfmate {

// Zero at first. The address stays the same when the object is moved.
template <class Number>
class AlignedNumbers {
 public:
  explicit AlignedNumbers(std::size_t size)
      : numbers_(static_cast<Number*>(::operator new(size * sizeof(Number), kCacheLine))) {
    std::fill_n(numbers_.get(), size, Number(0));
  }
  Number* get() const { return numbers_.get(); }

 private:
  static constexpr std::align_val_t kCacheLine{64};
  struct Free {
    void operator()(Number* numbers) const { ::operator delete(numbers, kCacheLine); }
  };
  std::unique_ptr<Number[], Free> numbers_;
};

using AlignedFloats = AlignedNumbers<float>;
using AlignedShorts = AlignedNumbers<std::int16_t>;
using AlignedIntegers = AlignedNumbers<std::int32_t>;

}  // namespace selfmate
