#include "nets/move_scorer.h"

#include <algorithm>
#include <cmath>

namespace selfmate {
namespace {

constexpr std::int64_t kMinPositions = 4;  // per thread: fewer are not worth waking a helper for

}  // namespace

class MoveScorer::Packed {
 public:
  Packed(const MoveScorerShape& shape, const Weights& weights, const Kernels& kernels)
      : kernels_(kernels), encoding_(shape.encoding) {
    WeightReader reader(weights, buffers_);
    const int first = shape.hidden.front(), last = shape.hidden.back();
    position_ = reader.padded_rows("position.weight", position_input_count(encoding_), first);
    position_bias_ = reader.padded_row("position.bias", first);
    move_ = reader.padded_rows("move.weight", kMove136Size, first);
    hidden_ = HiddenLayers(reader, "hidden", shape.hidden);
    score_ = reader.padded_rows("score.weight", 1, last);
    score_bias_ = *reader.padded_row("score.bias", 1);
    if (shape.value_head) {
      turn_ = reader.padded_column("value.turn.weight", first);
      value_ = reader.padded_rows("value.out.weight", 1, first);
      value_bias_ = *reader.padded_row("value.out.bias", 1);
    }
    reader.check_all_used();
  }

  void evaluate(const PositionBatch& batch, std::size_t at, float* wdl, float* logits) const {
    const Position& position = batch.positions[at];
    std::vector<float> first(width());
    first_layer(position, first.data());
    const float value = value_of(position.turn(), first.data());
    wdl[0] = (1 + value) / 2;
    wdl[1] = 0;
    wdl[2] = (1 - value) / 2;
    const auto begin = std::size_t(batch.moves.offsets[at]);
    const auto end = std::size_t(batch.moves.offsets[at + 1]);
    score_moves(position, {batch.moves.values.data() + begin, end - begin}, first.data(),
                logits + begin);
  }

 private:
  std::size_t width() const { return std::size_t(hidden_.inputs()); }

  // Before its ReLU.
  void first_layer(const Position& position, float* out) const {
    const PositionInputs inputs = position_inputs(encoding_, position);
    kernels_.sum_rows(inputs.columns.data(), inputs.values.data(), inputs.size, position_,
                      hidden_.inputs(), out);
    for (std::size_t i = 0; i < width(); ++i) out[i] += position_bias_[i];
  }

  // For the side to move.
  float value_of(Color turn, const float* first) const {
    if (!value_) return 0;
    std::vector<float> output(width());
    for (std::size_t i = 0; i < width(); ++i)
      output[i] = std::max(0.0f, first[i] + (turn == kWhite ? turn_[i] : 0.0f));
    const float white =
        std::tanh(kernels_.dot(output.data(), value_, hidden_.inputs()) + value_bias_);
    return turn == kWhite ? white : -white;
  }

  void score_moves(const Position& position, std::span<const Move> moves, const float* first,
                   float* scores) const {
    const int rows = int(moves.size());
    std::vector<float> inputs(moves.size() * width()), scratch(hidden_.scratch_size(rows));
    for (std::size_t i = 0; i < moves.size(); ++i)
      move_row(position, moves[i], first, inputs.data() + i * width());
    const float* outputs = hidden_.apply(kernels_, rows, inputs.data(), scratch.data());
    for (std::size_t i = 0; i < moves.size(); ++i)
      scores[i] =
          kernels_.dot(outputs + i * std::size_t(hidden_.outputs()), score_, hidden_.outputs()) +
          score_bias_;
  }

  // The first layer of position and move together.
  void move_row(const Position& position, Move move, const float* first, float* out) const {
    const MoveInputs inputs = move_inputs(encoding_, position, move);
    kernels_.rectified_sum(first, inputs.columns.data(), inputs.size, move_, hidden_.inputs(), out);
  }

  const Kernels& kernels_;
  const PositionEncoding encoding_;
  std::vector<AlignedFloats> buffers_;
  const float *position_, *position_bias_, *move_;
  HiddenLayers hidden_;
  const float* score_;
  float score_bias_;
  const float *turn_ = nullptr, *value_ = nullptr;
  float value_bias_ = 0;
};

MoveScorer::MoveScorer(const MoveScorerShape& shape, const Weights& weights)
    : shape_(shape), packed_(std::make_shared<Packed>(shape, weights, kernels_)) {}

void MoveScorer::load(const Weights& weights) {
  packed_.set(std::make_shared<Packed>(shape_, weights, kernels_));
}

void MoveScorer::evaluate(const PositionBatch& batch, int threads, float* wdl, float* logits) {
  const auto packed = packed_.get();
  parallel_for(std::int64_t(batch.positions.size()), threads, kMinPositions,
               [&](std::int64_t begin, std::int64_t end) {
                 for (auto i = std::size_t(begin); i < std::size_t(end); ++i)
                   packed->evaluate(batch, i, wdl + 3 * i, logits);
               });
}

}  // namespace selfmate
