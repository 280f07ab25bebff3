// Which moves may give check, told without playing them.
#pragma once

#include "chess/position.h"

namespace selfmate {

// Squares from which a man of each type checks the king of the side not to move. Moves that check
// in other ways are recognised by what they are.
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
    uncoverers_ = squares_[kQueen] & position.pieces(position.turn());
  }

  // False is certain.
  bool may_check(Move move) const {
    const PieceType type = type_of(position_.piece_on(from_of(move)));
    return (squares_[type] & bit(to_of(move))) || (uncoverers_ & bit(from_of(move))) ||
           promotion_of(move) || (type == kKing && position_.is_castling(move)) ||
           (type == kPawn && to_of(move) == position_.en_passant());
  }

 private:
  const Position& position_;
  std::array<Bitboard, 6> squares_{};
  Bitboard uncoverers_;
};

}  // namespace selfmate
