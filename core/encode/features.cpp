#include "encode/features.h"

#include <algorithm>

namespace selfmate {
namespace {

// A piece is colour * 6 + type, which is its plane's number.
template <class T>
void write_pieces(const Position& position, T* out) {
  std::fill_n(out, kOnehot768Size, T(0));
  for (Bitboard rest = position.pieces(); rest;) {
    const Square square = pop_lowest(rest);
    out[position.piece_on(square) * 64 + square] = T(1);
  }
}

bool gives_check(const Position& position, Move move) {
  Position after = position;
  after.make(move);
  return after.in_check();
}

}  // namespace

float halfmove_fraction(const Position& position) {
  return float(std::min(position.halfmove_clock(), kHalfmoveCap)) / float(kHalfmoveCap);
}

float fullmove_fraction(const Position& position) {
  return float(std::min(position.fullmove_number(), kFullmoveCap)) / float(kFullmoveCap);
}

void encode_onehot768(const Position& position, std::uint8_t* out) {
  write_pieces(position, out);
}

void encode_features839(const Position& position, float* out) {
  write_pieces(position, out);
  float* rest = out + kOnehot768Size;
  *rest++ = position.turn() == kWhite ? 1.0f : 0.0f;
  for (const Castling right : {kWhiteKingSide, kWhiteQueenSide, kBlackKingSide, kBlackQueenSide})
    *rest++ = position.castling() & right ? 1.0f : 0.0f;
  std::fill_n(rest, 64, 0.0f);
  if (position.en_passant() != kNoSquare) rest[position.en_passant()] = 1.0f;
  rest[64] = halfmove_fraction(position);
  rest[65] = fullmove_fraction(position);
}

std::array<std::int32_t, 7> move136_columns(const Position& position, Move move) {
  // Promotions stand in the order none, queen, rook, bishop, knight.
  const int promotion = promotion_of(move);
  std::array<std::int32_t, 7> columns{from_of(move), 64 + to_of(move),
                                      128 + (promotion ? kQueen + 1 - promotion : 0)};
  std::size_t size = 3;
  if (position.is_capture(move)) columns[size++] = 133;
  if (gives_check(position, move)) columns[size++] = 134;
  if (position.is_castling(move)) columns[size++] = 135;
  columns[size] = -1;
  return columns;
}

void encode_move136(const Position& position, Move move, std::uint8_t* out) {
  std::fill_n(out, kMove136Size, std::uint8_t(0));
  for (const std::int32_t column : move136_columns(position, move)) {
    if (column < 0) break;
    out[column] = 1;
  }
}

}  // namespace selfmate
