// What a move does, as numbers: a Q-net has weights for them beside those of the move's squares.
#pragma once

#include "encode/packed_features.h"

namespace selfmate {

// A kind tells which piece moves, what it takes, the least enemy piece that could take it on its
// destination, whether another own piece protects it there, whether its origin is attacked and
// whether it is protected, and whether the move gives check.
constexpr int kMoveKinds = 6 * 6 * 6 * 2 * 3 * 2 * 2;
// A bargain tells which piece moves, what it takes, the most valuable own piece that the enemy can
// take afterwards, and whether the move gives check.
constexpr int kBargains = 6 * 6 * 6 * 2;
// Checks tell which piece moves, what the enemy can do against its check, and what we could do
// against the enemy's strongest check afterwards.
constexpr int kChecks = 6 * 5 * 5;
constexpr int kPieceDestinations = 6 * 64;

// A move has five rows of weights: that of its squares (from_to4096), that of its piece and
// destination, that of its kind, that of its bargain and that of its checks. They are counted
// through.
constexpr std::size_t kRowsOfMove = 5;
using MoveRows = std::array<std::int32_t, kRowsOfMove>;
constexpr int kMoveRowCount = 64 * 64 + kPieceDestinations + kMoveKinds + kBargains + kChecks;

// A position, ready to describe its moves. Any from_to4096 action of any position has rows, also
// one that is not legal.
class MoveKinds {
 public:
  explicit MoveKinds(const MoverView& view);

  // Of an action seen by the side to move.
  MoveRows rows(int action) const;

 private:
  struct Step;
  struct Attacks;

  Step made(Square from, Square to) const;
  int kind(const Step& step) const;
  int threat_to_origin(const Step& step) const;
  static void look_at_enemy_king(Step& step);
  static Bitboard allowed_by_pin(const Step& step, Square square);
  static Bitboard answers_to_check(const Step& step);
  static int bargain(const Step& step, const Attacks& attacks);
  static int loss(const Step& step, const Attacks& attacks);
  static Bitboard captures_by_pieces(const Step& step, const Attacks& attacks);
  static Bitboard captures_by_king(const Step& step);
  static int checks(const Step& step, const Attacks& attacks);
  static int peril(const Step& step, const Attacks& attacks);
  static int peril_from_pawns(const Step& step, Square king);
  static int strength_after(const Step& step, PieceType type, Square from, Square to);

  const MoverView view_;
  Bitboard occupied_ = 0;
};

// The rows of all actions of packed positions, end to end: position i has the actions offsets[i] to
// offsets[i + 1].
std::vector<std::int32_t> move_rows(std::span<const std::uint8_t> packed,
                                    std::span<const std::int32_t> actions,
                                    std::span<const std::int64_t> offsets);

}  // namespace selfmate
