// What a trained SE-ResNet (nets/se_resnet.py) says of positions. It learns in torch; here it only
// answers: without waiting for Python between layers, and the same, bit for bit, for a position in
// whatever batch it is and on any number of threads.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "nets/layers.h"

namespace selfmate {

struct Squeeze {
  Linear down, up;
};

struct Attention {
  Norm norm;
  std::vector<float> places;
  Linear look, add;
};

struct Block {
  Convolution first, second;
  Norm first_norm, second_norm;
  std::optional<Squeeze> squeeze;
  std::optional<Attention> attention;
};

class SeResNet {
 public:
  // The weights by the names that they have in torch, copied. BadInput if one is missing or does
  // not fit the others. The processor must be wide (nets/wide.h).
  explicit SeResNet(const Tensors& weights);

  // planes [count, 68, 8, 8] to logits of actions [count, 64, 73] and of the value [count,
  // values()]
  void evaluate(const float* planes, std::int64_t count, float* logits, float* value,
                int threads) const;

  std::int64_t values() const { return value_out_.outputs; }

 private:
  void evaluate_some(const float* planes, std::int64_t count, float* logits, float* value) const;

  Convolution stem_;
  Norm stem_norm_;
  std::vector<Block> blocks_;
  Linear policy_, value_channels_, value_hidden_, value_out_;
};

}  // namespace selfmate
