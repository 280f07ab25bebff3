#include "nets/sparse_net.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace selfmate {
namespace {

constexpr std::int64_t kMinPositions = 32;  // per thread: fewer are not worth waking a helper for
constexpr int kMaxWidth = 2048;
constexpr int kMaxHeadWidth = 256;
static_assert(2 * kMaxWidth <= kMaxIntegerInputs && kMaxHeadWidth <= kMaxIntegerInputs);
constexpr int kOutcomes = 3;

constexpr float kActivationScale = 256, kWeightScale = 1024, kMoveScale = 512;
constexpr int kMaxActivation = 255, kMaxPolicy = 1023;
constexpr int kWeightShift = 10;
static_assert(1 << kWeightShift == int(kWeightScale));
// Sums of all features and the bias stay in 16 bits, and so do those of a move's three rows.
constexpr int kMaxInput = std::numeric_limits<std::int16_t>::max() / (kMaxViewInputs + 1);
constexpr int kMaxMoveWeight = 5461;
static_assert(std::int64_t(kMaxPolicy) * 3 * kMaxMoveWeight * kMaxHeadWidth / 2 <
              std::numeric_limits<std::int32_t>::max());
constexpr int kMaxBias = 1 << 28;

void check_width(const char* name, int width, int highest) {
  if (width < kIntegerGrain || width > highest || width % kIntegerGrain)
    throw BadInput(std::string(name) + " must be a multiple of " + std::to_string(kIntegerGrain) +
                   " up to " + std::to_string(highest) + ", not " + std::to_string(width));
}

const SparseNetShape& checked(const SparseNetShape& shape) {
  check(shape.features);
  check_width("accumulator", shape.width, kMaxWidth);
  check_width("policy_width", shape.policy_width, kMaxHeadWidth / 2);
  check_width("value_width", shape.value_width, kMaxHeadWidth / 2);
  return shape;
}

std::int32_t rounded(float number, float scale, int highest) {
  const double scaled = std::nearbyint(double(number) * double(scale));
  return std::int32_t(std::clamp(scaled, double(-highest), double(highest)));
}

// At the scale of activations.
std::int32_t rescaled(std::int32_t sum) {
  return (sum + (1 << (kWeightShift - 1))) >> kWeightShift;
}

void clip(const std::int32_t* sums, int count, int lowest, int highest, std::int16_t* out) {
  for (int i = 0; i < count; ++i)
    out[i] = std::int16_t(std::clamp(rescaled(sums[i]), lowest, highest));
}

// A dense layer [outputs, inputs] by its name, and how many of the layer's outputs it makes up.
struct Part {
  const char* name;
  int outputs;
};

}  // namespace

class SparseNet::Packed {
 public:
  Packed(const SparseNetShape& shape, const Weights& weights) : shape_(shape) {
    std::vector<AlignedFloats> none;
    WeightReader reader(weights, none);
    const int inputs = 2 * shape.width, value = shape.value_width;
    features_ = shorts(reader, "accumulator.weight", input_count(shape.features), shape.width,
                       kActivationScale, kMaxInput);
    feature_bias_ = shorts(reader, "accumulator.bias", 0, shape.width, kActivationScale, kMaxInput);
    heads_ = linear(reader, inputs, {{"policy", shape.policy_width}, {"value.0", value}});
    value_ = linear(reader, value, {{"value.1", value}});
    outcome_ = linear(reader, value, {{"value.2", kOutcomes}});
    moves_ = shorts(reader, "moves.weight", kViewMoveRowCount, shape.policy_width, kMoveScale,
                    kMaxMoveWeight);
    const float* bias = reader.find("moves.bias", {std::size_t(kViewMoveRowCount)});
    move_bias_.assign(bias, bias + kViewMoveRowCount);
    reader.check_all_used();
  }

  // Of the positions from `begin` to `end`.
  void evaluate(const Kernels& kernels, const PositionBatch& batch, std::int64_t begin,
                std::int64_t end, float* wdl, float* logits) const {
    for (std::int64_t at = begin; at < end; ++at) {
      const Position& position = batch.positions[std::size_t(at)];
      const SideViews views(view_of(position));
      alignas(64) std::int16_t policy[kMaxHeadWidth];
      position_heads(kernels, views, policy, wdl + kOutcomes * at);
      const auto first = std::size_t(batch.moves.offsets[std::size_t(at)]);
      const auto last = std::size_t(batch.moves.offsets[std::size_t(at) + 1]);
      score_moves(kernels, views, position.turn(), {&batch.moves.values[first], last - first},
                  policy, logits + first);
    }
  }

 private:
  void position_heads(const Kernels& kernels, const SideViews& views, std::int16_t* policy,
                      float* wdl) const {
    alignas(64) std::int16_t sums[kMaxWidth], active[2 * kMaxWidth];
    alignas(64) std::int32_t heads[kMaxHeadWidth], outcome[kPanel];
    alignas(64) std::int16_t hidden[kMaxHeadWidth];
    const int width = shape_.width, value = shape_.value_width;
    for (const bool by_opponent : {false, true}) {
      const ViewRow row = views.row(shape_.features, by_opponent);
      kernels.accumulate(feature_bias_, row.columns.data(), row.size, features_, width, sums);
      kernels.clip_and_square(sums, width, active + by_opponent * width);
    }
    kernels.apply_integers(heads_, active, heads);
    clip(heads, shape_.policy_width, -kMaxPolicy, kMaxPolicy, policy);
    clip(heads + shape_.policy_width, value, 0, kMaxActivation, hidden);
    kernels.apply_integers(value_, hidden, heads);
    clip(heads, value, 0, kMaxActivation, hidden);
    kernels.apply_integers(outcome_, hidden, outcome);
    softmax(outcome, wdl);
  }

  static void softmax(const std::int32_t* outcome, float* wdl) {
    const std::int32_t highest = *std::max_element(outcome, outcome + kOutcomes);
    float sum = 0;
    for (int i = 0; i < kOutcomes; ++i)
      sum += wdl[i] = std::exp(float(outcome[i] - highest) / (kActivationScale * kWeightScale));
    for (int i = 0; i < kOutcomes; ++i) wdl[i] /= sum;
  }

  void score_moves(const Kernels& kernels, const SideViews& views, Color turn,
                   std::span<const Move> moves, const std::int16_t* policy, float* logits) const {
    constexpr std::size_t kBlock = 64;
    std::array<ViewMoveRows, kBlock> rows;
    std::array<std::int32_t, kBlock> products;
    const Move flip = turn == kWhite ? 0 : 56 | 56 << 6;
    for (std::size_t at = 0; at < moves.size(); at += kBlock) {
      const std::size_t count = std::min(kBlock, moves.size() - at);
      for (std::size_t i = 0; i < count; ++i) rows[i] = views.rows(Move(moves[at + i] ^ flip));
      kernels.products_of_three(policy, moves_, shape_.policy_width, rows[0].data(), int(count),
                                products.data());
      for (std::size_t i = 0; i < count; ++i)
        logits[at + i] = float(products[i]) / (kActivationScale * kMoveScale) +
                         move_bias_[std::size_t(rows[i][0])] + move_bias_[std::size_t(rows[i][1])] +
                         move_bias_[std::size_t(rows[i][2])];
    }
  }

  // A matrix [rows, columns], or a row [columns] for no rows.
  const std::int16_t* shorts(WeightReader& reader, const char* name, int rows, int columns,
                             float scale, int highest) {
    Shape extents{std::size_t(columns)};
    if (rows) extents.insert(extents.begin(), std::size_t(rows));
    const float* numbers = reader.find(name, extents);
    const std::size_t count = std::size_t(std::max(1, rows)) * std::size_t(columns);
    std::int16_t* to = shorts_.emplace_back(count).get();
    for (std::size_t i = 0; i < count; ++i)
      to[i] = std::int16_t(rounded(numbers[i], scale, highest));
    return to;
  }

  IntegerLinear linear(WeightReader& reader, int inputs, const std::vector<Part>& parts) {
    int outputs = 0;
    for (const Part& part : parts) outputs += part.outputs;
    outputs = padded_to_panels(outputs);
    std::int16_t* pairs = shorts_.emplace_back(std::size_t(inputs) * outputs).get();
    std::int32_t* biases = integers_.emplace_back(std::size_t(outputs)).get();
    const int highest = std::min<int>(
        std::numeric_limits<std::int16_t>::max(),
        (std::numeric_limits<std::int32_t>::max() - kMaxBias) / (inputs * kMaxActivation));
    int first = 0;
    for (const Part& part : parts) {
      const std::string name = part.name;
      const float* weight =
          reader.find(name + ".weight", {std::size_t(part.outputs), std::size_t(inputs)});
      const float* bias = reader.find(name + ".bias", {std::size_t(part.outputs)});
      for (int output = 0; output < part.outputs; ++output) {
        biases[first + output] = rounded(bias[output], kActivationScale * kWeightScale, kMaxBias);
        for (int input = 0; input < inputs; ++input)
          pairs[(std::ptrdiff_t(input / 2) * outputs + first + output) * 2 + input % 2] =
              std::int16_t(
                  rounded(weight[std::ptrdiff_t(output) * inputs + input], kWeightScale, highest));
      }
      first += part.outputs;
    }
    return {inputs, outputs, pairs, biases};
  }

  const SparseNetShape shape_;
  std::vector<AlignedShorts> shorts_;
  std::vector<AlignedIntegers> integers_;
  const std::int16_t *features_, *feature_bias_, *moves_;
  IntegerLinear heads_, value_, outcome_;
  std::vector<float> move_bias_;
};

SparseNet::SparseNet(const SparseNetShape& shape, const Weights& weights, std::string_view kernels)
    : shape_(checked(shape)),
      kernels_(kernels_for(shape.width, kernels)),
      packed_(std::make_shared<Packed>(shape_, weights)) {}

void SparseNet::load(const Weights& weights) {
  packed_.set(std::make_shared<Packed>(shape_, weights));
}

void SparseNet::evaluate(const PositionBatch& batch, int threads, float* wdl, float* logits) {
  const auto packed = packed_.get();
  parallel_for(std::int64_t(batch.positions.size()), threads, kMinPositions,
               [&](std::int64_t begin, std::int64_t end) {
                 packed->evaluate(kernels_, batch, begin, end, wdl, logits);
               });
}

}  // namespace selfmate
