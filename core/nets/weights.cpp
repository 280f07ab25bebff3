#include "nets/weights.h"

#include <algorithm>
#include <cmath>

#include "chess/notation.h"

namespace selfmate {
namespace {

std::string text_of(const Shape& shape) {
  std::string text;
  for (const std::size_t extent : shape) text += std::to_string(extent) + ",";
  return "(" + text + ")";
}

std::size_t size_of(const Shape& shape) {
  std::size_t size = 1;
  for (const std::size_t extent : shape) size *= extent;
  return size;
}

}  // namespace

const float* WeightReader::find(const std::string& name, const Shape& shape) {
  const auto found = weights_.find(name);
  if (found == weights_.end()) throw BadInput("the weights lack " + name);
  if (found->second.shape != shape)
    throw BadInput("the weight " + name + " must have the shape " + text_of(shape) + ", not " +
                   text_of(found->second.shape));
  const float* numbers = found->second.numbers;
  if (!std::all_of(numbers, numbers + size_of(shape), [](float x) { return std::isfinite(x); }))
    throw BadInput("the weight " + name + " has numbers that are not finite");
  ++used_;
  return numbers;
}

const float* WeightReader::copy(const std::string& name, const Shape& shape) {
  const float* numbers = find(name, shape);
  float* to = allocate(size_of(shape));
  std::copy_n(numbers, size_of(shape), to);
  return to;
}

const float* WeightReader::padded_rows(const std::string& name, int rows, int columns) {
  const float* numbers = find(name, {std::size_t(rows), std::size_t(columns)});
  const std::size_t width = std::size_t(padded(columns));
  float* to = allocate(std::size_t(rows) * width);
  for (int row = 0; row < rows; ++row)
    std::copy_n(numbers + std::ptrdiff_t(row) * columns, columns, to + std::size_t(row) * width);
  return to;
}

const float* WeightReader::padded_row(const std::string& name, int columns) {
  return padded_numbers(find(name, {std::size_t(columns)}), columns);
}

const float* WeightReader::padded_column(const std::string& name, int rows) {
  return padded_numbers(find(name, {std::size_t(rows), 1}), rows);
}

const float* WeightReader::padded_numbers(const float* numbers, int count) {
  float* to = allocate(std::size_t(padded(count)));
  std::copy_n(numbers, count, to);
  return to;
}

Linear WeightReader::linear(const std::string& name, int inputs, int outputs, bool pointwise) {
  return packed_linear(name, inputs, inputs, outputs, pointwise);
}

Linear WeightReader::padded_linear(const std::string& name, int inputs, int outputs,
                                   bool pointwise) {
  return packed_linear(name, inputs, padded(inputs), outputs, pointwise);
}

Linear WeightReader::packed_linear(const std::string& name, int inputs, int rows, int outputs,
                                   bool pointwise) {
  Shape shape{std::size_t(outputs), std::size_t(inputs)};
  if (pointwise) shape.insert(shape.end(), {1, 1});
  const float* weight = find(name + ".weight", shape);
  const float* bias = find(name + ".bias", {std::size_t(outputs)});
  return pack(
      rows, outputs,
      [&](int i, int o) {
        return i < inputs && o < outputs ? weight[std::ptrdiff_t(o) * inputs + i] : 0.0f;
      },
      [&](int o) { return o < outputs ? bias[o] : 0.0f; });
}

Norm WeightReader::norm(const std::string& name, int width) {
  return {padded_row(name + ".weight", width), padded_row(name + ".bias", width)};
}

Convolution WeightReader::convolution(const Kernels& kernels, const std::string& name, int inputs,
                                      int outputs) {
  const float* filters = find(name + ".weight", {std::size_t(outputs), std::size_t(inputs), 3, 3});
  float* panels = allocate(std::size_t(kPoints) * inputs * padded_to_panels(outputs));
  kernels.pack_inference_filters({filters, outputs, inputs}, panels);
  return {inputs, padded(outputs), panels};
}

Linear WeightReader::queries_keys_values(const std::string& name, int width, int heads) {
  const int true_width = width / heads, head_width = padded(true_width);
  const float* weight = find(name + ".weight", {3 * std::size_t(width), std::size_t(width)});
  const float* bias = find(name + ".bias", {3 * std::size_t(width)});
  const float query_factor = float(1 / std::sqrt(double(true_width)));
  const auto scaled = [&](const float* numbers, int stride, int output) {
    const int part = output / head_width, place = output % head_width;
    if (place >= true_width) return 0.0f;
    const float number = numbers[std::size_t(part * true_width + place) * stride];
    return part < heads ? number * query_factor : number;
  };
  return pack(
      padded(width), 3 * heads * head_width,
      [&](int i, int o) { return i < width ? scaled(weight + i, width, o) : 0.0f; },
      [&](int o) { return scaled(bias, 1, o); });
}

Linear WeightReader::attention_output(const std::string& name, int width, int heads) {
  const int true_width = width / heads, head_width = padded(true_width);
  const float* weight = find(name + ".weight", {std::size_t(width), std::size_t(width)});
  const float* bias = find(name + ".bias", {std::size_t(width)});
  const auto weight_of = [&](int input, int output) {
    const int head = input / head_width, place = input % head_width;
    if (place >= true_width || output >= width) return 0.0f;
    return weight[std::ptrdiff_t(output) * width + head * true_width + place];
  };
  return pack(heads * head_width, width, weight_of,
              [&](int o) { return o < width ? bias[o] : 0.0f; });
}

void WeightReader::check_all_used() const {
  if (used_ != weights_.size())
    throw BadInput("the net has " + std::to_string(used_) + " weights, but " +
                   std::to_string(weights_.size()) + " were given");
}

HiddenLayers::HiddenLayers(WeightReader& reader, const std::string& name,
                           std::span<const int> widths)
    : inputs_(padded(widths.front())), outputs_(padded(widths.back())) {
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
    layers_.push_back(
        reader.padded_linear(name + "." + std::to_string(i), widths[i], widths[i + 1]));
    widest_ = std::max(widest_, layers_.back().outputs);
  }
}

const float* HiddenLayers::apply(const Kernels& kernels, int rows, const float* in,
                                 float* scratch) const {
  float* out = scratch;
  float* other = scratch + std::ptrdiff_t(rows) * widest_;
  for (const Linear& layer : layers_) {
    kernels.apply_dense(layer, rows, in, true, out);
    in = out;
    std::swap(out, other);
  }
  return in;
}

}  // namespace selfmate
