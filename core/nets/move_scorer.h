// The move scorer of selfmate.nets on the processor, without torch: inference only.
#pragma once

#include "nets/move_scorer_inputs.h"
#include "nets/weights.h"
#include "search/position_evaluator.h"

namespace selfmate {

struct MoveScorerShape {
  PositionEncoding encoding;
  std::vector<int> hidden;  // neurons of each hidden layer
  bool value_head;          // it has a head for the value of a position
};

// Scores moves, each with its position. Without a value head every position is worth 0, which is
// no use to a search.
class MoveScorer : public PositionEvaluator {
 public:
  // BadInput for weights that are not those of the shape, or not finite.
  MoveScorer(const MoveScorerShape& shape, const Weights& weights);

  // Takes over other weights. Evaluations that run meanwhile finish with the old ones.
  void load(const Weights& weights);

  // The value as win and loss, without draws; logits are scores.
  void evaluate(const PositionBatch& batch, int threads, float* wdl, float* logits) override;

 private:
  class Packed;

  const MoveScorerShape shape_;
  const Kernels& kernels_ = best_kernels();
  CurrentWeights<Packed> packed_;
};

}  // namespace selfmate
