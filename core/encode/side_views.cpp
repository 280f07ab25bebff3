#include "encode/side_views.h"

#include "chess/attacks.h"
#include "chess/notation.h"

namespace selfmate {
namespace {

// By type of piece. Knights and bishops are alike.
constexpr std::size_t kValueOf[] = {0, 1, 1, 2, 3, 4};

// Of a king on the files e to h, seen from its own end of the board.
int king_bucket(int king_buckets, Square king) {
  if (king_buckets == 1) return 0;
  if (rank_of(king) == 0) return file_of(king) >= 6;
  return rank_of(king) == 1 ? 2 : 3;
}

PieceType piece_on(const Bitboard* pieces, Square square) {
  for (const PieceType type : {kPawn, kKnight, kBishop, kRook, kQueen, kKing})
    if (pieces[type] & bit(square)) return type;
  return kNoPieceType;
}

}  // namespace

void check(const ViewFeatures& features) {
  if (features.king_buckets != 1 && features.king_buckets != 4)
    throw BadInput("king_buckets must be 1 or 4, not " + std::to_string(features.king_buckets));
}

void SideViews::Attacks::add(std::size_t value, Bitboard squares) {
  twice |= all & squares;
  all |= squares;
  by_value[value] |= squares;
}

int SideViews::Attacks::least(Square square) const {
  if (!(all & bit(square))) return 0;
  int value = 0;
  while (value < 4 && !(by_value[std::size_t(value)] & bit(square))) ++value;
  return 1 + value;
}

SideViews::SideViews(const MoverView& view) : view_(view) {
  for (const Bitboard set : view_.pieces) occupied_ |= set;
  for (const bool of_enemy : {false, true}) {
    const Bitboard king = view_.pieces[kKing + 6 * of_enemy];
    const bool is_left = king && file_of(lowest(king)) < 4;
    turns_[of_enemy] = (of_enemy ? 56 : 0) ^ (is_left ? 7 : 0);
    find_attacks(of_enemy);
  }
  find_checks();
}

void SideViews::find_attacks(bool of_enemy) {
  const Bitboard* pieces = view_.pieces.data() + 6 * of_enemy;
  Attacks& attacks = attacks_[of_enemy];
  const Bitboard pawns = of_enemy ? forward<kBlack>(pieces[kPawn]) : forward<kWhite>(pieces[kPawn]);
  attacks.add(0, east(pawns));
  attacks.add(0, west(pawns));
  for (const PieceType type : {kKnight, kBishop, kRook, kQueen, kKing})
    for (Bitboard rest = pieces[type]; rest;)
      attacks.add(kValueOf[type], piece_attacks(type, pop_lowest(rest), occupied_));
}

void SideViews::find_checks() {
  const Bitboard *own = view_.pieces.data(), king = own[6 + kKing];
  if (!king) return;
  enemy_king_ = lowest(king);
  check_squares_[kPawn] = pawn_attacks(kBlack, enemy_king_);
  check_squares_[kKnight] = knight_attacks(enemy_king_);
  check_squares_[kBishop] = bishop_attacks(enemy_king_, occupied_);
  check_squares_[kRook] = rook_attacks(enemy_king_, occupied_);
  check_squares_[kQueen] = check_squares_[kBishop] | check_squares_[kRook];
  Bitboard own_pieces = 0;
  for (int type = kPawn; type <= kKing; ++type) own_pieces |= own[type];
  const Bitboard hidden = own_pieces & check_squares_[kQueen];
  if (!hidden) return;
  Bitboard sliders = (bishop_attacks(enemy_king_, 0) & (own[kBishop] | own[kQueen])) |
                     (rook_attacks(enemy_king_, 0) & (own[kRook] | own[kQueen]));
  while (sliders) {
    const Bitboard before = between(enemy_king_, pop_lowest(sliders)) & occupied_;
    if (before && !more_than_one(before)) discoverers_ |= before & hidden;
  }
}

ViewRow SideViews::row(const ViewFeatures& features, bool by_opponent) const {
  ViewRow row;
  const Square turn = turns_[by_opponent];
  const Bitboard king = view_.pieces[kKing + 6 * by_opponent];
  const int states = features.attacks ? kAttackStates : 1;
  const int bucket = king ? king_bucket(features.king_buckets, lowest(king) ^ turn) : 0;
  const Bitboard by_us = features.attacks ? attacks_[by_opponent].all : 0;
  const Bitboard by_them = features.attacks ? attacks_[!by_opponent].all : 0;
  for (int piece = 0; piece < 12; ++piece) {
    const int seen = by_opponent ? (piece + 6) % 12 : piece;
    for (Bitboard rest = view_.pieces[std::size_t(piece)]; rest;) {
      const Square square = pop_lowest(rest);
      const int state = int(by_us >> square & 1) + 2 * int(by_them >> square & 1);
      row.columns[std::size_t(row.size++)] =
          ((bucket * states + state) * 12 + seen) * 64 + (square ^ turn);
    }
  }
  const int first_flag = input_count(features) - kViewFlags;
  for (int i = 0; i < kViewFlags; ++i)
    if (view_.flags & (0x40 >> i))
      row.columns[std::size_t(row.size++)] = first_flag + (by_opponent ? (i + 2) % 4 : i);
  return row;
}

PieceType SideViews::own_piece(Square square) const {
  const PieceType type = piece_on(view_.pieces.data(), square);
  return type == kNoPieceType ? kPawn : type;
}

// 0 for nothing, else 1 for a pawn to 5 for a queen.
int SideViews::captured(PieceType mover, Square from, Square to) const {
  if (occupied_ & bit(to)) {
    const PieceType taken = piece_on(view_.pieces.data() + 6, to);
    return taken == kNoPieceType ? 0 : std::min(1 + int(taken), 1 + int(kQueen));
  }
  return mover == kPawn && (view_.en_passant & bit(to)) && file_of(from) != file_of(to);
}

bool SideViews::gives_check(PieceType mover, Square from, Square to) const {
  if (enemy_king_ == kNoSquare) return false;
  const PieceType then = mover == kPawn && rank_of(to) == 7 ? kQueen : mover;
  if (check_squares_[then] & bit(to)) return true;
  return (discoverers_ & bit(from)) && !(line(enemy_king_, from) & bit(to));
}

ViewMoveRows SideViews::rows(Move move) const {
  const Square from = from_of(move), to = to_of(move), turn = turns_[0];
  const PieceType mover = own_piece(from);
  const Attacks &own = attacks_[0], &enemy = attacks_[1];
  const bool attacks_to = mover != kPawn || file_of(from) != file_of(to);
  const int threat = enemy.least(from);
  int kind = 6 * mover + captured(mover, from, to);
  kind = 6 * kind + enemy.least(to);
  kind = 2 * kind + (((attacks_to ? own.twice : own.all) & bit(to)) != 0);
  kind = 3 * kind + (threat == 0 ? 0 : std::size_t(threat) <= kValueOf[mover] ? 1 : 2);
  kind = 2 * kind + ((own.all & bit(from)) != 0);
  kind = 2 * kind + gives_check(mover, from, to);
  const int promotion = promotion_of(move);
  const bool is_under = promotion != 0 && promotion != kQueen;
  const int piece = is_under ? 6 + promotion - kKnight : int(mover);
  return {((from ^ turn) << 6) + (to ^ turn), kFirstPieceRow + 64 * piece + (to ^ turn),
          kFirstKindRow + kind};
}

ViewRows view_rows(const ViewFeatures& features, std::span<const std::uint8_t> packed) {
  ViewRows found;
  const std::size_t count = packed.size() / kPackedFeaturesSize;
  found.columns.reserve(count * 2 * 32);
  found.offsets.reserve(2 * count + 1);
  for (std::size_t i = 0; i < count; ++i) {
    const SideViews views(view_of(packed.data() + i * kPackedFeaturesSize));
    for (const bool by_opponent : {false, true}) {
      const ViewRow row = views.row(features, by_opponent);
      found.columns.insert(found.columns.end(), row.columns.begin(),
                           row.columns.begin() + row.size);
      found.offsets.push_back(std::int64_t(found.columns.size()));
    }
  }
  return found;
}

std::vector<std::int32_t> view_move_rows(std::span<const std::uint8_t> packed,
                                         ActionEncoding encoding,
                                         std::span<const std::int32_t> actions,
                                         std::span<const std::int64_t> offsets) {
  std::vector<std::int32_t> found;
  found.reserve(actions.size() * kRowsOfViewMove);
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    const SideViews views(view_of(packed.data() + i * kPackedFeaturesSize));
    for (auto at = std::size_t(offsets[i]); at < std::size_t(offsets[i + 1]); ++at)
      for (const std::int32_t row : views.rows(mover_move(encoding, actions[at])))
        found.push_back(row);
  }
  return found;
}

}  // namespace selfmate
