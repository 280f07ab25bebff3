#include "encode/planes.h"

#include <algorithm>

#include "encode/features.h"

namespace selfmate {
namespace {

// Planes in the order of the layout; the boards' 4 x 12 come first.
enum Plane {
  kSideToMove = 48,
  kFullmoves,
  kCastling,
  kHalfmoves = kCastling + 4,
  kEnPassant,
  kSeenOnce,
  kSeenTwice,
  kOwnAttacks,
  kEnemyAttacks,
  kKingAttackers,
  kKingDefenders,
  kKnightMobility,
  kBishopMobility,
  kPassedPawns,
  kIsolatedPawns,
  kWeakSquares,
  kCentreControl
};
static_assert(kCentreControl + 1 == kPlanes68Count);

constexpr std::array<Square, 4> kCentre = {27, 28, 35, 36};  // d4 e4 d5 e5
constexpr Bitboard kOwnHalf = 0xFFFFFFFFULL;
constexpr int kMaxKnightMoves = 8, kMaxBishopMoves = 13, kMaxCentreControl = 4;

void fill(float* out, int plane, float value) {
  std::fill_n(out + plane * 64, 64, value);
}

void mark(float* out, int plane, Bitboard set) {
  while (set) out[plane * 64 + pop_lowest(set)] = 1.0f;
}

// All piece sets, with ranks flipped for Black, so that the side to move always plays up.
struct View {
  std::array<Bitboard, 6> own, enemy;
  Bitboard own_all, enemy_all;

  explicit View(const Position& position) {
    const Color side = position.turn();
    const auto seen = [&](Bitboard set) { return side == kWhite ? set : __builtin_bswap64(set); };
    own_all = seen(position.pieces(side));
    enemy_all = seen(position.pieces(~side));
    for (int type = kPawn; type <= kKing; ++type) {
      const Bitboard both = seen(position.pieces(PieceType(type)));
      own[std::size_t(type)] = both & own_all;
      enemy[std::size_t(type)] = both & enemy_all;
    }
  }
  Bitboard occupied() const { return own_all | enemy_all; }
};

Bitboard king_zone(Bitboard king) {
  return king | king_attacks(lowest(king));
}

template <PieceType Type>
Bitboard attacks_of(Square square, Bitboard occupied) {
  if constexpr (Type == kKnight) return knight_attacks(square);
  if constexpr (Type == kBishop) return bishop_attacks(square, occupied);
  if constexpr (Type == kRook) return rook_attacks(square, occupied);
  if constexpr (Type == kQueen) return queen_attacks(square, occupied);
  return king_attacks(square);
}

template <PieceType Type>
Bitboard attacks_of_all(Bitboard pieces, Bitboard occupied) {
  Bitboard attacks = 0;
  while (pieces) attacks |= attacks_of<Type>(pop_lowest(pieces), occupied);
  return attacks;
}

Bitboard enemy_attacks(const View& view) {
  const Bitboard occupied = view.occupied();
  return pawn_attacks<kBlack>(view.enemy[kPawn]) |
         attacks_of_all<kKnight>(view.enemy[kKnight], occupied) |
         attacks_of_all<kBishop>(view.enemy[kBishop] | view.enemy[kQueen], occupied) |
         attacks_of_all<kRook>(view.enemy[kRook] | view.enemy[kQueen], occupied) |
         attacks_of_all<kKing>(view.enemy[kKing], occupied);
}

// What one pass over the own pieces finds; each piece's attacks are looked up once.
class OwnPieces {
 public:
  OwnPieces(const View& view, float* out)
      : view_(view),
        occupied_(view.occupied()),
        own_zone_(king_zone(view.own[kKing])),
        enemy_zone_(king_zone(view.enemy[kKing])),
        out_(out) {
    add_pawns();
    add_pieces<kKnight>();
    add_pieces<kBishop>();
    add_pieces<kRook>();
    add_pieces<kQueen>();
    add_pieces<kKing>();
  }

  void write() const {
    mark(out_, kOwnAttacks, attacked_);
    mark(out_, kKingAttackers, attackers_);
    mark(out_, kKingDefenders, defenders_ & ~view_.own[kKing]);
    mark(out_, kWeakSquares, kOwnHalf & ~attacked_);
    for (std::size_t i = 0; i < kCentre.size(); ++i)
      out_[kCentreControl * 64 + kCentre[i]] =
          float(std::min(control_[i], kMaxCentreControl)) / float(kMaxCentreControl);
  }

 private:
  void add_pawns() {
    const Bitboard pawns = view_.own[kPawn];
    attacked_ = pawn_attacks<kWhite>(pawns);
    // The pawns that attack a set stand where enemy pawns on the set would attack.
    attackers_ = pawns & pawn_attacks<kBlack>(enemy_zone_);
    defenders_ = pawns & pawn_attacks<kBlack>(own_zone_);
    for (std::size_t i = 0; i < kCentre.size(); ++i)
      control_[i] = popcount(pawns & pawn_attacks(kBlack, kCentre[i]));
  }

  template <PieceType Type>
  void add_pieces() {
    for (Bitboard rest = view_.own[Type]; rest;) {
      const Square square = pop_lowest(rest);
      const Bitboard attacks = attacks_of<Type>(square, occupied_);
      attacked_ |= attacks;
      attackers_ |= attacks & enemy_zone_ ? bit(square) : 0;
      defenders_ |= attacks & own_zone_ ? bit(square) : 0;
      for (std::size_t i = 0; i < kCentre.size(); ++i) control_[i] += attacks >> kCentre[i] & 1;
      const int free = Type == kKnight || Type == kBishop ? popcount(attacks & ~view_.own_all) : 0;
      if (Type == kKnight) out_[kKnightMobility * 64 + square] = float(free) / kMaxKnightMoves;
      if (Type == kBishop) out_[kBishopMobility * 64 + square] = float(free) / kMaxBishopMoves;
    }
  }

  const View& view_;
  Bitboard occupied_, own_zone_, enemy_zone_;
  Bitboard attacked_ = 0, attackers_ = 0, defenders_ = 0;
  std::array<int, 4> control_{};
  float* out_;
};

Bitboard fill_down(Bitboard set) {
  set |= set >> 8;
  set |= set >> 16;
  return set | set >> 32;
}

Bitboard fill_up(Bitboard set) {
  set |= set << 8;
  set |= set << 16;
  return set | set << 32;
}

Bitboard passed_pawns(const View& view) {
  const Bitboard guards = view.enemy[kPawn];
  return view.own[kPawn] & ~fill_down((guards | east(guards) | west(guards)) >> 8);
}

Bitboard isolated_pawns(const View& view) {
  const Bitboard files = fill_up(fill_down(view.own[kPawn]));
  return view.own[kPawn] & ~(east(files) | west(files));
}

// Twelve planes of one board, own pieces first.
void write_board(const Position& position, Color side, float* out) {
  const int flip = side == kWhite ? 0 : 56;
  const int own_first = side == kWhite ? 0 : 6;
  for (Bitboard rest = position.pieces(); rest;) {
    const Square square = pop_lowest(rest);
    const int piece = position.piece_on(square) + own_first;
    out[(piece < 12 ? piece : piece - 12) * 64 + (square ^ flip)] = 1.0f;
  }
}

void write_state(const Position& position, int earlier_occurrences, float* out) {
  const bool white = position.turn() == kWhite;
  fill(out, kSideToMove, white ? 1.0f : 0.0f);
  fill(out, kFullmoves, fullmove_fraction(position));
  for (int right = 0; right < 4; ++right)
    if (position.castling() >> right & 1) fill(out, kCastling + (right ^ (white ? 0 : 2)), 1.0f);
  fill(out, kHalfmoves, halfmove_fraction(position));
  if (const Square square = position.en_passant(); square != kNoSquare)
    out[kEnPassant * 64 + (white ? square : flip_rank(square))] = 1.0f;
  if (earlier_occurrences >= 1) fill(out, kSeenOnce, 1.0f);
  if (earlier_occurrences >= 2) fill(out, kSeenTwice, 1.0f);
}

}  // namespace

void encode_planes68(std::span<const Position> newest_first, int earlier_occurrences, float* out) {
  const Position& now = newest_first.front();
  std::fill_n(out, kPlanes68Size, 0.0f);
  const std::size_t boards = std::min<std::size_t>(newest_first.size(), kPlaneBoards);
  for (std::size_t age = 0; age < boards; ++age)
    write_board(newest_first[age], now.turn(), out + age * 12 * 64);
  write_state(now, earlier_occurrences, out);
  const View view(now);
  mark(out, kEnemyAttacks, enemy_attacks(view));
  OwnPieces(view, out).write();
  mark(out, kPassedPawns, passed_pawns(view));
  mark(out, kIsolatedPawns, isolated_pawns(view));
}

void encode_planes96(std::span<const Position> newest_first, int earlier_occurrences, float* out) {
  encode_planes68(newest_first, earlier_occurrences, out);
  float* tactical = out + kPlanes68Size;
  std::fill_n(tactical, kTacticalPlanesCount * 64, 0.0f);
  write_tactical_planes(view_of(newest_first.front()), tactical);
}

namespace {

// The game's last positions, newest first.
class RecentBoards {
 public:
  explicit RecentBoards(const Game& game) {
    boards_[0] = game.position();
    count_ = 1 + std::size_t(game.recent_positions(&boards_[1], kPlaneBoards - 1));
  }
  std::span<const Position> newest_first() const { return {boards_.data(), count_}; }

 private:
  std::array<Position, kPlaneBoards> boards_;
  std::size_t count_;
};

}  // namespace

void encode_planes68(const Game& game, float* out) {
  encode_planes68(RecentBoards(game).newest_first(), game.earlier_occurrences(), out);
}

void encode_planes96(const Game& game, float* out) {
  encode_planes96(RecentBoards(game).newest_first(), game.earlier_occurrences(), out);
}

}  // namespace selfmate
