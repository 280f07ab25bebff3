// What the teacher thinks of a position without looking ahead, in centipawns; docs/teacher.md
// defines every term. Anything not said to be the side to move's is in White's view.
#pragma once

#include "search/tally.h"

namespace selfmate {

// Bounds of the terms that are not summed piece by piece: who knows the tally of a position knows
// its evaluation up to these.
constexpr int kMostPositional = 100;
constexpr int kMostLoneKing = 392;

int positional(const Position& position);
int lone_king(const Position& position);

// The sum of all terms, for the side to move.
int evaluate_side_to_move(const Position& position, Tally tally);

// What a legal move wins in material: what it takes and what a pawn becomes.
int material_gain(const Position& position, Move move);

}  // namespace selfmate
