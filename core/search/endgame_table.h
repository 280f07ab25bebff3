// King and queen, or king and rook, against king: how many plies it is to mate with best play from
// both, worked out backwards from all mates.
#pragma once

#include <cstdint>
#include <vector>

#include "chess/types.h"

namespace selfmate {

constexpr std::size_t kEndgamePositions = 2 * 64 * 64 * 64;
constexpr std::uint8_t kNotWon = 255;  // drawn, or no position at all

// The strong side is White, whose piece may be rook or queen. By side to move, White's king, the
// piece and Black's king, in this order: ((side * 64 + king) * 64 + piece) * 64 + black_king.
std::vector<std::uint8_t> endgame_table(PieceType piece);

}  // namespace selfmate
