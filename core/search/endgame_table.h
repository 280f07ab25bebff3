// Tablebases of king and queen, king and rook, or king and two bishops against king: plies to mate
// with best play by both sides, by retrograde analysis from all mates.
#pragma once

#include <cstdint>
#include <vector>

#include "chess/types.h"

namespace selfmate {

constexpr std::uint8_t kNotWon = 255;  // drawn, or not a legal position

enum class Endgame : std::uint8_t { kQueen, kRook, kBishops };

// White has the pieces. Indexed by side to move, White's king, its one or two pieces and Black's
// king, 64 squares each: ((side * 64 + king) * 64 + piece ...) * 64 + black_king. Two bishops stand
// in the table in either order; 33 million bytes.
std::vector<std::uint8_t> endgame_table(Endgame endgame);

}  // namespace selfmate
