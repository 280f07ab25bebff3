#include "search/position_evaluator.h"

namespace selfmate {

PositionBatch positions_of(Games games) {
  PositionBatch batch;
  batch.positions.reserve(games.size());
  for (std::size_t i = 0; i < games.size(); ++i) {
    const Position& position = games[i]->position();
    const MoveList moves = legal_moves(position);
    if (moves.empty())
      throw BadInput("game " + std::to_string(i) + " has no legal move to evaluate");
    batch.positions.push_back(position);
    batch.moves.values.insert(batch.moves.values.end(), moves.begin(), moves.end());
    batch.end_moves();
  }
  return batch;
}

}  // namespace selfmate
