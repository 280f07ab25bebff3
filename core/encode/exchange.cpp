#include "encode/exchange.h"

#include <algorithm>

#include "chess/attacks.h"

namespace selfmate {
namespace {

constexpr std::array<int, 6> kPawns{1, 3, 3,
                                    5, 9, 100};  // values of pieces, the king's the largest

// The captures on one square, each by the least valuable piece that is left.
class Exchange {
 public:
  Exchange(const MoverView& view, Square square) : view_(view), square_(square) {
    for (const Bitboard set : view.pieces) occupied_ |= set;
    for (std::size_t type = 0; type < 6; ++type)
      both_[type] = set_of(kWhite, type) | set_of(kBlack, type);
    attackers_ = (pawn_attacks(kBlack, square) & set_of(kWhite, kPawn)) |
                 (pawn_attacks(kWhite, square) & set_of(kBlack, kPawn)) |
                 (knight_attacks(square) & both_[kKnight]) | (king_attacks(square) & both_[kKing]) |
                 line_attackers();
  }

  // The value of the piece that takes next for the side; 0 if none can.
  int capture(Color side) {
    for (std::size_t type = 0; type < 6; ++type) {
      const Bitboard able = attackers_ & set_of(side, type);
      if (!able) continue;
      if (type == kKing && has_attacker(~side)) return 0;
      occupied_ ^= able & -able;
      attackers_ = (attackers_ | line_attackers()) & occupied_;
      return kPawns[type];
    }
    return 0;
  }

  int value_of_target(Color owner) const {
    for (std::size_t type = 0; type < 6; ++type)
      if (set_of(owner, type) >> square_ & 1) return kPawns[type];
    return 0;
  }

 private:
  Bitboard set_of(Color side, std::size_t type) const {
    return view_.pieces[type + (side == kWhite ? 0 : 6)];
  }

  bool has_attacker(Color side) const {
    for (std::size_t type = 0; type < 6; ++type)
      if (attackers_ & set_of(side, type)) return true;
    return false;
  }

  Bitboard line_attackers() const {
    return (bishop_attacks(square_, occupied_) & (both_[kBishop] | both_[kQueen])) |
           (rook_attacks(square_, occupied_) & (both_[kRook] | both_[kQueen]));
  }

  const MoverView& view_;
  const Square square_;
  std::array<Bitboard, 6> both_;
  Bitboard occupied_ = 0, attackers_ = 0;
};

// What the side wins by taking a piece of this value, or 0 if it had better not.
int best_gain(Exchange& exchange, Color side, int target) {
  const int taker = exchange.capture(side);
  return taker ? std::max(0, target - best_gain(exchange, ~side, taker)) : 0;
}

}  // namespace

int exchange_gain(const MoverView& view, Square square, Color attacker) {
  Exchange exchange(view, square);
  return best_gain(exchange, attacker, exchange.value_of_target(~attacker));
}

}  // namespace selfmate
