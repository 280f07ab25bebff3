// What a move does, as numbers: a Q-net has weights for them beside those of the move's squares.
#pragma once

#include "encode/packed_features.h"

namespace selfmate {

// A kind tells which piece moves, what it takes, the least enemy piece that could take it on its
// destination, whether another own piece protects it there, whether its origin is attacked and
// whether it is protected, and whether the move gives check.
constexpr int kMoveKinds = 6 * 6 * 6 * 2 * 3 * 2 * 2;
// A bargain tells which piece moves, what it takes, the most valuable own piece that the enemy
// attacks afterwards, and whether the move gives check.
constexpr int kBargains = 6 * 6 * 6 * 2;
constexpr int kPieceDestinations = 6 * 64;

// A move has four rows of weights: that of its squares (from_to4096), that of its piece and
// destination, that of its kind and that of its bargain. They are counted through.
constexpr std::size_t kRowsOfMove = 4;
using MoveRows = std::array<std::int32_t, kRowsOfMove>;
constexpr int kMoveRowCount = 64 * 64 + kPieceDestinations + kMoveKinds + kBargains;

// A position, ready to describe its moves. Any from_to4096 action of any position has rows, also
// one that is not legal.
class MoveKinds {
 public:
  explicit MoveKinds(const MoverView& view);

  // Of an action seen by the side to move.
  MoveRows rows(int action) const;

 private:
  struct Step;

  int kind(const Step& step) const;
  int bargain(const Step& step) const;
  int captured(const Step& step) const;
  int threat_to_origin(const Step& step) const;
  bool gives_check(const Step& step) const;

  const MoverView view_;
  Bitboard occupied_ = 0;
  Bitboard enemy_leapers_attack_ = 0;  // pawns, knights and king
};

// The rows of all actions of packed positions, end to end: position i has the actions offsets[i] to
// offsets[i + 1].
std::vector<std::int32_t> move_rows(std::span<const std::uint8_t> packed,
                                    std::span<const std::int32_t> actions,
                                    std::span<const std::int64_t> offsets);

}  // namespace selfmate
