// Action encodings: moves as indices of a fixed range, for nets with one output per action. The
// layouts are drawn in docs/encodings.md.
#pragma once

#include <array>
#include <string_view>

#include "chess/position.h"

namespace selfmate {

enum class ActionEncoding : std::uint8_t { kFromTo4096, kUci1968, kAz4672 };

struct ActionLayout {
  std::string_view name;
  int size;
  int version;  // raised whenever an index changes its meaning
};
inline constexpr std::array<ActionLayout, 3> kActionEncodings{
    {{"from_to4096", 4096, 1}, {"uci1968", 1968, 1}, {"az4672", 4672, 1}}};

constexpr const ActionLayout& layout_of(ActionEncoding encoding) {
  return kActionEncodings[std::size_t(encoding)];
}
constexpr int action_count(ActionEncoding encoding) {
  return layout_of(encoding).size;
}
// BadInput for an unknown name.
ActionEncoding action_encoding_named(std::string_view name);

// For a move that is legal for `turn` in some position; az4672 alone depends on the side.
int encode_action(ActionEncoding encoding, Move move, Color turn);
// kNoMove when the index is out of range or no legal move here.
Move decode_action(ActionEncoding encoding, int index, const Position& position);

// An action of from_to4096 with the ranks of both squares flipped, or back.
constexpr int flipped_from_to(int action) {
  return action ^ (56 * 64 + 56);
}

// Whether the move is the one that stands for its index; in from_to4096 the queen stands for all
// four promotions.
constexpr bool represents_action(ActionEncoding encoding, Move move) {
  return encoding != ActionEncoding::kFromTo4096 || promotion_of(move) == 0 ||
         promotion_of(move) == kQueen;
}

// The move that an index of az4672, or of from_to4096 in the view of the side to move, stands for:
// in that view, and without a promotion to a queen. An index of az4672 that leaves the board is
// kNoMove.
Move mover_move(ActionEncoding encoding, int index);

// How many indices the legal moves have, and these in the order of move generation.
int count_actions(ActionEncoding encoding, const Position& position);
void list_actions(ActionEncoding encoding, const Position& position, std::int32_t* out);

// The move that each index of uci1968 stands for.
const std::array<Move, 1968>& uci1968_moves();
// The move that each index of az4672 stands for, in the view of the side to move; kNoMove where the
// board ends.
const std::array<Move, 4672>& az4672_moves();
// uci1968 is absolute; this gives the index of the same move with the ranks flipped.
const std::array<std::int32_t, 1968>& uci1968_flipped();

}  // namespace selfmate
