// Layers of nets that learn in torch, read from torch's weights and kept as products want them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace selfmate {

struct Tensor {
  std::vector<std::int64_t> shape;
  const float* numbers;
};
using Tensors = std::map<std::string, Tensor>;

// y = x W' + b
struct Linear {
  std::int64_t inputs, outputs, width;  // outputs in whole panels
  std::vector<float> panels, bias;
};

struct Convolution {
  std::int64_t inputs, outputs;
  std::vector<float> weights;
};

struct Norm {
  std::vector<float> gain, bias;
};

// All by their names in torch, copied; BadInput if one is missing or has another shape.
std::vector<float> vector_of(const Tensors& weights, const std::string& name, std::int64_t size);
std::vector<float> matrix_of(const Tensors& weights, const std::string& name, std::int64_t rows,
                             std::int64_t columns);
Norm norm_of(const Tensors& weights, const std::string& name, std::int64_t size);
Convolution convolution_of(const Tensors& weights, const std::string& name, std::int64_t outputs,
                           std::int64_t inputs);
Linear linear_of(const Tensors& weights, const std::string& name, std::int64_t outputs,
                 std::int64_t inputs);
// A convolution of 1x1: the same for each square.
Linear pointwise_of(const Tensors& weights, const std::string& name, std::int64_t outputs,
                    std::int64_t inputs);
// Of boards' channels end to end: in torch each channel's squares stand together, here each
// square's channels.
Linear flattened_of(const Tensors& weights, const std::string& name, std::int64_t outputs,
                    std::int64_t channels);

const Tensor& named(const Tensors& weights, const std::string& name);

}  // namespace selfmate
