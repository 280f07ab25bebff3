// How games end.
#pragma once

#include <optional>
#include <string_view>

#include "chess/position.h"

namespace selfmate {

enum class Reason : std::uint8_t {
  kUnknown,  // a game that was not finished on the board, as PGN files hold them
  kCheckmate,
  kStalemate,
  kInsufficientMaterial,
  kFiftyMoves,
  kThreefoldRepetition,
  kPlyLimit,
};
inline constexpr std::string_view kReasonNames[] = {"unknown",     "checkmate",
                                                    "stalemate",   "insufficient_material",
                                                    "fifty_moves", "threefold_repetition",
                                                    "ply_limit"};

constexpr std::string_view reason_name(Reason reason) {
  return kReasonNames[static_cast<std::size_t>(reason)];
}

struct Outcome {
  Reason reason;
  std::optional<Color> winner;
  bool operator==(const Outcome&) const = default;
};

// Neither side can mate by any sequence of moves that python-chess would look for.
bool insufficient_material(const Position& position);

// Ends by checkmate, then material, stalemate, fifty moves, repetition: the order decides the
// reason when several hold. `earlier_occurrences` counts the same position earlier in the game.
std::optional<Outcome> outcome_of(const Position& position, bool has_moves,
                                  int earlier_occurrences);

}  // namespace selfmate
