// Where each piece attacks. Sliders by magic multiplication: the blockers on a square's lines are
// hashed to an index into a table of attack sets.
#pragma once

#include <array>

#include "chess/bitboard.h"

namespace selfmate {

struct Magic {
  Bitboard mask;
  Bitboard factor;
  const Bitboard* attacks;
  int shift;
  Bitboard operator()(Bitboard occupied) const {
    return attacks[((occupied & mask) * factor) >> shift];
  }
};

struct AttackTables {
  std::array<Bitboard, 64> knight, king;
  std::array<std::array<Bitboard, 64>, 2> pawn;
  // Squares strictly between two squares on one line; the whole line through them; else empty.
  std::array<std::array<Bitboard, 64>, 64> between, line;
  std::array<Bitboard, 64> diagonal, anti_diagonal;  // a1-h8 and h1-a8 wise, through the square
  std::array<Magic, 64> bishop, rook;
  AttackTables();
};

extern const AttackTables kAttacks;

inline Bitboard knight_attacks(Square square) {
  return kAttacks.knight[square];
}
inline Bitboard king_attacks(Square square) {
  return kAttacks.king[square];
}
inline Bitboard pawn_attacks(Color color, Square square) {
  return kAttacks.pawn[color][square];
}
inline Bitboard bishop_attacks(Square square, Bitboard occupied) {
  return kAttacks.bishop[square](occupied);
}
inline Bitboard rook_attacks(Square square, Bitboard occupied) {
  return kAttacks.rook[square](occupied);
}
inline Bitboard queen_attacks(Square square, Bitboard occupied) {
  return bishop_attacks(square, occupied) | rook_attacks(square, occupied);
}
inline Bitboard between(Square a, Square b) {
  return kAttacks.between[a][b];
}
inline Bitboard line(Square a, Square b) {
  return kAttacks.line[a][b];
}

template <Color Us>
constexpr Bitboard pawn_attacks(Bitboard pawns) {
  return east(forward<Us>(pawns)) | west(forward<Us>(pawns));
}

// Attacks of any piece but a pawn.
Bitboard piece_attacks(PieceType type, Square square, Bitboard occupied);

}  // namespace selfmate
