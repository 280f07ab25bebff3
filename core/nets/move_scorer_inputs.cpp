#include "nets/move_scorer_inputs.h"

namespace selfmate {
namespace {

constexpr std::string_view kEncodingNames[] = {"onehot768", "turned768", "counts"};
constexpr int kPieces = 12;

// Whether the encoding sees this position from Black's side.
bool is_turned(PositionEncoding encoding, const Position& position) {
  return encoding == PositionEncoding::kTurned768 && position.turn() == kBlack;
}

// Of onehot768 or turned768.
PositionInputs squares_of(bool turned, const Position& position) {
  PositionInputs inputs;
  for (Bitboard rest = position.pieces(); rest;) {
    const Square square = pop_lowest(rest);
    const int piece = position.piece_on(square);
    inputs.add(
        turned ? (piece + kPieces / 2) % kPieces * 64 + flip_rank(square) : piece * 64 + square,
        1.0f);
  }
  return inputs;
}

PositionInputs counts_of(const Position& position) {
  PositionInputs inputs;
  for (int piece = 0; piece < kPieces; ++piece)
    inputs.add(piece,
               float(std::popcount(position.pieces(Color(piece / 6), PieceType(piece % 6)))));
  inputs.add(kPieces, position.turn() == kWhite ? 1.0f : 0.0f);
  return inputs;
}

}  // namespace

PositionEncoding position_encoding_named(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kEncodingNames); ++i)
    if (name == kEncodingNames[i]) return PositionEncoding(i);
  throw BadInput("the move scorer has no encoding '" + std::string(name) + "'");
}

int position_input_count(PositionEncoding encoding) {
  return encoding == PositionEncoding::kCounts ? kPieces + 1 : kOnehot768Size;
}

PositionInputs position_inputs(PositionEncoding encoding, const Position& position) {
  if (encoding == PositionEncoding::kCounts) return counts_of(position);
  return squares_of(is_turned(encoding, position), position);
}

MoveInputs move_inputs(PositionEncoding encoding, const Position& position, Move move) {
  MoveInputs inputs{move136_columns(position, move)};
  const std::int32_t flip = is_turned(encoding, position) ? 56 : 0;
  for (; inputs.columns[std::size_t(inputs.size)] >= 0; ++inputs.size)
    if (std::int32_t& column = inputs.columns[std::size_t(inputs.size)]; column < 128)
      column ^= flip;
  return inputs;
}

}  // namespace selfmate
