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

// The squares that a set of pawns of a colour steps to.
Bitboard pawn_steps(Color color, Bitboard pawns, Bitboard occupied) {
  return (color == kWhite ? forward<kWhite>(pawns) : forward<kBlack>(pawns)) & ~occupied;
}

// Six sets of one side's pieces, and their colour. In the mover's view the mover is White.
struct Side {
  std::array<Bitboard, 6> pieces;
  Color color;
  Bitboard all = 0;

  Side(const Bitboard* six, Color color) : color(color) {
    std::copy_n(six, 6, pieces.begin());
    for (const Bitboard each : pieces) all |= each;
  }
  Bitboard attackers_of(Square square, Bitboard occupied) const {
    return attackers(pieces.data(), color, square, occupied);
  }
  void remove(Bitboard set) {
    for (Bitboard& each : pieces) each &= ~set;
    all &= ~set;
  }
  void add(PieceType type, Square square) {
    pieces[type] |= bit(square);
    all |= bit(square);
  }
};

// What the defender can do against checks: 0 if there is none, 1 the piece that checks can be
// taken, 2 the king can move, 3 another piece may come between, 4 none of these. Pins of the
// defender's pieces are not looked at.
int check_strength(const Side& attacker, const Side& defender, Bitboard occupied) {
  if (!defender.pieces[kKing]) return 0;
  const Square king = lowest(defender.pieces[kKing]);
  const Bitboard checkers = attacker.attackers_of(king, occupied), others = ~bit(king);
  if (!checkers) return 0;
  const bool is_single = !more_than_one(checkers);
  const Square checker = lowest(checkers);
  if (is_single && (defender.attackers_of(checker, occupied) & others)) return 1;
  for (Bitboard rest = king_attacks(king) & ~defender.all; rest;)
    if (!attacker.attackers_of(pop_lowest(rest), occupied & others)) return 2;
  const Bitboard pawns = defender.pieces[kPawn];
  if (is_single)
    for (Bitboard rest = between(checker, king); rest;) {
      const Square square = pop_lowest(rest);
      if (defender.attackers_of(square, occupied) & others & ~pawns) return 3;
      if (pawn_steps(defender.color, pawns, occupied) & bit(square)) return 3;
    }
  return 4;
}

bool promotes(PieceType type, Color color, Square to) {
  return type == kPawn && rank_of(to) == (color == kWhite ? 7 : 0);
}

}  // namespace

struct MoveKinds::Step {
  Square from, to;
  PieceType mover;
  int captured = 0;  // 0 for nothing, else 1 for a pawn to 5 for a queen
  // Afterwards. A pawn on the last rank is a queen.
  Side own, enemy;
  Bitboard occupied = 0;
  Bitboard checkers = 0;  // own pieces that attack the enemy king
  Bitboard pinned = 0;    // enemy pieces that must stay before their king
};

// What the enemy's knights, bishops, rooks and queens attack after a move, as far as pins allow.
struct MoveKinds::Attacks {
  struct Attack {
    PieceType type;
    Square from;
    Bitboard targets;
  };
  static constexpr int kCapacity = 32;  // of more, which no position has, the first count
  std::array<Attack, kCapacity> attacks;
  int size = 0;

  explicit Attacks(const Step& step) {
    for (const PieceType type : {kKnight, kBishop, kRook, kQueen})
      for (Bitboard rest = step.enemy.pieces[type]; rest && size < kCapacity;) {
        const Square from = pop_lowest(rest);
        const Bitboard targets = piece_attacks(type, from, step.occupied);
        attacks[std::size_t(size++)] = {type, from, targets & allowed_by_pin(step, from)};
      }
  }
  std::span<const Attack> all() const { return {attacks.data(), std::size_t(size)}; }
};

MoveKinds::MoveKinds(const MoverView& view) : view_(view) {
  for (const Bitboard set : view_.pieces) occupied_ |= set;
}

MoveRows MoveKinds::rows(int action) const {
  const Step step = made(action >> 6, action & 63);
  const Attacks attacks(step);
  constexpr int kFirstKind = 64 * 64 + kPieceDestinations, kFirstBargain = kFirstKind + kMoveKinds,
                kFirstCheck = kFirstBargain + kBargains;
  return {action, 64 * 64 + 64 * step.mover + step.to, kFirstKind + kind(step),
          kFirstBargain + bargain(step, attacks), kFirstCheck + checks(step, attacks)};
}

MoveKinds::Step MoveKinds::made(Square from, Square to) const {
  Step step{.from = from,
            .to = to,
            .mover = kPawn,
            .own = {view_.pieces.data(), kWhite},
            .enemy = {view_.pieces.data() + 6, kBlack}};
  const PieceType mover = piece_on(view_.pieces.data(), from);
  if (mover != kNoPieceType) step.mover = mover;
  const bool is_en_passant =
      step.mover == kPawn && (view_.en_passant & bit(to)) && file_of(from) != file_of(to);
  const Bitboard victim = is_en_passant && to >= 8 ? bit(to - 8) : bit(to);
  const PieceType taken = piece_on(view_.pieces.data() + 6, to);
  if (taken != kNoPieceType) step.captured = std::min(1 + int(taken), 1 + int(kQueen));
  if (is_en_passant) step.captured = 1 + kPawn;
  step.own.remove(bit(from) | bit(to));
  step.enemy.remove(victim | bit(to));
  step.own.add(promotes(step.mover, kWhite, to) ? kQueen : step.mover, to);
  step.occupied = (occupied_ & ~bit(from) & ~victim) | bit(to);
  look_at_enemy_king(step);
  return step;
}

void MoveKinds::look_at_enemy_king(Step& step) {
  if (!step.enemy.pieces[kKing]) return;
  const Square king = lowest(step.enemy.pieces[kKing]);
  const auto& own = step.own.pieces;
  step.checkers = step.own.attackers_of(king, step.occupied);
  const Bitboard diagonal = bishop_attacks(king, 0) & (own[kBishop] | own[kQueen]);
  const Bitboard straight = rook_attacks(king, 0) & (own[kRook] | own[kQueen]);
  for (Bitboard rest = diagonal | straight; rest;) {
    const Bitboard shields = between(king, pop_lowest(rest)) & step.occupied;
    if (shields && !more_than_one(shields)) step.pinned |= shields & step.enemy.all;
  }
}

// Where an enemy piece may move as far as pins are concerned: a pinned one stays on its line.
Bitboard MoveKinds::allowed_by_pin(const Step& step, Square square) {
  if (!(step.pinned & bit(square))) return ~Bitboard(0);
  return line(lowest(step.enemy.pieces[kKing]), square);
}

int MoveKinds::kind(const Step& step) const {
  const Bitboard *own = view_.pieces.data(), *enemy = own + 6;
  const Bitboard takers = step.enemy.attackers_of(step.to, step.occupied);
  int kind = step.mover;
  kind = 6 * kind + step.captured;
  kind = 6 * kind + least_rank(enemy, takers);
  kind = 2 * kind + (step.own.attackers_of(step.to, step.occupied) != 0);
  kind = 3 * kind + threat_to_origin(step);
  kind = 2 * kind + (attackers(own, kWhite, step.from, occupied_) != 0);
  return 2 * kind + (step.checkers != 0);
}

int MoveKinds::bargain(const Step& step, const Attacks& attacks) {
  return ((6 * step.mover + step.captured) * 6 + loss(step, attacks)) * 2 + (step.checkers != 0);
}

// The most valuable own piece that the enemy can take by its next move: 0 for none, 1 for a pawn
// to 5 for a queen, also when it can queen a pawn.
int MoveKinds::loss(const Step& step, const Attacks& attacks) {
  const Bitboard queening = rank_mask(1) & step.enemy.pieces[kPawn] & ~step.pinned;
  const Bitboard queens =
      pawn_steps(kBlack, queening, step.occupied) | (pawn_attacks<kBlack>(queening) & step.own.all);
  if (queens & answers_to_check(step)) return 1 + kQueen;
  const Bitboard attacked = captures_by_pieces(step, attacks) | captures_by_king(step);
  for (int type = kQueen; type >= kPawn; --type)
    if (step.own.pieces[std::size_t(type)] & attacked) return 1 + type;
  return 0;
}

// Where the enemy's pieces but its king may move to: in check to the piece that checks, or between.
Bitboard MoveKinds::answers_to_check(const Step& step) {
  if (!step.checkers) return ~Bitboard(0);
  if (more_than_one(step.checkers)) return 0;
  return step.checkers | between(lowest(step.enemy.pieces[kKing]), lowest(step.checkers));
}

Bitboard MoveKinds::captures_by_pieces(const Step& step, const Attacks& attacks) {
  const Bitboard pawns = step.enemy.pieces[kPawn];
  Bitboard found = pawn_attacks<kBlack>(pawns & ~step.pinned);
  for (Bitboard rest = pawns & step.pinned; rest;) {
    const Square from = pop_lowest(rest);
    found |= pawn_attacks(kBlack, from) & allowed_by_pin(step, from);
  }
  for (const auto& attack : attacks.all()) found |= attack.targets;
  return found & step.own.all & answers_to_check(step);
}

Bitboard MoveKinds::captures_by_king(const Step& step) {
  Bitboard found = 0;
  if (const Bitboard king = step.enemy.pieces[kKing])
    for (Bitboard rest = king_attacks(lowest(king)) & step.own.all; rest;) {
      const Square square = pop_lowest(rest);
      if (!step.own.attackers_of(square, step.occupied & ~king)) found |= bit(square);
    }
  return found;
}

int MoveKinds::checks(const Step& step, const Attacks& attacks) {
  const int strength = step.checkers ? check_strength(step.own, step.enemy, step.occupied) : 0;
  return (step.mover * 5 + strength) * 5 + peril(step, attacks);
}

// The strength of the strongest check that the enemy can give by its next move. In check itself it
// has other worries. Checks by a piece behind the one that moves are not looked at.
int MoveKinds::peril(const Step& step, const Attacks& attacks) {
  const Bitboard king = step.own.pieces[kKing];
  if (step.checkers || !king) return 0;
  const Square at = lowest(king);
  std::array<Bitboard, 6> from_where{};  // each type of piece would give check
  from_where[kKnight] = knight_attacks(at);
  from_where[kBishop] = bishop_attacks(at, step.occupied);
  from_where[kRook] = rook_attacks(at, step.occupied);
  from_where[kQueen] = from_where[kBishop] | from_where[kRook];
  int strongest = peril_from_pawns(step, at);
  for (const auto& attack : attacks.all())
    for (Bitboard to = attack.targets & from_where[attack.type] & ~step.enemy.all; to;)
      strongest =
          std::max(strongest, strength_after(step, attack.type, attack.from, pop_lowest(to)));
  return strongest;
}

int MoveKinds::peril_from_pawns(const Step& step, Square king) {
  const Bitboard pawns = step.enemy.pieces[kPawn], queening = rank_mask(1) & pawns;
  Bitboard from_where = pawn_attacks(kWhite, king);
  if (queening) from_where |= rank_mask(0) & queen_attacks(king, step.occupied & ~queening);
  const Bitboard steps = ~step.occupied & from_where, captures = step.own.all & from_where;
  int strongest = 0;
  for (Bitboard rest = pawns & (steps << 8 | pawn_attacks<kWhite>(captures)); rest;) {
    const Square from = pop_lowest(rest);
    const Bitboard moves =
        (forward<kBlack>(bit(from)) & steps) | (pawn_attacks(kBlack, from) & captures);
    for (Bitboard to = moves & allowed_by_pin(step, from); to;)
      strongest = std::max(strongest, strength_after(step, kPawn, from, pop_lowest(to)));
  }
  return strongest;
}

// Of the checks after a reply of the enemy.
int MoveKinds::strength_after(const Step& step, PieceType type, Square from, Square to) {
  Side own = step.own, enemy = step.enemy;
  own.remove(bit(to));
  enemy.remove(bit(from));
  enemy.add(promotes(type, kBlack, to) ? kQueen : type, to);
  return check_strength(enemy, own, (step.occupied & ~bit(from)) | bit(to));
}

// 0 for none, 1 from a less valuable piece, 2 from others alone.
int MoveKinds::threat_to_origin(const Step& step) const {
  const Bitboard* enemy = view_.pieces.data() + 6;
  const int least = least_rank(enemy, attackers(enemy, kBlack, step.from, occupied_));
  return least == 0 ? 0 : least < kRankOf[step.mover] ? 1 : 2;
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
