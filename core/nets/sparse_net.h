// The sparse net of selfmate.nets on the processor, in whole numbers: inference only.
//
//   accumulator [width] of each view   = bias + rows of its features             scale 256
//   a = clip(accumulator, 0, 255)^2 / 256, of the mover's view and its opponent's  scale 256
//   policy vector [policy_width] = clip(a x P, -1023, 1023)                      scale 256
//   a move's logit = vector x (its three rows)                                   scale 2^17
//   value: a x V0 -> clip(0, 255) x V1 -> clip(0, 255) x V2 -> softmax: win, draw, loss
//
// Weights of dense layers have the scale 1024, those of moves 512. Weights that whole numbers of 16
// bits could not sum safely are clipped when they are loaded; selfmate.nets.sparse_net keeps them
// smaller in training.
#pragma once

#include "encode/side_views.h"
#include "nets/weights.h"
#include "search/position_evaluator.h"

namespace selfmate {

struct SparseNetShape {
  ViewFeatures features;
  int width;         // of the accumulator of a view
  int policy_width;  // of the vector that is multiplied with moves
  int value_width;   // of the two hidden layers behind the value
};

class SparseNet : public PositionEvaluator {
 public:
  // BadInput for weights that are not those of the shape, or not finite; with a name, for kernels
  // that this processor cannot run.
  SparseNet(const SparseNetShape& shape, const Weights& weights, std::string_view kernels = "");

  // Takes over other weights. Evaluations that run meanwhile finish with the old ones.
  void load(const Weights& weights);

  void evaluate(const PositionBatch& batch, int threads, float* wdl, float* logits) override;

 private:
  class Packed;

  const SparseNetShape shape_;
  const Kernels& kernels_;
  CurrentWeights<Packed> packed_;
};

}  // namespace selfmate
