// 3 x 3 convolutions over boards and their gradients, for training.
//
// Boards are [8, 8, channels], and zero beyond their edges. Every sum is made in the same order on
// any number of threads and whatever other boards are in the batch.
#pragma once

#include <cstdint>
#include <vector>

#include "nets/layers.h"

namespace selfmate {

// How many numbers the packed filters of a convolution are.
std::int64_t packed_filters_size(std::int64_t outputs, std::int64_t inputs);

// Filters as `convolve` reads them. Pass those with `backward` to get the gradient of the inputs
// from that of the outputs.
std::vector<float> packed_filters(const Filters& filters);

// out [count, 8, 8, outputs] = the convolution of boards [count, 8, 8, inputs]
void convolve(const float* boards, std::int64_t count, std::int64_t inputs,
              const float* packed_filters, std::int64_t outputs, float* out, int threads);

// out [outputs, inputs, 3, 3] = the gradient of the filters, given the boards that `convolve` read
// and the gradients [count, 8, 8, outputs] of those it wrote
void filter_gradient(const float* boards, std::int64_t count, std::int64_t inputs,
                     const float* gradients, std::int64_t outputs, float* out, int threads);

}  // namespace selfmate
