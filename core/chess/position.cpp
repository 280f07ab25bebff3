#include "chess/position.h"

#include "chess/notation.h"
#include "chess/random.h"

namespace selfmate {
namespace {

struct ZobristKeys {
  std::uint64_t piece[12][64], castling[16], en_passant_file[8], black_to_move;
  std::uint64_t castling_rook[64];  // of Chess960, by the rook's square
  constexpr ZobristKeys()
      : piece{}, castling{}, en_passant_file{}, black_to_move{}, castling_rook{} {
    Random random(0x5E1F);
    for (auto& squares : piece)
      for (auto& key : squares) key = random.next();
    for (auto& key : castling) key = random.next();
    for (auto& key : en_passant_file) key = random.next();
    black_to_move = random.next();
    for (auto& key : castling_rook) key = random.next();
  }
};
constexpr ZobristKeys kKeys;

// The rights that a move from or to a square takes away in standard chess.
constexpr std::array<std::uint8_t, 64> kRightsLost = [] {
  std::array<std::uint8_t, 64> lost{};
  lost[0] = kWhiteQueenSide;
  lost[7] = kWhiteKingSide;
  lost[4] = kWhiteKingSide | kWhiteQueenSide;
  lost[56] = kBlackQueenSide;
  lost[63] = kBlackKingSide;
  lost[60] = kBlackKingSide | kBlackQueenSide;
  return lost;
}();

}  // namespace

Position::Position() {
  board_.fill(kNoPiece);
}

const Position& Position::start() {
  static const Position position = parse_fen(kStartFen);
  return position;
}

void Position::add(Square square, Piece piece) {
  board_[square] = piece;
  by_type_[type_of(piece)] |= bit(square);
  by_color_[color_of(piece)] |= bit(square);
}

void Position::remove(Square square, Piece piece) {
  board_[square] = kNoPiece;
  by_type_[type_of(piece)] ^= bit(square);
  by_color_[color_of(piece)] ^= bit(square);
}

void Position::place(Square square, Piece piece) {
  add(square, piece);
  hash_ ^= kKeys.piece[piece][square];
}

void Position::lift(Square square, Piece piece) {
  remove(square, piece);
  hash_ ^= kKeys.piece[piece][square];
}

void Position::put(Square square, Piece piece) {
  add(square, piece);
}

void Position::set_state(Color turn, const CastlingRights& castling, Square en_passant,
                         std::uint32_t halfmove_clock, std::uint32_t fullmove_number) {
  turn_ = turn;
  castling_ = castling;
  halfmove_clock_ = halfmove_clock;
  fullmove_number_ = fullmove_number;
  const bool capturable = en_passant != kNoSquare && en_passant_is_possible(en_passant);
  en_passant_ = std::uint8_t(capturable ? en_passant : kNoSquare);
  hash_ = recomputed_hash();
}

std::uint64_t Position::recomputed_hash() const {
  std::uint64_t hash = castling_key(castling());
  for (Bitboard rest = pieces(); rest;) {
    const Square square = pop_lowest(rest);
    hash ^= kKeys.piece[board_[square]][square];
  }
  if (en_passant_ != kNoSquare) hash ^= kKeys.en_passant_file[file_of(en_passant_)];
  if (turn_ == kBlack) hash ^= kKeys.black_to_move;
  return hash;
}

Bitboard Position::attackers(Square square, Color by, Bitboard occupied) const {
  const Bitboard diagonal = by_type_[kBishop] | by_type_[kQueen];
  const Bitboard straight = by_type_[kRook] | by_type_[kQueen];
  return by_color_[by] &
         ((pawn_attacks(~by, square) & by_type_[kPawn]) |
          (knight_attacks(square) & by_type_[kKnight]) | (king_attacks(square) & by_type_[kKing]) |
          (bishop_attacks(square, occupied) & diagonal) |
          (rook_attacks(square, occupied) & straight));
}

bool Position::keeps_king_safe(Square from, Square to) const {
  const Bitboard occupied = (pieces() ^ bit(from)) | bit(to);
  const Square king_square = type_of(board_[from]) == kKing ? to : king(turn_);
  return !(attackers(king_square, ~turn_, occupied) & ~bit(to));
}

bool Position::en_passant_is_legal(Square from, Square target) const {
  const Square victim = target ^ 8;
  const Bitboard occupied = (pieces() ^ bit(from) ^ bit(victim)) | bit(target);
  return !(attackers(king(turn_), ~turn_, occupied) & ~bit(victim));
}

bool Position::en_passant_is_possible(Square target) const {
  Bitboard candidates = pawn_attacks(~turn_, target) & pieces(turn_, kPawn);
  while (candidates)
    if (en_passant_is_legal(pop_lowest(candidates), target)) return true;
  return false;
}

bool Position::is_castling(Move move) const {
  const Square from = from_of(move), to = to_of(move);
  if (type_of(board_[from]) != kKing) return false;
  if (chess960()) return is_own_castling_rook(to);
  return to - from == 2 || from - to == 2;
}

bool Position::is_own_castling_rook(Square square) const {
  for (const int right : {2 * turn_, 2 * turn_ + 1})
    if ((castling() >> right & 1) && castling_rook(right) == square) return true;
  return false;
}

CastlingSquares Position::castling_squares(Move move) const {
  const Square from = from_of(move), to = to_of(move), file_a = from & 56;
  if (to > from) return {from, file_a + 6, chess960() ? to : file_a + 7, file_a + 5};
  return {from, file_a + 2, chess960() ? to : file_a, file_a + 3};
}

bool Position::is_capture(Move move) const {
  return (by_color_[~turn_] & bit(to_of(move))) ||
         (to_of(move) == en_passant_ && type_of(board_[from_of(move)]) == kPawn);
}

bool Position::pawn_reaches(Square from, Square to) const {
  if (pawn_attacks(turn_, from) & bit(to)) return (by_color_[~turn_] & bit(to)) != 0;
  const int step = turn_ == kWhite ? 8 : -8;
  if (board_[to] != kNoPiece) return false;
  if (to == from + step) return true;
  return to == from + 2 * step && rank_of(from) == (turn_ == kWhite ? 1 : 6) &&
         board_[from + step] == kNoPiece;
}

bool Position::castling_is_legal(Move move) const {
  const Square from = from_of(move), to = to_of(move);
  const bool king_side = to > from;
  const std::uint8_t right =
      std::uint8_t((king_side ? kWhiteKingSide : kWhiteQueenSide) << (turn_ == kWhite ? 0 : 2));
  if (!(castling() & right) || (between(from, castling_squares(move).rook_from) & pieces()))
    return false;
  for (Square square = from;; square += king_side ? 1 : -1) {
    if (attackers(square, ~turn_, pieces())) return false;
    if (square == to) return true;
  }
}

// Whatever stands between king, rook and their destinations must be gone, but for the two. The king
// crosses no attacked square, and the rook that leaves may uncover an attack along the rank.
bool Position::chess960_castling_is_legal(Move move) const {
  const auto [king_from, king_to, rook_from, rook_to] = castling_squares(move);
  const Bitboard others = pieces() ^ bit(king_from) ^ bit(rook_from);
  const Bitboard king_path = between(king_from, king_to);
  if (others & (king_path | bit(king_to) | between(rook_from, rook_to) | bit(rook_to)))
    return false;
  for (Bitboard crossed = king_path | bit(king_from); crossed;)
    if (attackers(pop_lowest(crossed), ~turn_, others | bit(rook_from))) return false;
  return !attackers(king_to, ~turn_, others | bit(rook_to));
}

bool Position::is_legal(Move move) const {
  const Square from = from_of(move), to = to_of(move);
  const int promotion = promotion_of(move);
  if (!(by_color_[turn_] & bit(from))) return false;
  if (by_color_[turn_] & bit(to))
    return chess960() && !promotion && is_castling(move) && chess960_castling_is_legal(move);
  const PieceType type = type_of(board_[from]);
  if (type != kPawn) {
    if (promotion) return false;
    // The right says the king is at home, so a span of two is a castling move and no other.
    if (is_castling(move)) return rank_of(from) == rank_of(to) && castling_is_legal(move);
    return (piece_attacks(type, from, pieces()) & bit(to)) && keeps_king_safe(from, to);
  }
  const bool last_rank = (bit(to) & kBackRanks) != 0;
  if (last_rank ? promotion < kKnight || promotion > kQueen : promotion != 0) return false;
  if (to == en_passant_)
    return (pawn_attacks(turn_, from) & bit(to)) && en_passant_is_legal(from, to);
  return pawn_reaches(from, to) && keeps_king_safe(from, to);
}

std::uint8_t Position::rights_lost(Square from, Square to) const {
  if (!chess960()) [[likely]]
    return kRightsLost[from] | kRightsLost[to];
  auto lost = std::uint8_t(from == king(turn_) ? 3 << 2 * turn_ : 0);
  for (int right = 0; right < 4; ++right)
    if (castling_rook(right) == from || castling_rook(right) == to)
      lost |= std::uint8_t(1 << right);
  return lost;
}

// Two rooks may stand on one side of the king, so the key of a right is that of its rook's square.
std::uint64_t Position::castling_key(std::uint8_t rights) const {
  if (!chess960()) return kKeys.castling[rights];
  std::uint64_t key = kKeys.castling[0];
  for (int right = 0; right < 4; ++right)
    if (rights >> right & 1) key ^= kKeys.castling_rook[castling_rook(right)];
  return key;
}

void Position::lose_rights(std::uint8_t lost) {
  const std::uint8_t kept = castling() & ~lost;
  hash_ ^= castling_key(castling()) ^ castling_key(kept);
  castling_.rights = kept;
}

void Position::clear_en_passant() {
  if (en_passant_ == kNoSquare) return;
  hash_ ^= kKeys.en_passant_file[file_of(en_passant_)];
  en_passant_ = kNoSquare;
}

void Position::pass_turn() {
  fullmove_number_ += turn_ == kBlack;
  turn_ = ~turn_;
  hash_ ^= kKeys.black_to_move;
}

// King and rook may change places, so both are lifted before either is placed.
Undo Position::castle_chess960(Move move) {
  const Undo undo{hash_, halfmove_clock_, move, std::uint8_t(kNoPieceType << 4 | castling()),
                  en_passant_};
  const CastlingSquares squares = castling_squares(move);
  const Piece king = make_piece(turn_, kKing), rook = make_piece(turn_, kRook);
  clear_en_passant();
  ++halfmove_clock_;
  lose_rights(std::uint8_t(3 << 2 * turn_));
  lift(squares.king_from, king);
  lift(squares.rook_from, rook);
  place(squares.king_to, king);
  place(squares.rook_to, rook);
  pass_turn();
  return undo;
}

void Position::unmake_castling_chess960(Move move) {
  const CastlingSquares squares = castling_squares(move);
  const Piece king = make_piece(turn_, kKing), rook = make_piece(turn_, kRook);
  remove(squares.king_to, king);
  remove(squares.rook_to, rook);
  add(squares.king_from, king);
  add(squares.rook_from, rook);
}

Undo Position::make(Move move) {
  const Square from = from_of(move), to = to_of(move);
  if (chess960() && is_castling(move)) [[unlikely]]
    return castle_chess960(move);
  const Piece piece = board_[from];
  const PieceType type = type_of(piece);
  const Square victim_square = type == kPawn && to == en_passant_ ? to ^ 8 : to;
  const Piece victim = board_[victim_square];
  const Undo undo{
      hash_, halfmove_clock_, move,
      std::uint8_t((victim == kNoPiece ? kNoPieceType : type_of(victim)) << 4 | castling()),
      en_passant_};

  if (const std::uint8_t lost = castling() & rights_lost(from, to)) [[unlikely]]
    lose_rights(lost);
  clear_en_passant();
  ++halfmove_clock_;
  if (victim != kNoPiece) {
    lift(victim_square, victim);
    halfmove_clock_ = 0;
  }
  lift(from, piece);
  const int promotion = promotion_of(move);
  place(to, promotion ? make_piece(turn_, PieceType(promotion)) : piece);
  if (type == kKing && (to - from == 2 || from - to == 2)) {
    const CastlingSquares squares = castling_squares(move);
    const Piece rook = make_piece(turn_, kRook);
    lift(squares.rook_from, rook);
    place(squares.rook_to, rook);
  }
  pass_turn();
  if (type == kPawn) {
    halfmove_clock_ = 0;
    const Square passed = (from + to) / 2;
    if ((from ^ to) == 16 && en_passant_is_possible(passed)) {
      en_passant_ = std::uint8_t(passed);
      hash_ ^= kKeys.en_passant_file[file_of(passed)];
    }
  }
  return undo;
}

void Position::unmake(const Undo& undo) {
  const Square from = from_of(undo.move), to = to_of(undo.move);
  turn_ = ~turn_;
  fullmove_number_ -= turn_ == kBlack;
  castling_.rights = undo.captured_and_castling & 15;
  en_passant_ = undo.en_passant;
  halfmove_clock_ = undo.halfmove_clock;
  hash_ = undo.hash;
  // Before the move the rook stood on `to`, where no other own piece could go.
  if (chess960() && is_own_castling_rook(to)) [[unlikely]]
    return unmake_castling_chess960(undo.move);
  const Piece moved = board_[to];
  const Piece piece = promotion_of(undo.move) ? make_piece(turn_, kPawn) : moved;
  remove(to, moved);
  add(from, piece);
  if (const int captured = undo.captured_and_castling >> 4; captured != kNoPieceType) {
    const bool passing = type_of(piece) == kPawn && to == en_passant_;
    add(passing ? to ^ 8 : to, make_piece(~turn_, PieceType(captured)));
  }
  if (type_of(piece) == kKing && (to - from == 2 || from - to == 2)) {
    const CastlingSquares squares = castling_squares(undo.move);
    remove(squares.rook_to, make_piece(turn_, kRook));
    add(squares.rook_from, make_piece(turn_, kRook));
  }
}

}  // namespace selfmate
