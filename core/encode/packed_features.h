// features839 packed into 107 bytes, in the view of the side to move. Replay buffers keep positions
// in this form by the million. With Black to move, colours and ranks are flipped, so that the side
// to move is always White.
#pragma once

#include <span>

#include "encode/games.h"

namespace selfmate {

// Bytes   0-95   twelve planes of pieces, own pieces first; a byte per rank, file a in its high bit
// Bytes  96-103  the en-passant plane
// Byte   104     from the high bit down: side to move (always set), castling rights KQkq
// Bytes 105-106  half-move clock and move number, capped
constexpr std::size_t kPackedFeaturesSize = 13 * 8 + 3;

// Writes kPackedFeaturesSize bytes, of one position or per game.
void pack_features(const Position& position, std::uint8_t* out);
void pack_features(Games games, std::uint8_t* out, int threads);

// The features of one position that are not zero: their indices among the 839, and their values.
struct FeatureRow {
  static constexpr int kCapacity = 64 + 5 + 1 + 2;  // pieces, flags, en passant, counters
  std::array<std::int32_t, kCapacity> columns;
  std::array<float, kCapacity> values;
  int size = 0;

  void add(std::int32_t column, float value = 1.0f) {
    columns[std::size_t(size)] = column;
    values[std::size_t(size++)] = value;
  }
};
// In the view of the side to move, in rising order.
FeatureRow sparse_features(const Position& position);

// The same of many packed positions.
struct SparseFeatures {
  std::vector<std::int32_t> columns;
  std::vector<float> values;
  std::vector<std::int64_t> offsets;  // one more than there are positions
};
SparseFeatures unpack_features(std::span<const std::uint8_t> packed);

}  // namespace selfmate
