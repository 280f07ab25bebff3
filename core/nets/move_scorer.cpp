#include "nets/move_scorer.h"

#include <algorithm>
#include <cmath>

#include "encode/features.h"

namespace selfmate {
namespace {

constexpr std::int64_t kMinPositions = 4;  // per thread: fewer are not worth waking a helper for
constexpr std::string_view kEncodingNames[] = {"onehot768", "turned768", "counts"};
constexpr int kPieces = 12;

int inputs_of(PositionEncoding encoding) {
  return encoding == PositionEncoding::kCounts ? kPieces + 1 : kOnehot768Size;
}

struct PositionRow {
  std::vector<std::int32_t> columns;
  std::vector<float> values;

  void add(std::int32_t column, float value) {
    columns.push_back(column);
    values.push_back(value);
  }
};

// Whether the encoding sees this position from Black's side.
bool is_turned(PositionEncoding encoding, const Position& position) {
  return encoding == PositionEncoding::kTurned768 && position.turn() == kBlack;
}

// Of onehot768 or turned768.
PositionRow squares_of(PositionEncoding encoding, const Position& position) {
  const bool turned = is_turned(encoding, position);
  PositionRow row;
  for (Bitboard rest = position.pieces(); rest;) {
    const Square square = pop_lowest(rest);
    const int piece = position.piece_on(square);
    row.add(turned ? (piece + kPieces / 2) % kPieces * 64 + (square ^ 56) : piece * 64 + square,
            1.0f);
  }
  return row;
}

PositionRow counts_of(const Position& position) {
  PositionRow row;
  for (int piece = 0; piece < kPieces; ++piece)
    row.add(piece, float(std::popcount(position.pieces(Color(piece / 6), PieceType(piece % 6)))));
  row.add(kPieces, position.turn() == kWhite ? 1.0f : 0.0f);
  return row;
}

PositionRow row_of(PositionEncoding encoding, const Position& position) {
  return encoding == PositionEncoding::kCounts ? counts_of(position)
                                               : squares_of(encoding, position);
}

}  // namespace

PositionEncoding position_encoding_named(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kEncodingNames); ++i)
    if (name == kEncodingNames[i]) return PositionEncoding(i);
  throw BadInput("the move scorer has no encoding '" + std::string(name) + "'");
}

class MoveScorer::Packed {
 public:
  Packed(const MoveScorerShape& shape, const Weights& weights, const Kernels& kernels)
      : kernels_(kernels), encoding_(shape.encoding) {
    WeightReader reader(weights, buffers_);
    const int first = shape.hidden.front(), last = shape.hidden.back();
    position_ = reader.padded_rows("position.weight", inputs_of(encoding_), first);
    position_bias_ = reader.padded_row("position.bias", first);
    move_ = reader.padded_rows("move.weight", kMove136Size, first);
    hidden_ = HiddenLayers(reader, "hidden", shape.hidden);
    score_ = reader.padded_rows("score.weight", 1, last);
    score_bias_ = *reader.padded_row("score.bias", 1);
    turn_ = reader.padded_column("value.turn.weight", first);
    value_ = reader.padded_rows("value.out.weight", 1, first);
    value_bias_ = *reader.padded_row("value.out.bias", 1);
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
    const PositionRow row = row_of(encoding_, position);
    kernels_.sum_rows(row.columns.data(), row.values.data(), std::int64_t(row.columns.size()),
                      position_, hidden_.inputs(), out);
    for (std::size_t i = 0; i < width(); ++i) out[i] += position_bias_[i];
  }

  // For the side to move.
  float value_of(Color turn, const float* first) const {
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
    std::copy_n(first, width(), out);
    const std::int32_t flip = is_turned(encoding_, position) ? 56 : 0;
    for (const std::int32_t column : move136_columns(position, move)) {
      if (column < 0) break;
      const std::int32_t seen = column < 128 ? column ^ flip : column;
      kernels_.add_scaled(1.0f, move_ + std::ptrdiff_t(seen) * hidden_.inputs(), hidden_.inputs(),
                          out);
    }
    for (std::size_t i = 0; i < width(); ++i) out[i] = std::max(0.0f, out[i]);
  }

  const Kernels& kernels_;
  const PositionEncoding encoding_;
  std::vector<AlignedFloats> buffers_;
  const float *position_, *position_bias_, *move_;
  HiddenLayers hidden_;
  const float *score_, *turn_, *value_;
  float score_bias_, value_bias_;
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
