// The transformer of selfmate.nets on the processor, without torch: inference only. It has a policy
// and no value, so a tree search cannot ask it.
#pragma once

#include <string_view>

#include "nets/dispatch.h"
#include "nets/memory_pool.h"
#include "nets/weights.h"
#include "search/position_evaluator.h"

namespace selfmate {

// BadInput for an unknown name.
PolicyHead policy_head_named(std::string_view name);

struct TransformerShape {
  int width, blocks, heads;
  PolicyHead head;
  bool has_bias;  // attention has a bias for each pair of tokens
};

// Any number of threads may call any method at once. The result for a position is the same, bit for
// bit, in any batch.
class Transformer {
 public:
  // BadInput for weights that are not those of the shape, or not finite. `kernels`: none that
  // are faster than those of this name.
  Transformer(const TransformerShape& shape, const Weights& weights, std::string_view kernels = "");
  ~Transformer();

  // Logits [count, 1968] of all moves, legal or not, of tokens [count, 78]. Both are in the view of
  // the side to move. BadInput for a token that is no word.
  void logits(const std::uint8_t* tokens, std::int64_t count, int threads, float* logits);
  // A logit of each move of a batch.
  void evaluate(const PositionBatch& batch, int threads, float* logits);

 private:
  class Packed;
  class Memory;

  template <class Work>
  void for_each_row(std::int64_t count, int threads, Work work);

  const TransformerShape shape_;
  const Kernels& kernels_;
  const std::unique_ptr<const Packed> packed_;
  MemoryPool<Memory> memory_;
};

}  // namespace selfmate
