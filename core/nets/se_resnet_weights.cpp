#include "nets/se_resnet_weights.h"

#include <cmath>

#include "chess/notation.h"

namespace selfmate {
namespace {

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

// The layers of an SE-ResNet by their names.
class Packer : public WeightReader {
 public:
  Packer(const Weights& weights, const Kernels& kernels, std::vector<AlignedFloats>& buffers)
      : WeightReader(weights, buffers), kernels_(kernels) {}

  Norm norm(const std::string& name, int width) {
    const std::vector<std::size_t> shape{std::size_t(width)};
    return {copy(name + ".weight", shape), copy(name + ".bias", shape)};
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

  const Kernels& kernels_;
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
