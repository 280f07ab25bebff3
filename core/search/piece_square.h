// The piece-square score: material and placement in centipawns, White's view. It is the part of the
// evaluation that is a sum over all pieces, so a move changes few terms of it. docs/teacher.md
// defines the values.
#pragma once

#include <algorithm>
#include <array>

#include "chess/position.h"

namespace selfmate {

constexpr std::array<int, 6> kPieceValues{100, 320, 330, 500, 900, 0};

// A middlegame value, an endgame value, and the game phase (24 with all pieces on the board, 0 with
// none). Three fields of 20 bits in one number, because they are always added together.
class PieceSquareScore {
 public:
  constexpr PieceSquareScore() = default;
  constexpr PieceSquareScore(int middlegame, int endgame, int phase)
      : packed_(std::int64_t(phase) * (1LL << 40) + std::int64_t(endgame) * (1LL << 20) +
                middlegame) {}

  constexpr int middlegame() const { return int(field(packed_)); }
  constexpr int endgame() const { return int(field(rest())); }
  constexpr int phase() const { return int((rest() - field(rest())) >> 20); }

  constexpr PieceSquareScore& operator+=(PieceSquareScore other) {
    packed_ += other.packed_;
    return *this;
  }
  constexpr PieceSquareScore& operator-=(PieceSquareScore other) {
    packed_ -= other.packed_;
    return *this;
  }

 private:
  static constexpr std::int64_t field(std::int64_t packed) {
    return std::int64_t(std::uint64_t(packed) << 44) >> 44;
  }
  constexpr std::int64_t rest() const { return (packed_ - field(packed_)) >> 20; }

  std::int64_t packed_ = 0;
};

// What a piece adds on a square, by piece and square.
extern const std::array<std::array<PieceSquareScore, 64>, 12> kPieceSquareTable;

inline PieceSquareScore piece_square_score(Piece piece, Square square) {
  return kPieceSquareTable[piece][std::size_t(square)];
}

PieceSquareScore piece_square_score(const Position& position);

// The score after a legal move, before it is made.
inline PieceSquareScore score_after(const Position& position, PieceSquareScore score, Move move) {
  const Square from = from_of(move), to = to_of(move);
  const Piece piece = position.piece_on(from), victim = position.piece_on(to);
  const Color us = position.turn();
  const int promotion = promotion_of(move);
  if (type_of(piece) == kKing && position.is_castling(move)) {
    const CastlingSquares squares = position.castling_squares(move);
    const Piece rook = make_piece(us, kRook);
    score -= piece_square_score(piece, squares.king_from);
    score += piece_square_score(piece, squares.king_to);
    score -= piece_square_score(rook, squares.rook_from);
    score += piece_square_score(rook, squares.rook_to);
    return score;
  }
  score -= piece_square_score(piece, from);
  score += piece_square_score(promotion ? make_piece(us, PieceType(promotion)) : piece, to);
  if (victim != kNoPiece) {
    score -= piece_square_score(victim, to);
  } else if (type_of(piece) == kPawn && to == position.en_passant()) {
    score -= piece_square_score(make_piece(~us, kPawn), to ^ 8);
  }
  return score;
}

// Interpolates between middlegame and endgame by the phase. The bound keeps it apart from mate
// scores.
constexpr int tapered(PieceSquareScore score) {
  constexpr int kFullPhase = 24, kMaxScore = 9000;
  const int phase = std::min(score.phase(), kFullPhase);
  const int sum = score.middlegame() * phase + score.endgame() * (kFullPhase - phase);
  return std::clamp(sum / kFullPhase, -kMaxScore, kMaxScore);
}

}  // namespace selfmate
