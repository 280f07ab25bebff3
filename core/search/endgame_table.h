// Tablebases of king and queen, or king and rook, against king: plies to mate with best play by
// both sides, by retrograde analysis from all mates.
#pragma once

#include <cstdint>
#include <vector>

#include "chess/types.h"

namespace selfmate {

constexpr std::size_t kEndgamePositions = 2 * 64 * 64 * 64;
constexpr std::uint8_t kNotWon = 255;  // drawn, or not a legal position

// White has the queen or the rook. Indexed by side to move, White's king, the piece and Black's
// king:
// ((side * 64 + king) * 64 + piece) * 64 + black_king.
std::vector<std::uint8_t> endgame_table(PieceType piece);

}  // namespace selfmate
