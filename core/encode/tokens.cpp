#include "encode/tokens.h"

#include <algorithm>

namespace selfmate {
namespace {

// The reference design orders pieces as pawn, bishop, knight, rook, queen, king; PieceType has the
// knight before the bishop.
constexpr std::array<std::uint8_t, 6> kOrderOfType = {0, 2, 1, 3, 4, 5};

void write_squares(const Position& position, std::uint8_t* out) {
  std::fill_n(out, 64, kTokenEmpty);
  const int flip = position.turn() == kWhite ? 0 : 56;
  for (Bitboard rest = position.pieces(); rest;) {
    const Square square = pop_lowest(rest);
    const Piece piece = position.piece_on(square);
    const std::uint8_t first = color_of(piece) == position.turn() ? kTokenOwn : kTokenEnemy;
    out[square ^ flip] = std::uint8_t(first + kOrderOfType[type_of(piece)]);
  }
}

}  // namespace

void encode_tokens78(const Position& position, std::uint8_t* out) {
  out[0] = kTokenStart;
  write_squares(position, out + 1);
  std::uint8_t* castling = out + 65;
  const int own_first = position.turn() == kWhite ? 0 : 2;
  for (int right = 0; right < 4; ++right)
    castling[right ^ own_first] = position.castling() >> right & 1 ? kTokenYes : kTokenNo;
  std::uint8_t* en_passant = out + 69;
  std::fill_n(en_passant, 9, kTokenNo);
  if (position.en_passant() == kNoSquare) return;
  en_passant[0] = kTokenYes;
  en_passant[1 + file_of(position.en_passant())] = kTokenYes;
}

}  // namespace selfmate
