#include "nets/se_resnet_weights.h"

#include <cmath>

#include "chess/notation.h"

namespace selfmate {
namespace {

std::string text_of(const std::vector<std::size_t>& shape) {
  std::string text;
  for (const std::size_t extent : shape) text += std::to_string(extent) + ",";
  return "(" + text + ")";
}

void check(const SeResNetShape& shape) {
  if (shape.blocks < 1 || shape.filters < kNormGroups || shape.filters % kNormGroups)
    throw BadInput("a net of " + std::to_string(shape.blocks) + " blocks of " +
                   std::to_string(shape.filters) +
                   " filters cannot be made: it takes at least one block, and a multiple of " +
                   std::to_string(kNormGroups) + " filters");
  if (shape.attention < 0 || shape.attention > shape.blocks)
    throw BadInput("attention after " + std::to_string(shape.attention) +
                   " blocks is not possible in a net of " + std::to_string(shape.blocks));
}

// Where a column of a packed matrix of so many outputs begins, in floats, and its rows' stride.
struct Column {
  Column(int column, int outputs)
      : panel(column / kPanel * kPanel),
        width(outputs - panel < kPanel ? kGrain : kPanel),
        place(column - panel) {}
  int panel, width, place;
};

// Weights by their names; each is checked when it is asked for.
class Packer {
 public:
  Packer(const Weights& weights, const Kernels& kernels, std::vector<AlignedFloats>& buffers)
      : weights_(weights), kernels_(kernels), buffers_(buffers) {}

  const float* find(const std::string& name, const std::vector<std::size_t>& shape) {
    const auto found = weights_.find(name);
    if (found == weights_.end()) throw BadInput("the weights lack " + name);
    if (found->second.shape != shape)
      throw BadInput("the weight " + name + " must have the shape " + text_of(shape) + ", not " +
                     text_of(found->second.shape));
    std::size_t size = 1;
    for (const std::size_t extent : shape) size *= extent;
    const float* numbers = found->second.numbers;
    if (!std::all_of(numbers, numbers + size, [](float x) { return std::isfinite(x); }))
      throw BadInput("the weight " + name + " has numbers that are not finite");
    ++used_;
    return numbers;
  }

  void check_all_used() const {
    if (used_ != weights_.size())
      throw BadInput("the net has " + std::to_string(used_) + " weights, but " +
                     std::to_string(weights_.size()) + " were given");
  }

  float* allocate(std::size_t size) { return buffers_.emplace_back(size).get(); }

  const float* copy(const std::string& name, const std::vector<std::size_t>& shape) {
    const float* numbers = find(name, shape);
    std::size_t size = 1;
    for (const std::size_t extent : shape) size *= extent;
    float* to = allocate(size);
    std::copy_n(numbers, size, to);
    return to;
  }

  Norm norm(const std::string& name, int width) {
    const std::vector<std::size_t> shape{std::size_t(width)};
    return {copy(name + ".weight", shape), copy(name + ".bias", shape)};
  }

  // weight(input, output) and bias(output) are called for all of padded(outputs).
  template <class Weight, class Bias>
  Linear pack(int inputs, int outputs, Weight weight, Bias bias) {
    const int width = padded(outputs);
    float *panels = allocate(std::size_t(inputs) * width), *biases = allocate(width);
    for (int output = 0; output < width; ++output) {
      const Column column(output, width);
      float* at = panels + std::size_t(column.panel) * inputs + column.place;
      for (int input = 0; input < inputs; ++input) at[input * column.width] = weight(input, output);
      biases[output] = bias(output);
    }
    return {inputs, width, panels, biases};
  }

  // A layer of the net, its weight [outputs, inputs] and maybe more extents of 1.
  Linear linear(const std::string& name, int inputs, int outputs, bool pointwise = false) {
    std::vector<std::size_t> shape{std::size_t(outputs), std::size_t(inputs)};
    if (pointwise) shape.insert(shape.end(), {1, 1});
    const float* weight = find(name + ".weight", shape);
    const float* bias = find(name + ".bias", {std::size_t(outputs)});
    return pack(
        inputs, outputs, [&](int i, int o) { return o < outputs ? weight[o * inputs + i] : 0.0f; },
        [&](int o) { return o < outputs ? bias[o] : 0.0f; });
  }

  Convolution convolution(const std::string& name, int inputs, int outputs) {
    const float* filters =
        find(name + ".weight", {std::size_t(outputs), std::size_t(inputs), 3, 3});
    float* panels = allocate(std::size_t(kPoints) * inputs * outputs);
    kernels_.pack_inference_filters({filters, outputs, inputs}, panels);
    return {inputs, outputs, panels};
  }

  SqueezeExcitation squeeze(const std::string& name, int filters) {
    const int squeezed = filters / kReduction;
    return {linear(name + ".down", filters, squeezed), linear(name + ".up", squeezed, filters)};
  }

  SquareAttention attention(const std::string& name, int filters) {
    const std::size_t width(filters);
    SquareAttention layer;
    layer.head_width = padded(filters / kHeads);
    layer.norm = norm(name + ".norm", filters);
    layer.position_embedding = copy(name + ".places", {kSquares, width});
    layer.qkv = qkv(name + ".look", filters, layer.head_width);
    layer.output = attention_output(name + ".add", filters, layer.head_width);
    return layer;
  }

  ResidualBlock block(const std::string& name, const SeResNetShape& shape, bool has_attention) {
    const int filters = shape.filters;
    ResidualBlock layer{};
    layer.first = convolution(name + ".first", filters, filters);
    layer.first_norm = norm(name + ".first_norm", filters);
    layer.second = convolution(name + ".second", filters, filters);
    layer.second_norm = norm(name + ".second_norm", filters);
    layer.has_squeeze = shape.squeeze;
    if (shape.squeeze) layer.squeeze = squeeze(name + ".squeeze", filters);
    layer.has_attention = has_attention;
    if (has_attention) layer.attention = attention(name + ".attention", filters);
    return layer;
  }

  // Its inputs are numbered by channel and square in Python, by square and channel here.
  Linear value_hidden(const std::string& name) {
    constexpr int kInputs = kSquares * kValueChannels;
    const float* weight = find(name + ".weight", {kValueWidth, kInputs});
    const float* bias = find(name + ".bias", {kValueWidth});
    const auto weight_of = [&](int i, int o) {
      return weight[o * kInputs + i % kValueChannels * kSquares + i / kValueChannels];
    };
    return pack(kInputs, kValueWidth, weight_of, [&](int o) { return bias[o]; });
  }

 private:
  static constexpr int kReduction = 8;

  Linear qkv(const std::string& name, int filters, int head_width) {
    const int true_width = filters / kHeads;
    const float* weight = find(name + ".weight", {3 * std::size_t(filters), std::size_t(filters)});
    const float* bias = find(name + ".bias", {3 * std::size_t(filters)});
    const float query_factor = float(1 / std::sqrt(double(true_width)));
    const auto scaled = [&](const float* numbers, int stride, int output) {
      const int part = output / head_width, place = output % head_width;
      if (place >= true_width) return 0.0f;
      const float number = numbers[std::size_t(part * true_width + place) * stride];
      return part < kHeads ? number * query_factor : number;
    };
    return pack(
        filters, 3 * kHeads * head_width,
        [&](int i, int o) { return scaled(weight + i, filters, o); },
        [&](int o) { return scaled(bias, 1, o); });
  }

  Linear attention_output(const std::string& name, int filters, int head_width) {
    const int true_width = filters / kHeads;
    const float* weight = find(name + ".weight", {std::size_t(filters), std::size_t(filters)});
    const float* bias = find(name + ".bias", {std::size_t(filters)});
    const auto weight_of = [&](int input, int output) {
      const int head = input / head_width, place = input % head_width;
      return place < true_width ? weight[output * filters + head * true_width + place] : 0.0f;
    };
    return pack(kHeads * head_width, filters, weight_of, [&](int o) { return bias[o]; });
  }

  const Weights& weights_;
  const Kernels& kernels_;
  std::vector<AlignedFloats>& buffers_;
  std::size_t used_ = 0;
};

}  // namespace

PackedNet::PackedNet(const SeResNetShape& shape, const Weights& weights, const Kernels& kernels) {
  check(shape);
  Packer packer(weights, kernels, buffers_);
  const int filters = shape.filters;
  layers_.planes = shape.planes();
  layers_.filters = filters;
  layers_.block_count = shape.blocks;
  layers_.outputs = shape.outputs();
  layers_.stem = packer.convolution("stem", shape.planes(), filters);
  layers_.stem_norm = packer.norm("stem_norm", filters);
  for (int i = 0; i < shape.blocks; ++i)
    blocks_.push_back(
        packer.block("blocks." + std::to_string(i), shape, i >= shape.blocks - shape.attention));
  layers_.blocks = blocks_.data();
  layers_.policy = packer.linear("policy", filters, kMoveTypes, true);
  layers_.value_channels = packer.linear("value.channels", filters, kValueChannels, true);
  layers_.value_hidden = packer.value_hidden("value.hidden");
  layers_.value_out = packer.linear("value.out", kValueWidth, shape.outputs());
  packer.check_all_used();
}

}  // namespace selfmate
