#include "search/evaluate.h"

#include <algorithm>
#include <cstdlib>

namespace selfmate {
namespace {

constexpr std::array<int, 6> kMobility{0, 3, 3, 2, 1, 0};  // per square
constexpr int kKingZoneAttack = 4;                         // per piece and square
constexpr int kShieldPawn = 8;

template <PieceType Type>
Bitboard attacks_from(Square square, Bitboard occupied) {
  if constexpr (Type == kKnight) return knight_attacks(square);
  if constexpr (Type == kBishop) return bishop_attacks(square, occupied);
  if constexpr (Type == kRook) return rook_attacks(square, occupied);
  return queen_attacks(square, occupied);
}

template <PieceType Type>
int piece_activity(const Position& position, Color us, Bitboard enemy_zone) {
  const Bitboard occupied = position.pieces(), not_ours = ~position.pieces(us);
  int activity = 0;
  for (Bitboard rest = position.pieces(us, Type); rest;) {
    const Bitboard attacks = attacks_from<Type>(pop_lowest(rest), occupied);
    activity += kMobility[Type] * popcount(attacks & not_ours);
    if (attacks & enemy_zone) activity += kKingZoneAttack * popcount(attacks & enemy_zone);
  }
  return activity;
}

// Mobility, and attacks on the squares around the enemy king.
int activity(const Position& position, Color us) {
  const Bitboard enemy_zone = king_attacks(position.king(~us));
  return piece_activity<kKnight>(position, us, enemy_zone) +
         piece_activity<kBishop>(position, us, enemy_zone) +
         piece_activity<kRook>(position, us, enemy_zone) +
         piece_activity<kQueen>(position, us, enemy_zone);
}

// Pawns up to two ranks before a king on its first two ranks, while the enemy has a queen.
template <Color Us>
int shield(const Position& position) {
  if (!position.pieces(~Us, kQueen)) return 0;
  const Square king = position.king(Us);
  if ((Us == kWhite ? rank_of(king) : 7 - rank_of(king)) > 1) return 0;
  const Bitboard abreast = bit(king) | east(bit(king)) | west(bit(king));
  const Bitboard before = forward<Us>(abreast) | forward<Us>(forward<Us>(abreast));
  return kShieldPawn * popcount(before & position.pieces(Us, kPawn));
}

constexpr int centrality(Square square) {
  return std::min(file_of(square), 7 - file_of(square)) +
         std::min(rank_of(square), 7 - rank_of(square));
}

Bitboard attacked_by(const Position& position, Color us, Bitboard occupied) {
  const Bitboard pawns = position.pieces(us, kPawn);
  Bitboard attacked = us == kWhite ? pawn_attacks<kWhite>(pawns) : pawn_attacks<kBlack>(pawns);
  for (Bitboard rest = position.pieces(us) ^ pawns; rest;) {
    const Square square = pop_lowest(rest);
    attacked |= piece_attacks(type_of(position.piece_on(square)), square, occupied);
  }
  return attacked;
}

// The set and all squares next to it.
Bitboard dilated(Bitboard set) {
  const Bitboard row = set | east(set) | west(set);
  return row | row << 8 | row >> 8;
}

// How many squares a bare king could walk to if the other side passed.
int reachable_squares(const Position& position, Color bare) {
  const Bitboard king = position.pieces(bare);
  const Bitboard open = ~attacked_by(position, ~bare, position.pieces() ^ king) | king;
  Bitboard reached = king, before;
  do {
    before = reached;
    reached = dilated(reached) & open;
  } while (reached != before);
  return popcount(reached);
}

int drive_bonus(const Position& position, Color bare) {
  const Square hunted = position.king(bare), hunter = position.king(~bare);
  const int apart =
      std::abs(file_of(hunted) - file_of(hunter)) + std::abs(rank_of(hunted) - rank_of(hunter));
  return 4 * (6 - centrality(hunted)) + 10 * (14 - apart) +
         4 * (63 - reachable_squares(position, bare));
}

}  // namespace

int positional(const Position& position) {
  const int sum = activity(position, kWhite) - activity(position, kBlack) +
                  shield<kWhite>(position) - shield<kBlack>(position);
  return std::clamp(sum, -kMaxPositional, kMaxPositional);
}

int lone_king(const Position& position) {
  const bool white_bare = !more_than_one(position.pieces(kWhite));
  const bool black_bare = !more_than_one(position.pieces(kBlack));
  if (white_bare == black_bare) return 0;
  return white_bare ? -drive_bonus(position, kWhite) : drive_bonus(position, kBlack);
}

int evaluate_side_to_move(const Position& position, PieceSquareScore score) {
  const int white = tapered(score) + positional(position) + lone_king(position);
  return position.turn() == kWhite ? white : -white;
}

int material_gain(const Position& position, Move move) {
  const int promotion = promotion_of(move);
  int gain = promotion ? kPieceValues[std::size_t(promotion)] - kPieceValues[kPawn] : 0;
  if (position.is_capture(move)) {
    const Piece victim = position.piece_on(to_of(move));
    gain += kPieceValues[victim == kNoPiece ? kPawn : type_of(victim)];
  }
  return gain;
}

}  // namespace selfmate
