// features839 in 107 bytes, seen by the side to move: what a replay keeps by the million. Where
// Black is to move the board is turned round, colours and ranks, so that the mover is White.
#pragma once

#include <span>

#include "encode/games.h"

namespace selfmate {

// Twelve planes of pieces and one of en passant, a byte a rank, file a its highest bit; a byte of
// side and castling rights (KQkq) from the highest bit down; the two counters, capped.
constexpr std::size_t kPackedSize = 13 * 8 + 3;

// Writes kPackedSize bytes per game.
void encode_packed(Games games, std::uint8_t* out, int threads);

// The inputs that are not zero: their places among the 839 and their values.
struct Inputs {
  std::vector<std::int32_t> columns;
  std::vector<float> values;
  std::vector<std::int64_t> offsets;  // one more than there are positions
};
Inputs inputs_of_packed(std::span<const std::uint8_t> packed);

}  // namespace selfmate
