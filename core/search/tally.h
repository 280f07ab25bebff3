// Material and piece-square values in centipawns, White's view: the part of the evaluation that is
// a sum over the men, so that a move changes it by little. docs/teacher.md defines the values.
#pragma once

#include <algorithm>
#include <array>

#include "chess/position.h"

namespace selfmate {

constexpr std::array<int, 6> kPieceValues{100, 320, 330, 500, 900, 0};

// The value while all pieces are on, the value when none is, and how much of the pieces is on.
// Three fields of 20 bits in one number, for they are always added together.
class Tally {
 public:
  constexpr Tally() = default;
  constexpr Tally(int middle, int end, int phase)
      : packed_(std::int64_t(phase) * (1LL << 40) + std::int64_t(end) * (1LL << 20) + middle) {}

  constexpr int middle() const { return int(field(packed_)); }
  constexpr int end() const { return int(field(rest())); }
  constexpr int phase() const { return int((rest() - field(rest())) >> 20); }

  constexpr Tally& operator+=(Tally other) {
    packed_ += other.packed_;
    return *this;
  }
  constexpr Tally& operator-=(Tally other) {
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

// What a piece on a square adds.
extern const std::array<std::array<Tally, 64>, 12> kTallies;

inline Tally tally_of(Piece piece, Square square) {
  return kTallies[piece][std::size_t(square)];
}

Tally tally_of(const Position& position);

// The tally after a legal move, before it is made.
inline Tally tally_after(const Position& position, Tally tally, Move move) {
  const Square from = from_of(move), to = to_of(move);
  const Piece piece = position.piece_on(from), victim = position.piece_on(to);
  const Color us = position.turn();
  const int promotion = promotion_of(move);
  tally -= tally_of(piece, from);
  tally += tally_of(promotion ? make_piece(us, PieceType(promotion)) : piece, to);
  if (victim != kNoPiece) {
    tally -= tally_of(victim, to);
  } else if (type_of(piece) == kPawn && to == position.en_passant()) {
    tally -= tally_of(make_piece(~us, kPawn), to ^ 8);
  } else if (type_of(piece) == kKing && position.is_castling(move)) {
    const RookHop hop = rook_hop(to);
    tally -= tally_of(make_piece(us, kRook), hop.from);
    tally += tally_of(make_piece(us, kRook), hop.to);
  }
  return tally;
}

// One number between the middle and the end value, never so large that it passes for a mate.
constexpr int tapered(Tally tally) {
  constexpr int kFullPhase = 24, kMost = 9000;
  const int phase = std::min(tally.phase(), kFullPhase);
  const int sum = tally.middle() * phase + tally.end() * (kFullPhase - phase);
  return std::clamp(sum / kFullPhase, -kMost, kMost);
}

}  // namespace selfmate
