// What moves end, by the rules alone.
#pragma once

#include "chess/ragged.h"
#include "encode/games.h"

namespace selfmate {

enum class Ending : std::uint8_t { kNone, kMate, kDraw };

// Every legal move in the order of move generation, and what it ends.
struct MoveEndings {
  std::vector<Move> moves;
  Ragged<std::uint8_t> endings;  // an Ending for each move
};

// As `Game::outcome` has it after the move: all draws count, also by fifty moves and by the third
// repetition in the game.
MoveEndings move_endings(Games games, int threads);

}  // namespace selfmate
