// A position and its three predecessors as planes of 8 x 8, in the view of the side to move now:
// the input of alphazero. planes96 are planes68 and the tactical planes behind them. The layouts
// are drawn in docs/encodings.md.
#pragma once

#include <span>

#include "chess/game.h"
#include "encode/tactical_planes.h"

namespace selfmate {

constexpr int kPlanes68Count = 68;
constexpr int kSemanticPlanesCount = 8;  // the last ones of planes68
constexpr int kPlanes68Size = kPlanes68Count * 64;
constexpr int kPlanes96Count = kPlanes68Count + kTacticalPlanesCount;
constexpr int kPlanes96Size = kPlanes96Count * 64;
constexpr int kPlaneBoards = 4;

// `newest_first` holds the position now and up to three before it; of the earlier ones only the
// pieces count. `earlier_occurrences` is how often the position now occurred before.
void encode_planes68(std::span<const Position> newest_first, int earlier_occurrences, float* out);
void encode_planes68(const Game& game, float* out);
void encode_planes96(std::span<const Position> newest_first, int earlier_occurrences, float* out);
void encode_planes96(const Game& game, float* out);

}  // namespace selfmate
