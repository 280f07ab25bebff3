// Scratch memory of forward passes, kept from call to call: to get it anew would take longer than a
// position.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "nets/aligned_floats.h"

namespace selfmate {

// Buffers of floats that are freed together.
class ScratchBuffers {
 protected:
  float* allocate(std::size_t size) { return buffers_.emplace_back(size).get(); }

 private:
  std::vector<AlignedFloats> buffers_;
};

// Any number of threads may use a pool at once.
template <class Memory>
class MemoryPool {
 public:
  // Memory that is free, or what `make` returns.
  template <class Make>
  std::unique_ptr<Memory> take(Make make) {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        auto memory = std::move(free_.back());
        free_.pop_back();
        return memory;
      }
    }
    return make();
  }
  void give_back(std::unique_ptr<Memory> memory) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(memory));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Memory>> free_;
};

}  // namespace selfmate
