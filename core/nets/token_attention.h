// Attention of all tokens of a sequence to all, forward and backward, for training.
#pragma once

#include <cstdint>

#include "nets/layers.h"

namespace selfmate {

constexpr int kHeadGrain = 8;  // a head's width is a multiple of this

// attended [sequences, tokens, width] of qkv [sequences, tokens, 3 (query, key, value), width].
void attend(const TokenAttention& attention, std::int64_t sequences, const float* qkv,
            float* attended);

// Gradients of qkv and of the bias, for that of what was attended. `bias_gradient` may be null.
void attend_backward(const TokenAttention& attention, std::int64_t sequences, const float* qkv,
                     const float* attended_gradient, float* qkv_gradient, float* bias_gradient);

}  // namespace selfmate
