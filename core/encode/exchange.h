// Static exchange evaluation: what a side wins on one square if both sides capture there in turn,
// each with its least valuable piece, and stop when it pays.
#pragma once

#include "encode/packed_features.h"

namespace selfmate {

// What the attacker wins, in pawns, by taking the piece on the square first; 0 if nothing attacks
// it or taking does not pay. Pieces behind others take part when the line opens. Pins are ignored.
// A king takes only what is protected no more.
int exchange_gain(const MoverView& view, Square square, Color attacker);

}  // namespace selfmate
