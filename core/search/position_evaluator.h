// Nets that evaluate positions inside the core, as a tree search asks them.
#pragma once

#include "chess/ragged.h"
#include "encode/games.h"

namespace selfmate {

// Positions with moves, at least one each: those of position i stand from moves.offsets[i] to
// moves.offsets[i + 1].
struct PositionBatch {
  std::vector<Position> positions;
  Ragged<Move> moves{{}, {0}};

  // The last position's moves end here.
  void end_moves() { moves.offsets.push_back(std::int64_t(moves.values.size())); }
};

// Games with all their legal moves; BadInput for a game that has none.
PositionBatch positions_of(Games games);

// For any number of threads at once. The answer for a position is the same, bit for bit, in any
// batch.
class PositionEvaluator {
 public:
  virtual ~PositionEvaluator() = default;

  // For the side to move: win, draw and loss of each position [positions, 3], and a logit of each
  // move.
  virtual void evaluate(const PositionBatch& batch, int threads, float* wdl, float* logits) = 0;
};

}  // namespace selfmate
