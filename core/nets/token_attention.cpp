#include "nets/token_attention.h"

#include <cmath>

#include "nets/aligned_floats.h"
#include "nets/dispatch.h"

namespace selfmate {
namespace {

// Owns the scratch memory of one thread. The bias is transposed for it to [heads, key, query].
class ScratchMemory {
 public:
  explicit ScratchMemory(const TokenAttention& attention)
      : attention_(attention),
        queries_((attention.tokens + kPanel - 1) / kPanel * kPanel),
        head_step_(std::size_t(attention.tokens) * std::size_t(queries_)),
        transposed_(std::size_t(attention.head_width) * std::size_t(queries_)),
        weights_(head_step_),
        gradients_(head_step_),
        bias_(head_step_ * std::size_t(attention.heads)),
        bias_gradient_(head_step_ * std::size_t(attention.heads)) {
    if (!attention.bias) return;
    for_each_score(
        [&, from = attention.bias](std::size_t at) mutable { bias_.get()[at] = *from++; });
  }

  AttentionScratch scratch() const {
    return {.queries = queries_,
            .scale = 1.0f / std::sqrt(float(attention_.head_width)),
            .transposed = transposed_.get(),
            .weights = weights_.get(),
            .gradients = gradients_.get(),
            .bias = bias_.get(),
            .bias_gradient = bias_gradient_.get(),
            .head_step = std::ptrdiff_t(head_step_)};
  }

  // To [heads, query, key].
  void write_bias_gradient(float* to) const {
    for_each_score([&](std::size_t at) { *to++ = bias_gradient_.get()[at]; });
  }

 private:
  // Calls visit(where the score is here) in the order of [heads, query, key].
  template <class Visit>
  void for_each_score(Visit&& visit) const {
    const auto tokens = std::size_t(attention_.tokens);
    for (std::size_t head = 0; head < std::size_t(attention_.heads); ++head)
      for (std::size_t query = 0; query < tokens; ++query)
        for (std::size_t key = 0; key < tokens; ++key)
          visit(head * head_step_ + key * std::size_t(queries_) + query);
  }

  const TokenAttention attention_;
  const int queries_;
  const std::size_t head_step_;
  AlignedFloats transposed_, weights_, gradients_, bias_, bias_gradient_;
};

}  // namespace

void attend(const TokenAttention& attention, std::int64_t sequences, const float* qkv,
            float* attended) {
  const ScratchMemory memory(attention);
  const AttentionScratch scratch = memory.scratch();
  const Kernels& kernels = best_kernels();
  const std::int64_t size = std::int64_t(attention.tokens) * attention.width();
  for (std::int64_t i = 0; i < sequences; ++i)
    kernels.attend(attention, qkv + 3 * size * i, scratch, attended + size * i);
}

void attend_backward(const TokenAttention& attention, std::int64_t sequences, const float* qkv,
                     const float* attended_gradient, float* qkv_gradient, float* bias_gradient) {
  const ScratchMemory memory(attention);
  const AttentionScratch scratch = memory.scratch();
  const Kernels& kernels = best_kernels();
  const std::int64_t size = std::int64_t(attention.tokens) * attention.width();
  for (std::int64_t i = 0; i < sequences; ++i)
    kernels.attend_backward(attention, qkv + 3 * size * i, attended_gradient + size * i, scratch,
                            qkv_gradient + 3 * size * i);
  if (bias_gradient) memory.write_bias_gradient(bias_gradient);
}

}  // namespace selfmate
