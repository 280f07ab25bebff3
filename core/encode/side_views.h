// A position as a sparse net sees it: once by each side, from its own end of the board and with its
// king on the files e to h; and what each move does, by lookups that cost some nanoseconds.
#pragma once

#include "encode/actions.h"
#include "encode/packed_features.h"

namespace selfmate {

// Which features a view has. A piece on a square is a feature, told apart by
struct ViewFeatures {
  int king_buckets = 1;  // where the own king stands: 1, or 4 for the corner e1 f1, the corner g1
                         // h1, the second rank, and the rest
  bool attacks = true;   // whether each side attacks the square
};
// BadInput for another number of buckets.
void check(const ViewFeatures& features);

constexpr int kViewPieces = 12 * 64;  // own pieces first
constexpr int kAttackStates = 4;
constexpr int kViewFlags = 4;  // castling: own king side, own queen side, then the enemy's
constexpr int input_count(const ViewFeatures& features) {
  return features.king_buckets * (features.attacks ? kAttackStates : 1) * kViewPieces + kViewFlags;
}
// Pieces on all squares and the flags. Bytes that nobody packed have several pieces on a square.
constexpr int kMaxViewInputs = 64 + kViewFlags;
constexpr int kViewRowCapacity = kViewPieces + kViewFlags;

// The numbers of the features that a side sees.
struct ViewRow {
  std::array<std::int32_t, kViewRowCapacity> columns;
  int size = 0;
};

// A move has three rows of weights: that of its squares, that of its piece and destination, and
// that of its kind. They are counted through. A promotion to another piece than a queen is a
// piece of its own, behind the six others.
constexpr int kMovingPieces = 6 + 3;
// A kind tells which piece moves, what it takes, the least enemy piece that attacks its
// destination, whether another own piece attacks it, whether its origin is attacked (by a less
// valuable piece, or by others) and whether it is protected, and whether the move gives check. As
// the board stands before the move: pieces behind the one that moves are not looked at.
constexpr int kViewMoveKinds = 6 * 6 * 6 * 2 * 3 * 2 * 2;
constexpr std::size_t kRowsOfViewMove = 3;
using ViewMoveRows = std::array<std::int32_t, kRowsOfViewMove>;
constexpr int kFirstPieceRow = 64 * 64;
constexpr int kFirstKindRow = kFirstPieceRow + kMovingPieces * 64;
constexpr int kViewMoveRowCount = kFirstKindRow + kViewMoveKinds;

class SideViews {
 public:
  // Any position, also an impossible one.
  explicit SideViews(const MoverView& view);

  // As the side to move sees it, or its opponent.
  ViewRow row(const ViewFeatures& features, bool by_opponent) const;
  // Of a move with its squares in the view of the side to move, legal or not.
  ViewMoveRows rows(Move move) const;

 private:
  // What one side attacks.
  struct Attacks {
    Bitboard all = 0, twice = 0;         // by at least one piece, by at least two
    std::array<Bitboard, 5> by_value{};  // pawns, knights and bishops, rooks, queens, king
    void add(std::size_t value, Bitboard squares);
    // 0 for a square that is not attacked, else 1 for a pawn to 5 for a king.
    int least(Square square) const;
  };

  void find_attacks(bool of_enemy);
  void find_checks();
  PieceType own_piece(Square square) const;
  int captured(PieceType mover, Square from, Square to) const;
  bool gives_check(PieceType mover, Square from, Square to) const;

  const MoverView view_;
  Bitboard occupied_ = 0;
  std::array<Attacks, 2> attacks_{};         // of the side to move, of its opponent
  std::array<Bitboard, 6> check_squares_{};  // from which each piece would check the enemy king
  Bitboard discoverers_ = 0;                 // own pieces that hide a check
  Square enemy_king_ = kNoSquare;
  std::array<Square, 2> turns_{};  // what a side's view does to squares: square ^ turn
};

// The rows of both views of many packed positions: row 2 * i for the side to move of position i,
// row 2 * i + 1 for its opponent.
struct ViewRows {
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> offsets{0};  // one more than there are rows
};
ViewRows view_rows(const ViewFeatures& features, std::span<const std::uint8_t> packed);

// The rows of all actions of packed positions, end to end: position i has the actions offsets[i] to
// offsets[i + 1]. Actions are those of az4672, or of from_to4096 in the view of the side to move.
std::vector<std::int32_t> view_move_rows(std::span<const std::uint8_t> packed,
                                         ActionEncoding encoding,
                                         std::span<const std::int32_t> actions,
                                         std::span<const std::int64_t> offsets);

}  // namespace selfmate
