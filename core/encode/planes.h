// A position and its three predecessors as 68 planes of 8 x 8, in the view of the side to move
// now: the input of alphazero. The layout is drawn in docs/encodings.md.
#pragma once

#include <span>

#include "chess/game.h"

namespace selfmate {

constexpr int kPlanes68Count = 68;
constexpr int kPlanes68Size = kPlanes68Count * 64;
constexpr int kPlanes68Boards = 4;

// `newest_first` holds the position now and up to three before it; of the earlier ones only the
// pieces count. `earlier_occurrences` is how often the position now occurred before.
void encode_planes68(std::span<const Position> newest_first, int earlier_occurrences, float* out);
void encode_planes68(const Game& game, float* out);

}  // namespace selfmate
