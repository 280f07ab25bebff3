#include "encode/move_kinds.h"

#include <algorithm>

#include "chess/attacks.h"

namespace selfmate {
namespace {

// The values by which a capture is judged: knights and bishops are alike.
constexpr int kRankOf[] = {1, 2, 2, 3, 4, 5};

// The pieces of one side, as six sets, that attack a square. In the mover's view it is White.
Bitboard attackers(const Bitboard* pieces, Color color, Square square, Bitboard occupied) {
  const Bitboard diagonal = bishop_attacks(square, occupied);
  const Bitboard straight = rook_attacks(square, occupied);
  return (pawn_attacks(~color, square) & pieces[kPawn]) |
         (knight_attacks(square) & pieces[kKnight]) | (king_attacks(square) & pieces[kKing]) |
         (diagonal & (pieces[kBishop] | pieces[kQueen])) |
         (straight & (pieces[kRook] | pieces[kQueen]));
}

PieceType piece_on(const Bitboard* pieces, Square square) {
  for (const PieceType type : {kPawn, kKnight, kBishop, kRook, kQueen, kKing})
    if (pieces[type] & bit(square)) return type;
  return kNoPieceType;
}

// 0 for an empty set, else that of its least piece.
int least_rank(const Bitboard* pieces, Bitboard set) {
  for (const PieceType type : {kPawn, kKnight, kBishop, kRook, kQueen, kKing})
    if (pieces[type] & set) return kRankOf[type];
  return 0;
}

// What the enemy's pawns, knights and king attack.
Bitboard leaper_attacks(const Bitboard* enemy, Bitboard standing) {
  Bitboard found = pawn_attacks<kBlack>(enemy[kPawn] & standing);
  for (Bitboard rest = enemy[kKnight] & standing; rest;) found |= knight_attacks(pop_lowest(rest));
  for (Bitboard rest = enemy[kKing] & standing; rest;) found |= king_attacks(pop_lowest(rest));
  return found;
}

Bitboard slider_attacks(const Bitboard* enemy, Bitboard standing, Bitboard occupied) {
  Bitboard found = 0;
  for (Bitboard rest = (enemy[kBishop] | enemy[kQueen]) & standing; rest;)
    found |= bishop_attacks(pop_lowest(rest), occupied);
  for (Bitboard rest = (enemy[kRook] | enemy[kQueen]) & standing; rest;)
    found |= rook_attacks(pop_lowest(rest), occupied);
  return found;
}

}  // namespace

struct MoveKinds::Step {
  Square from, to;
  PieceType mover;
  bool is_en_passant = false, gives_check = false;
  int captured = 0;       // 0 for nothing, else 1 for a pawn to 5 for a queen
  Bitboard occupied = 0;  // afterwards
};

MoveKinds::MoveKinds(const MoverView& view) : view_(view) {
  for (const Bitboard set : view_.pieces) occupied_ |= set;
  enemy_leapers_attack_ = leaper_attacks(view_.pieces.data() + 6, ~Bitboard(0));
}

MoveRows MoveKinds::rows(int action) const {
  Step step{.from = action >> 6, .to = action & 63, .mover = kPawn};
  const PieceType mover = piece_on(view_.pieces.data(), step.from);
  if (mover != kNoPieceType) step.mover = mover;
  step.is_en_passant = step.mover == kPawn && (view_.en_passant & bit(step.to)) != 0 &&
                       file_of(step.from) != file_of(step.to);
  step.occupied = (occupied_ & ~bit(step.from)) | bit(step.to);
  if (step.is_en_passant && step.to >= 8) step.occupied &= ~bit(step.to - 8);
  step.captured = captured(step);
  step.gives_check = gives_check(step);
  constexpr int kFirstKind = 64 * 64 + kPieceDestinations, kFirstBargain = kFirstKind + kMoveKinds;
  return {action, 64 * 64 + 64 * step.mover + step.to, kFirstKind + kind(step),
          kFirstBargain + bargain(step)};
}

int MoveKinds::kind(const Step& step) const {
  const Bitboard *own = view_.pieces.data(), *enemy = own + 6;
  const Bitboard takers = attackers(enemy, kBlack, step.to, step.occupied);
  const Bitboard protectors = attackers(own, kWhite, step.to, step.occupied) & ~bit(step.from);
  int kind = step.mover;
  kind = 6 * kind + step.captured;
  kind = 6 * kind + least_rank(enemy, takers);
  kind = 2 * kind + (protectors != 0);
  kind = 3 * kind + threat_to_origin(step);
  kind = 2 * kind + (attackers(own, kWhite, step.from, occupied_) != 0);
  return 2 * kind + step.gives_check;
}

int MoveKinds::bargain(const Step& step) const {
  const Bitboard* enemy = view_.pieces.data() + 6;
  const Bitboard standing = step.occupied & ~bit(step.to);  // without what is taken
  Bitboard attacked = step.captured ? leaper_attacks(enemy, standing) : enemy_leapers_attack_;
  attacked |= slider_attacks(enemy, standing, step.occupied);
  int most = attacked & bit(step.to) ? step.mover : -1;
  for (int type = kQueen; type > most; --type)
    if (view_.pieces[std::size_t(type)] & ~bit(step.from) & attacked) most = type;
  const int loss = std::min(1 + most, 1 + int(kQueen));
  return ((6 * step.mover + step.captured) * 6 + loss) * 2 + step.gives_check;
}

int MoveKinds::captured(const Step& step) const {
  if (step.is_en_passant) return 1 + kPawn;
  const PieceType type = piece_on(view_.pieces.data() + 6, step.to);
  return type == kNoPieceType ? 0 : std::min(1 + int(type), 1 + int(kQueen));
}

// 0 for none, 1 from a less valuable piece, 2 from others alone.
int MoveKinds::threat_to_origin(const Step& step) const {
  const Bitboard* enemy = view_.pieces.data() + 6;
  const int least = least_rank(enemy, attackers(enemy, kBlack, step.from, occupied_));
  return least == 0 ? 0 : least < kRankOf[step.mover] ? 1 : 2;
}

// By the piece that moved, as a queen on the last rank, or by one behind it.
bool MoveKinds::gives_check(const Step& step) const {
  const Bitboard king = view_.pieces[6 + kKing];
  if (!king) return false;
  std::array<Bitboard, 6> own;
  for (std::size_t type = 0; type < 6; ++type)
    own[type] = view_.pieces[type] & ~(bit(step.from) | bit(step.to));
  const bool promotes = step.mover == kPawn && rank_of(step.to) == 7;
  own[promotes ? kQueen : step.mover] |= bit(step.to);
  return attackers(own.data(), kWhite, lowest(king), step.occupied) != 0;
}

std::vector<std::int32_t> move_rows(std::span<const std::uint8_t> packed,
                                    std::span<const std::int32_t> actions,
                                    std::span<const std::int64_t> offsets) {
  std::vector<std::int32_t> found;
  found.reserve(actions.size() * kRowsOfMove);
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    const MoveKinds kinds(view_of(packed.data() + i * kPackedFeaturesSize));
    for (auto at = std::size_t(offsets[i]); at < std::size_t(offsets[i + 1]); ++at)
      for (const std::int32_t row : kinds.rows(actions[at])) found.push_back(row);
  }
  return found;
}

}  // namespace selfmate
