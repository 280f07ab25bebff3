// The SE-ResNet of nets/se_resnet.py on the processor, without torch.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "nets/forward.h"
#include "nets/se_resnet_weights.h"
#include "nets/workroom.h"

namespace selfmate {

// For any number of threads at once. A row's answer is the same, bit for bit, in any batch.
class SeResNet {
 public:
  // `portable`: the version for any processor, even where there is a quicker one.
  SeResNet(const SeResNetShape& shape, const Weights& weights, bool portable);

  // Takes over other weights. Who is at work goes on with those it began with.
  void load(const Weights& weights);

  // Values [count, outputs] and logits [count, 4672] for planes [count, 68, 64].
  void evaluate(const float* planes, std::int64_t count, int threads, float* values, float* logits);

  int outputs() const { return shape_.outputs(); }

 private:
  void evaluate_share(const Layers& layers, const float* planes, std::int64_t count, float* values,
                      float* logits);

  const SeResNetShape shape_;
  const Forward forward_;
  std::mutex mutex_;
  std::shared_ptr<const PackedNet> packed_;
  std::vector<std::unique_ptr<Workroom>> free_rooms_;
};

}  // namespace selfmate
