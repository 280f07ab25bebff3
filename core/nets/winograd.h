// Convolutions of 3x3 over boards of 8x8, by Winograd's method: a board is cut into four tiles of
// 4x4, and what a tile's 16 outputs need 144 products for, per pair of channels, is had with 36
// between transformed inputs and transformed weights (Lavin and Gray 2015, F(4x4, 3x3)).
//
// Boards are [8, 8, channels], and zero beyond their edges. Every sum is made in the same order on
// any number of threads and whatever other boards are there. The processor must be wide
// (nets/wide.h).
#pragma once

#include <cstdint>
#include <vector>

namespace selfmate {

// Transformed weights: for each of 36 places, for each 16 outputs, for each input, 16 numbers.
std::int64_t winograd_size(std::int64_t outputs, std::int64_t inputs);

// Of weights [outputs, inputs, 3, 3].
std::vector<float> winograd_weights(const float* weights, std::int64_t outputs,
                                    std::int64_t inputs);

// Of the convolution that takes gradients of outputs back to inputs.
std::vector<float> winograd_weights_back(const float* weights, std::int64_t outputs,
                                         std::int64_t inputs);

// out [count, 8, 8, outputs] = the convolution of boards [count, 8, 8, inputs]
void convolve(const float* boards, std::int64_t count, std::int64_t inputs,
              const float* transformed_weights, std::int64_t outputs, float* out, int threads);

// out [outputs, inputs, 3, 3] = the gradient of the weights, given that of what `convolve` made
void convolution_gradient(const float* boards, std::int64_t count, std::int64_t inputs,
                          const float* gradients, std::int64_t outputs, float* out, int threads);

}  // namespace selfmate
