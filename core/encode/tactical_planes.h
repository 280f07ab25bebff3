// What a position threatens, as 28 planes of 8 x 8 in the view of the side to move: who attacks
// which square, what hangs, what is pinned, and from where checks can be given. A small net would
// need many layers to find these out by itself. The layout is drawn in docs/encodings.md.
#pragma once

#include "encode/packed_features.h"

namespace selfmate {

constexpr int kTacticalPlanesCount = 28;

// Writes the ones and fractions into planes that are zero.
void write_tactical_planes(const MoverView& view, float* out);

}  // namespace selfmate
