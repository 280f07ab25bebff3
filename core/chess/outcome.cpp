#include "chess/outcome.h"

namespace selfmate {
namespace {

constexpr Bitboard kDarkSquares = 0xAA55AA55AA55AA55ULL;

bool cannot_mate(const Position& position, Color color) {
  if (position.pieces(color) &
      (position.pieces(kPawn) | position.pieces(kRook) | position.pieces(kQueen)))
    return false;
  // A knight mates with any enemy piece that can block its own king; a queen cannot help.
  if (position.pieces(color, kKnight)) {
    const Bitboard helpers =
        position.pieces(~color) & ~position.pieces(kKing) & ~position.pieces(kQueen);
    return popcount(position.pieces(color)) <= 2 && !helpers;
  }
  if (const Bitboard bishops = position.pieces(kBishop); bishops & position.pieces(color)) {
    const bool one_shade = !(bishops & kDarkSquares) || !(bishops & ~kDarkSquares);
    return one_shade && !position.pieces(kPawn) && !position.pieces(kKnight);
  }
  return true;
}

}  // namespace

bool insufficient_material(const Position& position) {
  return cannot_mate(position, kWhite) && cannot_mate(position, kBlack);
}

std::optional<Outcome> outcome_of(const Position& position, bool has_moves,
                                  int earlier_occurrences) {
  const auto draw = [](Reason reason) { return Outcome{reason, std::nullopt}; };
  if (!has_moves && position.in_check()) return Outcome{Reason::kCheckmate, ~position.turn()};
  if (insufficient_material(position)) return draw(Reason::kInsufficientMaterial);
  if (!has_moves) return draw(Reason::kStalemate);
  if (position.halfmove_clock() >= 100) return draw(Reason::kFiftyMoves);
  if (earlier_occurrences >= 2) return draw(Reason::kThreefoldRepetition);
  return std::nullopt;
}

}  // namespace selfmate
