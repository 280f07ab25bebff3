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

void encode_move136(const Position& position, Move move, std::uint8_t* out) {
  std::fill_n(out, kMove136Size, std::uint8_t(0));
  out[from_of(move)] = 1;
  out[64 + to_of(move)] = 1;
  // Promotions stand in the order none, queen, rook, bishop, knight.
  const int promotion = promotion_of(move);
  out[128 + (promotion ? kQueen + 1 - promotion : 0)] = 1;
  out[133] = position.is_capture(move);
  out[134] = gives_check(position, move);
  out[135] = position.is_castling(move);
}

}  // namespace selfmate
