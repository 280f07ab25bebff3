// Moves as numbers of a fixed range, for nets that give one number per action. The codings are
// drawn in docs/encodings.md.
#pragma once

#include <array>
#include <string_view>

#include "chess/position.h"

namespace selfmate {

enum class Coding : std::uint8_t { kFromTo4096, kUci1968, kAz4672 };

struct CodingLayout {
  std::string_view name;
  int size;
  int version;  // raised whenever an index changes its meaning
};
inline constexpr std::array<CodingLayout, 3> kCodings{
    {{"from_to4096", 4096, 1}, {"uci1968", 1968, 1}, {"az4672", 4672, 1}}};

constexpr const CodingLayout& layout_of(Coding coding) {
  return kCodings[std::size_t(coding)];
}
constexpr int action_count(Coding coding) {
  return layout_of(coding).size;
}
// BadInput for an unknown name.
Coding coding_named(std::string_view name);

// For a move that is legal for `turn` in some position; az4672 alone depends on the side.
int encode_action(Coding coding, Move move, Color turn);
// kNoMove when the index is out of range or no legal move here.
Move decode_action(Coding coding, int index, const Position& position);

// Whether the move is the one that stands for its index; in from_to4096 the queen stands for all
// four promotions.
constexpr bool represents_action(Coding coding, Move move) {
  return coding != Coding::kFromTo4096 || promotion_of(move) == 0 || promotion_of(move) == kQueen;
}

// How many indices the legal moves have, and these in the order of move generation.
int count_actions(Coding coding, const Position& position);
void list_actions(Coding coding, const Position& position, std::int32_t* out);

// The move that each index of uci1968 stands for.
const std::array<Move, 1968>& uci1968_moves();
// uci1968 is absolute; this gives the index of the same move with the ranks flipped.
const std::array<std::int32_t, 1968>& uci1968_flipped();

}  // namespace selfmate
