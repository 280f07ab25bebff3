// One position: pieces, side to move, rights, clocks and hash; make and unmake.
#pragma once

#include <array>

#include "chess/attacks.h"

namespace selfmate {

// What make() cannot compute back. Sixteen bytes, one per ply of a game's line.
struct Undo {
  std::uint64_t hash;
  std::uint32_t halfmove_clock;
  Move move;
  std::uint8_t captured_and_castling;  // captured piece type << 4 | castling rights
  std::uint8_t en_passant;
};
static_assert(sizeof(Undo) == 16);

// Who may castle with which rook. Rights and rooks have White's king side first; a rook without its
// right means nothing.
struct CastlingRights {
  std::uint8_t rights = 0;  // bits of Castling
  std::array<std::uint8_t, 4> rooks{7, 0, 63, 56};
  bool chess960 = false;
  bool operator==(const CastlingRights&) const = default;
};

// Where king and rook stand before and after they castle.
struct CastlingSquares {
  Square king_from, king_to, rook_from, rook_to;
};

class Position {
 public:
  Position();  // the empty board, White to move
  static const Position& start();

  Bitboard pieces() const { return by_color_[kWhite] | by_color_[kBlack]; }
  Bitboard pieces(Color color) const { return by_color_[color]; }
  Bitboard pieces(PieceType type) const { return by_type_[type]; }
  Bitboard pieces(Color color, PieceType type) const { return by_color_[color] & by_type_[type]; }
  Piece piece_on(Square square) const { return board_[square]; }
  Color turn() const { return turn_; }
  std::uint8_t castling() const { return castling_.rights; }
  // The rook of a right, given by the number of its bit.
  Square castling_rook(int right) const { return castling_.rooks[std::size_t(right)]; }
  // Whether castling is the king taking its own rook.
  bool chess960() const { return castling_.chess960; }
  // Set only while an en-passant capture is legal; else kNoSquare.
  Square en_passant() const { return en_passant_; }
  std::uint32_t halfmove_clock() const { return halfmove_clock_; }
  std::uint32_t fullmove_number() const { return fullmove_number_; }
  std::uint64_t hash() const { return hash_; }
  std::uint64_t recomputed_hash() const;
  Square king(Color color) const { return lowest(pieces(color, kKing)); }

  Bitboard attackers(Square square, Color by, Bitboard occupied) const;
  Bitboard checkers() const { return attackers(king(turn_), ~turn_, pieces()); }
  bool in_check() const { return checkers() != 0; }

  bool is_capture(Move move) const;
  bool is_castling(Move move) const;
  // The square that ends the code of a castling move; it may lie off the board if there is no
  // right.
  Square castling_target(bool king_side) const {
    if (chess960()) return castling_rook(2 * turn_ + !king_side);
    return king(turn_) + (king_side ? 2 : -2);
  }
  // For a castling move.
  CastlingSquares castling_squares(Move move) const;
  // Whether any 16-bit code is a legal move here.
  bool is_legal(Move move) const;
  // For a move that is right but for the safety of the own king.
  bool keeps_king_safe(Square from, Square to) const;
  bool en_passant_is_legal(Square from, Square target) const;

  // The move must be legal.
  Undo make(Move move);
  void unmake(const Undo& undo);

  // For set-up: nothing is checked, refresh() afterwards.
  void put(Square square, Piece piece);
  void set_state(Color turn, const CastlingRights& castling, Square en_passant,
                 std::uint32_t halfmove_clock, std::uint32_t fullmove_number);

  bool operator==(const Position&) const = default;

 private:
  void add(Square square, Piece piece);
  void remove(Square square, Piece piece);
  void place(Square square, Piece piece);
  void lift(Square square, Piece piece);
  bool pawn_reaches(Square from, Square to) const;
  bool castling_is_legal(Move move) const;
  bool chess960_castling_is_legal(Move move) const;
  bool is_own_castling_rook(Square square) const;
  std::uint8_t rights_lost(Square from, Square to) const;
  std::uint64_t castling_key(std::uint8_t rights) const;
  void lose_rights(std::uint8_t lost);
  void clear_en_passant();
  void pass_turn();
  Undo castle_chess960(Move move);
  void unmake_castling_chess960(Move move);
  bool en_passant_is_possible(Square target) const;

  std::array<Bitboard, 6> by_type_{};
  std::array<Bitboard, 2> by_color_{};
  std::array<Piece, 64> board_;
  std::uint64_t hash_ = 0;
  std::uint32_t halfmove_clock_ = 0;
  std::uint32_t fullmove_number_ = 1;
  Color turn_ = kWhite;
  std::uint8_t en_passant_ = kNoSquare;
  CastlingRights castling_;
};

}  // namespace selfmate
