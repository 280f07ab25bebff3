// The basic types of the rules: colours, pieces, squares and moves.
#pragma once

#include <cstdint>

namespace selfmate {

using Bitboard = std::uint64_t;
using Square = int;  // a1 = 0, b1 = 1 ... h8 = 63

constexpr Square kNoSquare = 64;

enum Color : std::uint8_t { kWhite, kBlack };
enum PieceType : std::uint8_t { kPawn, kKnight, kBishop, kRook, kQueen, kKing, kNoPieceType };

constexpr Color operator~(Color color) {
  return Color(color ^ 1);
}

// A piece is colour * 6 + type; kNoPiece marks an empty square.
using Piece = std::uint8_t;
constexpr Piece kNoPiece = 12;
constexpr Piece make_piece(Color color, PieceType type) {
  return Piece(color * 6 + type);
}
constexpr PieceType type_of(Piece piece) {
  return PieceType(piece < 6 ? piece : piece - 6);
}
constexpr Color color_of(Piece piece) {
  return Color(piece >= 6);
}

constexpr int file_of(Square square) {
  return square & 7;
}
constexpr int rank_of(Square square) {
  return square >> 3;
}
constexpr Square make_square(int file, int rank) {
  return rank * 8 + file;
}
constexpr Square flip_rank(Square square) {
  return square ^ 56;
}

enum Castling : std::uint8_t {
  kWhiteKingSide = 1,
  kWhiteQueenSide = 2,
  kBlackKingSide = 4,
  kBlackQueenSide = 8
};

// A move is 16 bits: from, to << 6, promotion << 12 (0 none, 1 knight ... 4 queen, so that the
// promotion digit is the piece type). Castling is the king's move, in Chess960 onto its own rook;
// en passant is the pawn's. What a code means is settled by the position it is played in; the code
// never changes shape.
using Move = std::uint16_t;
constexpr Move kNoMove = 0;
constexpr Move make_move(Square from, Square to, int promotion = 0) {
  return Move(from | to << 6 | promotion << 12);
}
constexpr Square from_of(Move move) {
  return move & 63;
}
constexpr Square to_of(Move move) {
  return move >> 6 & 63;
}
constexpr int promotion_of(Move move) {
  return move >> 12;
}

}  // namespace selfmate
