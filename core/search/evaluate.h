// The teacher's static evaluation, in centipawns; docs/teacher.md defines every term. Values are in
// White's view unless they are said to be for the side to move.
#pragma once

#include "search/piece_square.h"

namespace selfmate {

// Bounds of the terms that are not in the piece-square score. The search uses them to bound an
// evaluation without computing it.
constexpr int kMaxPositional = 100;
constexpr int kMaxLoneKing = 392;

// Mobility, attacks on the king and pawn shield.
int positional(const Position& position);
// A bonus for driving a bare king to the edge.
int lone_king(const Position& position);

// The sum of all terms, for the side to move.
int evaluate_side_to_move(const Position& position, PieceSquareScore score);

// The material that a legal move wins: by a capture, by a promotion.
int material_gain(const Position& position, Move move);

}  // namespace selfmate
