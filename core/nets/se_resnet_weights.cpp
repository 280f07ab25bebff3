#include "nets/se_resnet_weights.h"

#include <cmath>

#include "chess/notation.h"
#include "encode/actions.h"

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
  if (shape.planes < 1 || shape.planes > kPlanes)
    throw BadInput("a net reads 1 to " + std::to_string(kPlanes) + " planes, not " +
                   std::to_string(shape.planes));
}

// The actions of az4672 that stay on the board, and where their pairs of squares are.
struct PairTable {
  std::vector<int> actions, places;

  PairTable() {
    for (int action = 0; action < kSquares * kMoveTypes; ++action) {
      const Move move = az4672_moves()[std::size_t(action)];
      if (move == kNoMove) continue;
      actions.push_back(action);
      places.push_back(to_of(move) * kSquares + from_of(move));
    }
  }
};

// The layers of an SE-ResNet by their names.
class Packer : public WeightReader {
 public:
  Packer(const Weights& weights, const Kernels& kernels, std::vector<AlignedFloats>& buffers)
      : WeightReader(weights, buffers), kernels_(kernels) {}

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
    layer.qkv = queries_keys_values(name + ".look", filters, kHeads);
    layer.output = attention_output(name + ".add", filters, kHeads);
    return layer;
  }

  ResidualBlock block(const std::string& name, const SeResNetShape& shape, bool has_attention) {
    const int filters = shape.filters;
    ResidualBlock layer{};
    layer.first = convolution(kernels_, name + ".first", filters, filters);
    layer.first_norm = norm(name + ".first_norm", filters);
    layer.second = convolution(kernels_, name + ".second", filters, filters);
    layer.second_norm = norm(name + ".second_norm", filters);
    layer.has_squeeze = shape.squeeze;
    if (shape.squeeze) layer.squeeze = squeeze(name + ".squeeze", filters);
    layer.has_attention = has_attention;
    if (has_attention) layer.attention = attention(name + ".attention", filters);
    return layer;
  }

  PolicyPairs pairs(const std::string& name, int filters) {
    static const PairTable table;
    const std::size_t width(filters);
    const float* weight = find(name + ".weight", {2 * width, width});
    const float* bias = find(name + ".bias", {2 * width});
    const float scale = 1 / std::sqrt(float(filters));
    const auto scale_of = [&](int o) { return o < filters ? scale : 1.0f; };  // queries come first
    const auto weight_of = [&](int i, int o) { return scale_of(o) * weight[o * filters + i]; };
    return {pack(filters, 2 * filters, weight_of, [&](int o) { return scale_of(o) * bias[o]; }),
            int(table.actions.size()), table.actions.data(), table.places.data()};
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

  const Kernels& kernels_;
};

}  // namespace

PackedNet::PackedNet(const SeResNetShape& shape, const Weights& weights, const Kernels& kernels) {
  check(shape);
  Packer packer(weights, kernels, buffers_);
  const int filters = shape.filters;
  layers_.planes = shape.planes;
  layers_.filters = filters;
  layers_.block_count = shape.blocks;
  layers_.outputs = shape.outputs();
  layers_.stem = packer.convolution(kernels, "stem", shape.planes, filters);
  layers_.stem_norm = packer.norm("stem_norm", filters);
  for (int i = 0; i < shape.blocks; ++i)
    blocks_.push_back(
        packer.block("blocks." + std::to_string(i), shape, i >= shape.blocks - shape.attention));
  layers_.blocks = blocks_.data();
  layers_.policy = packer.linear("policy", filters, kMoveTypes, true);
  layers_.has_pairs = shape.pairs;
  if (shape.pairs) layers_.pairs = packer.pairs("pairs", filters);
  layers_.value_channels = packer.linear("value.channels", filters, kValueChannels, true);
  layers_.value_hidden = packer.value_hidden("value.hidden");
  layers_.value_out = packer.linear("value.out", kValueWidth, shape.outputs());
  packer.check_all_used();
}

}  // namespace selfmate
