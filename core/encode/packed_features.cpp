#include "encode/packed_features.h"

#include <algorithm>

#include "encode/features.h"

namespace selfmate {
namespace {

constexpr std::size_t kPieceBytes = 12 * 8;
constexpr std::size_t kEnPassantAt = kPieceBytes;
constexpr std::size_t kFlagsAt = kEnPassantAt + 8;
constexpr std::size_t kHalfmoveAt = kFlagsAt + 1;
constexpr std::size_t kFullmoveAt = kHalfmoveAt + 1;
constexpr std::int32_t kFlagsColumn = kOnehot768Size;
constexpr std::int32_t kEnPassantColumn = kFlagsColumn + 5;
constexpr std::int32_t kCountersColumn = kEnPassantColumn + 64;

constexpr std::uint8_t mirrored(std::uint8_t rank) {
  rank = std::uint8_t((rank & 0xF0) >> 4 | (rank & 0x0F) << 4);
  rank = std::uint8_t((rank & 0xCC) >> 2 | (rank & 0x33) << 2);
  return std::uint8_t((rank & 0xAA) >> 1 | (rank & 0x55) << 1);
}

void write_plane(Bitboard set, bool flipped, std::uint8_t* out) {
  for (int rank = 0; rank < 8; ++rank)
    out[flipped ? 7 - rank : rank] = mirrored(std::uint8_t(set >> (8 * rank)));
}

std::uint8_t flags(const Position& position) {
  const bool flipped = position.turn() == kBlack;
  const Castling own_first[2][4] = {
      {kWhiteKingSide, kWhiteQueenSide, kBlackKingSide, kBlackQueenSide},
      {kBlackKingSide, kBlackQueenSide, kWhiteKingSide, kWhiteQueenSide}};
  std::uint8_t bits = 0x80;
  for (int i = 0; i < 4; ++i)
    if (position.castling() & own_first[flipped][i]) bits |= std::uint8_t(0x40 >> i);
  return bits;
}

// Adds a column for every bit of some bytes, the highest bit first.
void add_bits(const std::uint8_t* bytes, std::size_t count, std::int32_t column,
              SparseFeatures& features) {
  for (std::size_t i = 0; i < count; ++i)
    for (std::uint8_t rest = bytes[i]; rest;) {
      const int place = std::countl_zero(rest);
      rest = std::uint8_t(rest & ~(0x80 >> place));
      features.columns.push_back(column + std::int32_t(8 * i) + place);
      features.values.push_back(1.0f);
    }
}

void add_counter(std::uint8_t count, std::uint32_t cap, std::int32_t column,
                 SparseFeatures& features) {
  if (!count) return;
  features.columns.push_back(column);
  features.values.push_back(float(count) / float(cap));
}

// The board with its ranks flipped.
Bitboard flipped_ranks(Bitboard set) {
  return __builtin_bswap64(set);
}

}  // namespace

FeatureRow sparse_features(const Position& position) {
  FeatureRow row;
  const bool flipped = position.turn() == kBlack;
  const auto add_squares = [&](Bitboard set, std::int32_t column) {
    for (Bitboard rest = flipped ? flipped_ranks(set) : set; rest;)
      row.add(column + std::int32_t(pop_lowest(rest)));
  };
  std::int32_t column = 0;
  for (const Color color : {position.turn(), ~position.turn()})
    for (const PieceType type : {kPawn, kKnight, kBishop, kRook, kQueen, kKing}) {
      add_squares(position.pieces(color, type), column);
      column += 64;
    }
  const std::uint8_t bits = flags(position);
  for (int i = 0; i < 5; ++i)
    if (bits & (0x80 >> i)) row.add(kFlagsColumn + i);
  if (position.en_passant() != kNoSquare) add_squares(bit(position.en_passant()), kEnPassantColumn);
  if (position.halfmove_clock()) row.add(kCountersColumn, halfmove_fraction(position));
  if (position.fullmove_number()) row.add(kCountersColumn + 1, fullmove_fraction(position));
  return row;
}

void pack_features(const Position& position, std::uint8_t* out) {
  const bool flipped = position.turn() == kBlack;
  std::uint8_t* plane = out;
  for (const Color color : {position.turn(), ~position.turn()})
    for (const PieceType type : {kPawn, kKnight, kBishop, kRook, kQueen, kKing}) {
      write_plane(position.pieces(color, type), flipped, plane);
      plane += 8;
    }
  const Square target = position.en_passant();
  write_plane(target == kNoSquare ? 0 : bit(target), flipped, out + kEnPassantAt);
  out[kFlagsAt] = flags(position);
  out[kHalfmoveAt] = std::uint8_t(std::min(position.halfmove_clock(), kHalfmoveCap));
  out[kFullmoveAt] = std::uint8_t(std::min(position.fullmove_number(), kFullmoveCap));
}

void pack_features(Games games, std::uint8_t* out, int threads) {
  for_each_game(games, threads, [&](std::size_t i, const Game& game) {
    pack_features(game.position(), out + i * kPackedFeaturesSize);
  });
}

SparseFeatures unpack_features(std::span<const std::uint8_t> packed) {
  SparseFeatures features;
  features.offsets.push_back(0);
  for (std::size_t at = 0; at + kPackedFeaturesSize <= packed.size(); at += kPackedFeaturesSize) {
    const std::uint8_t* bytes = packed.data() + at;
    add_bits(bytes, kPieceBytes, 0, features);
    const std::uint8_t flag_bits = bytes[kFlagsAt] & 0xF8;
    add_bits(&flag_bits, 1, kFlagsColumn, features);
    add_bits(bytes + kEnPassantAt, 8, kEnPassantColumn, features);
    add_counter(bytes[kHalfmoveAt], kHalfmoveCap, kCountersColumn, features);
    add_counter(bytes[kFullmoveAt], kFullmoveCap, kCountersColumn + 1, features);
    features.offsets.push_back(std::int64_t(features.columns.size()));
  }
  return features;
}

}  // namespace selfmate
