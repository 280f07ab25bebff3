// The Q-net of selfmate.nets on the processor, without torch: inference only.
#pragma once

#include "encode/move_kinds.h"
#include "nets/weights.h"
#include "search/position_evaluator.h"

namespace selfmate {

struct QNetShape {
  InputFeatures inputs;
  std::vector<int> hidden;  // neurons of each hidden layer
  bool dueling;             // it has a head for the value of a position
  bool move_kinds;          // a move has the weights of its MoveRows, not of its squares alone
  float temperature;        // of the policy softmax(Q / temperature)
};

// Positions are seen by the side to move. Actions are those of from_to4096; a promotion
// to another piece than a queen has the queen's value less kUnderpromotionLoss.
class QNet : public PositionEvaluator {
 public:
  static constexpr float kUnderpromotionLoss = 0.5f;

  // BadInput for weights that are not those of the shape, or not finite.
  QNet(const QNetShape& shape, const Weights& weights);

  // Takes over other weights. Evaluations that run meanwhile finish with the old ones.
  void load(const Weights& weights);

  // For the side to move: the value of each position, and Q of each move.
  void q_values(const PositionBatch& batch, int threads, float* values, float* q);
  // The value as win and loss, without draws; logits are Q / temperature.
  void evaluate(const PositionBatch& batch, int threads, float* wdl, float* logits) override;

 private:
  class Packed;

  const QNetShape shape_;
  const Kernels& kernels_ = best_kernels();
  CurrentWeights<Packed> packed_;
};

}  // namespace selfmate
