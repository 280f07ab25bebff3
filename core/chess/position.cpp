#include "chess/position.h"

#include "chess/notation.h"
#include "chess/random.h"

namespace selfmate {
namespace {

struct ZobristKeys {
  std::uint64_t piece[12][64], castling[16], en_passant_file[8], black_to_move;
  constexpr ZobristKeys() : piece{}, castling{}, en_passant_file{}, black_to_move{} {
    Random random(0x5E1F);
    for (auto& squares : piece)
      for (auto& key : squares) key = random.next();
    for (auto& key : castling) key = random.next();
    for (auto& key : en_passant_file) key = random.next();
    black_to_move = random.next();
  }
};
constexpr ZobristKeys kKeys;

// The rights that a move from or to a square takes away.
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

void Position::set_state(Color turn, std::uint8_t castling, Square en_passant,
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
  std::uint64_t hash = kKeys.castling[castling_];
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
  const int span = to_of(move) - from_of(move);
  return (span == 2 || span == -2) && type_of(board_[from_of(move)]) == kKing;
}

bool Position::is_capture(Move move) const {
  return board_[to_of(move)] != kNoPiece ||
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
  if (!(castling_ & right) || (between(from, rook_hop(to).from) & pieces())) return false;
  for (Square square = from;; square += king_side ? 1 : -1) {
    if (attackers(square, ~turn_, pieces())) return false;
    if (square == to) return true;
  }
}

bool Position::is_legal(Move move) const {
  const Square from = from_of(move), to = to_of(move);
  const int promotion = promotion_of(move);
  if (!(by_color_[turn_] & bit(from)) || (by_color_[turn_] & bit(to))) return false;
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

Undo Position::make(Move move) {
  const Square from = from_of(move), to = to_of(move);
  const Piece piece = board_[from];
  const PieceType type = type_of(piece);
  const Square victim_square = type == kPawn && to == en_passant_ ? to ^ 8 : to;
  const Piece victim = board_[victim_square];
  const Undo undo{
      hash_, halfmove_clock_, move,
      std::uint8_t((victim == kNoPiece ? kNoPieceType : type_of(victim)) << 4 | castling_),
      en_passant_};

  if (en_passant_ != kNoSquare) {
    hash_ ^= kKeys.en_passant_file[file_of(en_passant_)];
    en_passant_ = kNoSquare;
  }
  ++halfmove_clock_;
  if (victim != kNoPiece) {
    lift(victim_square, victim);
    halfmove_clock_ = 0;
  }
  lift(from, piece);
  const int promotion = promotion_of(move);
  place(to, promotion ? make_piece(turn_, PieceType(promotion)) : piece);
  if (const std::uint8_t lost = castling_ & (kRightsLost[from] | kRightsLost[to])) {
    hash_ ^= kKeys.castling[castling_] ^ kKeys.castling[castling_ ^ lost];
    castling_ ^= lost;
  }
  if (type == kKing && (to - from == 2 || from - to == 2)) {
    const RookHop hop = rook_hop(to);
    const Piece rook = make_piece(turn_, kRook);
    lift(hop.from, rook);
    place(hop.to, rook);
  }
  fullmove_number_ += turn_ == kBlack;
  turn_ = ~turn_;
  hash_ ^= kKeys.black_to_move;
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
  castling_ = undo.captured_and_castling & 15;
  en_passant_ = undo.en_passant;
  halfmove_clock_ = undo.halfmove_clock;
  const Piece moved = board_[to];
  const Piece piece = promotion_of(undo.move) ? make_piece(turn_, kPawn) : moved;
  remove(to, moved);
  add(from, piece);
  if (const int captured = undo.captured_and_castling >> 4; captured != kNoPieceType) {
    const bool passing = type_of(piece) == kPawn && to == en_passant_;
    add(passing ? to ^ 8 : to, make_piece(~turn_, PieceType(captured)));
  }
  if (type_of(piece) == kKing && (to - from == 2 || from - to == 2)) {
    const RookHop hop = rook_hop(to);
    remove(hop.to, make_piece(turn_, kRook));
    add(hop.from, make_piece(turn_, kRook));
  }
  hash_ = undo.hash;
}

}  // namespace selfmate
