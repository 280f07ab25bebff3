#include "encode/tactical_planes.h"

#include "chess/attacks.h"
#include "encode/exchange.h"

namespace selfmate {
namespace {

// Planes in the order of the layout; the enemy's follow those of the side to move.
enum Plane {
  kAttacksByType,
  kAttackerCount = kAttacksByType + 12,
  kHanging = kAttackerCount + 2,
  kPinned = kHanging + 2,
  kCheckSquares = kPinned + 2,
  kCheckers = kCheckSquares + 8,
  kDiscoverers
};
static_assert(kDiscoverers + 1 == kTacticalPlanesCount);

constexpr int kMaxAttackers = 4;

// Of one side, which is White in the view of the side to move and plays up, or Black.
struct Army {
  Color color;
  std::array<Bitboard, 6> pieces;
  Bitboard all = 0;

  Army(const MoverView& view, Color side) : color(side) {
    for (std::size_t type = 0; type < 6; ++type) {
      pieces[type] = view.pieces[type + (side == kWhite ? 0 : 6)];
      all |= pieces[type];
    }
  }
  Square king() const { return lowest(pieces[kKing]); }
  Bitboard diagonal() const { return pieces[kBishop] | pieces[kQueen]; }
  Bitboard straight() const { return pieces[kRook] | pieces[kQueen]; }
};

// Which squares an army attacks, by type of piece, and how often.
class Attacks {
 public:
  Attacks(const Army& army, Bitboard occupied) {
    const Bitboard pawns = army.pieces[kPawn];
    const Bitboard forward = army.color == kWhite ? pawns << 8 : pawns >> 8;
    add(kPawn, east(forward));
    add(kPawn, west(forward));
    for (const PieceType type : {kKnight, kBishop, kRook, kQueen, kKing})
      for (Bitboard rest = army.pieces[type]; rest;)
        add(type, piece_attacks(type, pop_lowest(rest), occupied));
  }

  Bitboard by(PieceType type) const { return by_type_[type]; }
  Bitboard any() const { return ones_ | twos_ | fours_; }

  void write_counts(float* plane) const {
    for (Bitboard rest = any(); rest;) {
      const Square square = pop_lowest(rest);
      const int low = int(ones_ >> square & 1) + 2 * int(twos_ >> square & 1);
      plane[square] = float(fours_ >> square & 1 ? kMaxAttackers : low) / kMaxAttackers;
    }
  }

 private:
  // The counts of all squares at once, a bit of each in one word; four means four or more.
  void add(PieceType type, Bitboard attacked) {
    by_type_[type] |= attacked;
    const Bitboard carried = ones_ & attacked;
    ones_ ^= attacked;
    fours_ |= twos_ & carried;
    twos_ ^= carried;
  }

  std::array<Bitboard, 6> by_type_{};
  Bitboard ones_ = 0, twos_ = 0, fours_ = 0;
};

void mark(float* out, int plane, Bitboard set) {
  while (set) out[plane * 64 + pop_lowest(set)] = 1.0f;
}

// Pieces by whose capture the enemy wins material.
Bitboard hanging(const MoverView& view, const Army& army, const Attacks& enemy) {
  Bitboard found = 0;
  for (Bitboard rest = army.all & ~army.pieces[kKing] & enemy.any(); rest;) {
    const Square square = pop_lowest(rest);
    if (exchange_gain(view, square, ~army.color) > 0) found |= bit(square);
  }
  return found;
}

// Pieces that stand alone between a king and a line piece that would attack it.
Bitboard shields(Square king, const Army& attacker, Bitboard occupied) {
  Bitboard snipers = (bishop_attacks(king, 0) & attacker.diagonal()) |
                     (rook_attacks(king, 0) & attacker.straight());
  Bitboard found = 0;
  while (snipers) {
    const Bitboard blockers = between(king, pop_lowest(snipers)) & occupied;
    if (popcount(blockers) == 1) found |= blockers;
  }
  return found;
}

// From where pieces of a colour would give check: pawns, knights, bishops, rooks.
std::array<Bitboard, 4> check_squares(Square king, Color color, Bitboard occupied) {
  return {pawn_attacks(~color, king), knight_attacks(king), bishop_attacks(king, occupied),
          rook_attacks(king, occupied)};
}

Bitboard checkers(const Army& attacker, const std::array<Bitboard, 4>& squares) {
  return (attacker.pieces[kPawn] & squares[0]) | (attacker.pieces[kKnight] & squares[1]) |
         (attacker.diagonal() & squares[2]) | (attacker.straight() & squares[3]);
}

}  // namespace

void write_tactical_planes(const MoverView& view, float* out) {
  const Army own(view, kWhite), enemy(view, kBlack);
  const Bitboard occupied = own.all | enemy.all;
  const Attacks own_attacks(own, occupied), enemy_attacks(enemy, occupied);
  for (int type = kPawn; type <= kKing; ++type) {
    mark(out, kAttacksByType + type, own_attacks.by(PieceType(type)));
    mark(out, kAttacksByType + 6 + type, enemy_attacks.by(PieceType(type)));
  }
  own_attacks.write_counts(out + kAttackerCount * 64);
  enemy_attacks.write_counts(out + (kAttackerCount + 1) * 64);
  mark(out, kHanging, hanging(view, own, enemy_attacks));
  mark(out, kHanging + 1, hanging(view, enemy, own_attacks));
  const Bitboard before_enemy_king = shields(enemy.king(), own, occupied);
  mark(out, kPinned, own.all & shields(own.king(), enemy, occupied));
  mark(out, kPinned + 1, enemy.all & before_enemy_king);
  const auto ours = check_squares(enemy.king(), kWhite, occupied);
  const auto theirs = check_squares(own.king(), kBlack, occupied);
  for (int i = 0; i < 4; ++i) {
    mark(out, kCheckSquares + i, ours[std::size_t(i)]);
    mark(out, kCheckSquares + 4 + i, theirs[std::size_t(i)]);
  }
  mark(out, kCheckers, checkers(enemy, theirs));
  mark(out, kDiscoverers, own.all & before_enemy_king);
}

}  // namespace selfmate
