// Which moves may give check, without playing them.
#pragma once

#include "chess/position.h"

namespace selfmate {

// Keeps the squares from which each type of piece would check the king of the side not to move.
// Discovered checks, promotions, castling and en passant are recognised by the move itself.
class CheckFinder {
 public:
  explicit CheckFinder(const Position& position) : position_(position) {
    const Color them = ~position.turn();
    const Square king = position.king(them);
    squares_[kPawn] = pawn_attacks(them, king);
    squares_[kKnight] = knight_attacks(king);
    squares_[kBishop] = bishop_attacks(king, position.pieces());
    squares_[kRook] = rook_attacks(king, position.pieces());
    squares_[kQueen] = squares_[kBishop] | squares_[kRook];
    discoverers_ = squares_[kQueen] & position.pieces(position.turn());
  }

  // May be true for a move that gives no check; false is certain.
  bool may_check(Move move) const {
    const PieceType type = type_of(position_.piece_on(from_of(move)));
    return (squares_[type] & bit(to_of(move))) || (discoverers_ & bit(from_of(move))) ||
           promotion_of(move) || (type == kKing && position_.is_castling(move)) ||
           (type == kPawn && to_of(move) == position_.en_passant());
  }

 private:
  const Position& position_;
  std::array<Bitboard, 6> squares_{};
  Bitboard discoverers_;
};

}  // namespace selfmate
