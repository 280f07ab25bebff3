// Positions in the view of the side to move, as a Q-net sees them: packed into 107 bytes, in which
// replay buffers keep them by the million, and as the features that are not zero. With Black to
// move, colours and ranks are flipped, so that the side to move is always White.
#pragma once

#include <span>
#include <string_view>

#include "encode/features.h"
#include "encode/games.h"

namespace selfmate {

// A position in the view of the side to move. From packed bytes that nobody packed it may be
// impossible, even with several pieces on a square.
struct MoverView {
  static constexpr std::size_t kPieces = 12;
  std::array<Bitboard, kPieces> pieces;  // own first
  Bitboard en_passant;
  std::uint8_t flags, halfmoves, fullmoves;
};
MoverView view_of(const Position& position);

// Bytes   0-95   twelve planes of pieces, own pieces first; a byte per rank, file a in its high bit
// Bytes  96-103  the en-passant plane
// Byte   104     from the high bit down: side to move (always set), castling rights KQkq
// Bytes 105-106  half-move clock and move number, capped
constexpr std::size_t kPackedFeaturesSize = 13 * 8 + 3;

// Writes kPackedFeaturesSize bytes, of one position or per game.
void pack_features(const Position& position, std::uint8_t* out);
void pack_features(Games games, std::uint8_t* out, int threads);
// The position that kPackedFeaturesSize bytes hold.
MoverView view_of(const std::uint8_t* packed);

// features839, or attacks3399: for each square one of 52 numbers, which say what stands there and
// which sides attack it, and the features behind the pieces of features839.
enum class InputFeatures : std::uint8_t { kFeatures839, kAttacks3399 };
constexpr int kSquareStates = 13 * 2 * 2;  // piece or none, attacked by the enemy, and by us
constexpr int kAttacks3399Size = 64 * kSquareStates + kFeatures839Size - kOnehot768Size;
// BadInput for an unknown name.
InputFeatures input_features_named(std::string_view name);
constexpr int input_count(InputFeatures features) {
  return features == InputFeatures::kFeatures839 ? kFeatures839Size : kAttacks3399Size;
}

// The features of one position that are not zero, in rising order.
struct FeatureRow {
  static constexpr int kCapacity = 64 + 5 + 1 + 2;  // squares, flags, en passant, counters
  std::array<std::int32_t, kCapacity> columns;
  std::array<float, kCapacity> values;
  int size = 0;
};
FeatureRow sparse_features(InputFeatures features, const MoverView& view);

// The same of many packed positions.
struct SparseFeatures {
  std::vector<std::int32_t> columns;
  std::vector<float> values;
  std::vector<std::int64_t> offsets;  // one more than there are positions
};
SparseFeatures unpack_features(InputFeatures features, std::span<const std::uint8_t> packed);

}  // namespace selfmate
