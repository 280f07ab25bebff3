#include "nets/layers.h"

#include "chess/notation.h"
#include "nets/wide.h"
#include "nets/winograd.h"

namespace selfmate {
namespace {

const Tensor& shaped(const Tensors& weights, const std::string& name,
                     const std::vector<std::int64_t>& shape) {
  const Tensor& tensor = named(weights, name);
  if (tensor.shape != shape) throw BadInput("the weights " + name + " have a wrong shape");
  return tensor;
}

// `at` says where an input stands in torch's weights [outputs, inputs].
template <class At>
Linear packed(const float* weights, const std::vector<float>& bias, std::int64_t inputs, At at) {
  const auto outputs = std::int64_t(bias.size());
  const std::int64_t width = (outputs + kPanel - 1) / kPanel * kPanel;
  Linear layer{inputs, outputs, width, std::vector<float>(std::size_t(width * inputs)), bias};
  layer.bias.resize(std::size_t(width));
  for (std::int64_t output = 0; output < outputs; ++output)
    for (std::int64_t input = 0; input < inputs; ++input)
      layer.panels[std::size_t((output / kPanel * inputs + input) * kPanel + output % kPanel)] =
          weights[output * inputs + at(input)];
  return layer;
}

}  // namespace

const Tensor& named(const Tensors& weights, const std::string& name) {
  const auto found = weights.find(name);
  if (found == weights.end()) throw BadInput("the weights lack " + name);
  return found->second;
}

std::vector<float> vector_of(const Tensors& weights, const std::string& name, std::int64_t size) {
  const Tensor& tensor = shaped(weights, name, {size});
  return {tensor.numbers, tensor.numbers + size};
}

std::vector<float> matrix_of(const Tensors& weights, const std::string& name, std::int64_t rows,
                             std::int64_t columns) {
  const Tensor& tensor = shaped(weights, name, {rows, columns});
  return {tensor.numbers, tensor.numbers + rows * columns};
}

Norm norm_of(const Tensors& weights, const std::string& name, std::int64_t size) {
  return {vector_of(weights, name + ".weight", size), vector_of(weights, name + ".bias", size)};
}

Convolution convolution_of(const Tensors& weights, const std::string& name, std::int64_t outputs,
                           std::int64_t inputs) {
  const Tensor& tensor = shaped(weights, name + ".weight", {outputs, inputs, 3, 3});
  return {inputs, outputs, winograd_weights(tensor.numbers, outputs, inputs)};
}

Linear linear_of(const Tensors& weights, const std::string& name, std::int64_t outputs,
                 std::int64_t inputs) {
  return packed(shaped(weights, name + ".weight", {outputs, inputs}).numbers,
                vector_of(weights, name + ".bias", outputs), inputs,
                [](std::int64_t input) { return input; });
}

Linear pointwise_of(const Tensors& weights, const std::string& name, std::int64_t outputs,
                    std::int64_t inputs) {
  return packed(shaped(weights, name + ".weight", {outputs, inputs, 1, 1}).numbers,
                vector_of(weights, name + ".bias", outputs), inputs,
                [](std::int64_t input) { return input; });
}

Linear flattened_of(const Tensors& weights, const std::string& name, std::int64_t outputs,
                    std::int64_t channels) {
  return packed(shaped(weights, name + ".weight", {outputs, channels * 64}).numbers,
                vector_of(weights, name + ".bias", outputs), channels * 64,
                [&](std::int64_t input) { return input % channels * 64 + input / channels; });
}

}  // namespace selfmate
