#include "nets/q_net.h"

#include <algorithm>
#include <limits>

#include "encode/actions.h"

namespace selfmate {
namespace {

constexpr int kBlock = 32;                  // positions that go through a layer together
constexpr std::int64_t kMinPositions = 16;  // per thread: fewer are not worth waking a helper for
constexpr int kActions = action_count(ActionEncoding::kFromTo4096);

int action_of(Move move, Color turn) {
  const int action = encode_action(ActionEncoding::kFromTo4096, move, turn);
  return turn == kBlack ? flipped_from_to(action) : action;
}

void check(const QNetShape& shape) {
  if (shape.hidden.empty()) throw BadInput("a Q-net takes at least one hidden layer");
  for (const int width : shape.hidden)
    if (width < 1) throw BadInput("a hidden layer takes at least one neuron");
  if (!(shape.temperature > 0)) throw BadInput("the temperature must be above 0");
}

}  // namespace

class QNet::Packed {
 public:
  Packed(const QNetShape& shape, const Weights& weights, const Kernels& kernels)
      : kernels_(kernels), inputs_(shape.inputs), has_move_kinds_(shape.move_kinds) {
    WeightReader reader(weights, buffers_);
    const int first = shape.hidden.front(), last = shape.hidden.back();
    first_ = reader.padded_rows("first.weight", input_count(inputs_), first);
    first_bias_ = reader.padded_row("first.bias", first);
    hidden_ = HiddenLayers(reader, "hidden", shape.hidden);
    const int rows = has_move_kinds_ ? kMoveRowCount : kActions;
    actions_ = reader.padded_rows("actions.weight", rows, last);
    action_bias_ = reader.padded_row("actions.bias", rows);
    if (shape.dueling) {
      value_ = reader.padded_rows("value.weight", 1, last);
      value_bias_ = *reader.padded_row("value.bias", 1);
    }
    reader.check_all_used();
  }

  void q_values(const PositionBatch& batch, std::int64_t begin, std::int64_t end, float* values,
                float* q) const {
    std::vector<float> first(std::size_t(kBlock) * hidden_.inputs()),
        scratch(hidden_.scratch_size(kBlock));
    for (std::int64_t at = begin; at < end; at += kBlock) {
      const int rows = int(std::min<std::int64_t>(kBlock, end - at));
      for (int row = 0; row < rows; ++row)
        first_layer(view_of(batch.positions[std::size_t(at + row)]),
                    first.data() + row * hidden_.inputs());
      const float* outputs = hidden_.apply(kernels_, rows, first.data(), scratch.data());
      for (int row = 0; row < rows; ++row)
        values[at + row] = of_moves(batch, at + row, outputs + row * hidden_.outputs(), q);
    }
  }

 private:
  void first_layer(const MoverView& view, float* out) const {
    const FeatureRow row = sparse_features(inputs_, view);
    const int width = hidden_.inputs();
    kernels_.sum_rows(row.columns.data(), row.values.data(), row.size, first_, width, out);
    for (int i = 0; i < width; ++i) out[i] = std::max(0.0f, out[i] + first_bias_[i]);
  }

  // Writes Q of the position's moves; returns its value.
  float of_moves(const PositionBatch& batch, std::int64_t at, const float* output, float* q) const {
    const Position& position = batch.positions[std::size_t(at)];
    const MoveKinds kinds(view_of(position));
    const std::int64_t begin = batch.moves.offsets[std::size_t(at)];
    const std::int64_t end = batch.moves.offsets[std::size_t(at) + 1];
    float highest = std::numeric_limits<float>::lowest();
    for (std::int64_t i = begin; i < end; ++i) {
      const Move move = batch.moves.values[std::size_t(i)];
      q[i] = of_action(kinds, action_of(move, position.turn()), output);
      if (!represents_action(ActionEncoding::kFromTo4096, move)) q[i] -= kUnderpromotionLoss;
      highest = std::max(highest, q[i]);
    }
    if (!value_) return highest;
    const float value = kernels_.dot(output, value_, hidden_.outputs()) + value_bias_;
    for (std::int64_t i = begin; i < end; ++i) q[i] += value - highest;
    return value;
  }

  float of_action(const MoveKinds& kinds, int action, const float* output) const {
    if (!has_move_kinds_) return product(action, output);
    float sum = 0;
    for (const std::int32_t row : kinds.rows(action)) sum += product(row, output);
    return sum;
  }

  float product(std::int32_t row, const float* output) const {
    const float* weights = actions_ + std::ptrdiff_t(row) * hidden_.outputs();
    return kernels_.dot(output, weights, hidden_.outputs()) + action_bias_[row];
  }

  const Kernels& kernels_;
  const InputFeatures inputs_;
  const bool has_move_kinds_;
  std::vector<AlignedFloats> buffers_;
  const float *first_, *first_bias_;
  HiddenLayers hidden_;
  const float *actions_, *action_bias_;
  const float* value_ = nullptr;
  float value_bias_ = 0;
};

QNet::QNet(const QNetShape& shape, const Weights& weights)
    : shape_((check(shape), shape)), packed_(std::make_shared<Packed>(shape, weights, kernels_)) {}

void QNet::load(const Weights& weights) {
  packed_.set(std::make_shared<Packed>(shape_, weights, kernels_));
}

void QNet::q_values(const PositionBatch& batch, int threads, float* values, float* q) {
  const auto packed = packed_.get();
  parallel_for(std::int64_t(batch.positions.size()), threads, kMinPositions,
               [&](std::int64_t begin, std::int64_t end) {
                 packed->q_values(batch, begin, end, values, q);
               });
}

void QNet::evaluate(const PositionBatch& batch, int threads, float* wdl, float* logits) {
  std::vector<float> values(batch.positions.size());
  q_values(batch, threads, values.data(), logits);
  for (std::size_t i = 0; i < batch.moves.values.size(); ++i) logits[i] /= shape_.temperature;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float value = std::clamp(values[i], -1.0f, 1.0f);
    wdl[3 * i] = (1 + value) / 2;
    wdl[3 * i + 1] = 0;
    wdl[3 * i + 2] = (1 - value) / 2;
  }
}

}  // namespace selfmate
