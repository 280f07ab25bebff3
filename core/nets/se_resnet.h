// The SE-ResNet of selfmate.nets on the processor, without torch: inference only.
#pragma once

#include <cstdint>

#include "nets/dispatch.h"
#include "nets/memory_pool.h"
#include "nets/se_resnet_weights.h"

namespace selfmate {

// Memory of a forward pass.
class SeResNetMemory : ScratchBuffers {
 public:
  explicit SeResNetMemory(const SeResNetLayers& net);
  const SeResNetScratch& scratch() const { return scratch_; }

 private:
  SeResNetScratch scratch_;
};

// Any number of threads may call any method at once. The result for a row is the same, bit for bit,
// in any batch.
class SeResNet {
 public:
  // `kernels`: none that are faster than those of this name.
  SeResNet(const SeResNetShape& shape, const Weights& weights, std::string_view kernels = "");

  // Takes over other weights. Evaluations that run meanwhile finish with the old ones.
  void load(const Weights& weights);

  // Values [count, outputs] and logits [count, 4672] of planes [count, 96, 64].
  void evaluate(const float* planes, std::int64_t count, int threads, float* values, float* logits);

  int outputs() const { return shape_.outputs(); }

 private:
  std::int64_t group_count(std::int64_t count, int threads) const;
  void evaluate_group(const SeResNetLayers& layers, const float* planes, int boards, float* values,
                      float* logits);

  const SeResNetShape shape_;
  const Kernels& kernels_;
  CurrentWeights<PackedNet> packed_;
  MemoryPool<SeResNetMemory> memory_;
};

}  // namespace selfmate
