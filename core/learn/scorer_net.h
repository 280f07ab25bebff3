// The move scorer with its gradient: score of each move, and a value of each position.
//
// The first layer takes position and move together. Its product is the sum of two, both with few
// inputs that are not 0, and the position's is made once for all its moves. Results of a position
// are the same in any batch, and gradients do not depend on how plies are divided into batches.
#pragma once

#include "learn/sampled_games.h"
#include "learn/scorer_parameters.h"

namespace selfmate {

// What a forward pass leaves, for the gradient. Memory is kept from pass to pass.
struct Activations {
  std::vector<float> positions;            // the first layer's part [positions, width]
  std::vector<std::vector<float>> layers;  // of each hidden layer, after ReLU [moves, width]
  std::vector<float> value_layer;          // after ReLU [positions, width]
  std::vector<float> scores;               // of each move
  std::vector<float> values;               // of each position, White's view; none without the head
  std::vector<std::vector<float>> gradients;  // of the layers
  std::vector<float> scratch, row;
};

class ScorerNet {
 public:
  // `portable`: the kernels for any processor, even where there are faster ones.
  ScorerNet(const ScorerShape& shape, std::vector<float> parameters, bool portable);

  const ScorerShape& shape() const { return shape_; }
  const ScorerLayout& layout() const { return layout_; }
  const Kernels& kernels() const { return kernels_; }
  std::span<const float> parameters() const { return parameters_; }
  void set(std::vector<float> parameters);

  void forward(const CandidateBatch& batch, Activations& found) const;
  // Adds to `gradient` that of a loss, from its derivatives by scores and values. `found` is that
  // of the forward pass.
  void add_gradient(const CandidateBatch& batch, std::span<const float> by_score,
                    std::span<const float> by_value, Activations& found,
                    std::span<float> gradient) const;

 private:
  struct Dense {
    Linear forward, backward;  // from inputs to outputs, and from their gradients back
  };

  void score_moves(const CandidateBatch& batch, Activations& found) const;
  void value_positions(const CandidateBatch& batch, Activations& found) const;
  void add_score_gradient(std::span<const float> by_score, Activations& found,
                          std::span<float> gradient) const;
  void add_hidden_gradient(std::size_t layer, int rows, Activations& found,
                           std::span<float> gradient) const;
  void add_first_gradient(const CandidateBatch& batch, std::size_t position,
                          std::span<const float> by_value, Activations& found,
                          std::span<float> gradient) const;
  void add_value_gradient(const CandidateBatch& batch, std::size_t position, float by_value,
                          Activations& found, std::span<float> gradient) const;
  const float* at(std::size_t tensor) const { return parameters_.data() + tensor; }
  std::size_t first_width() const { return std::size_t(layout_.width(0)); }

  const ScorerShape shape_;
  const ScorerLayout layout_;
  const Kernels& kernels_;
  std::vector<float> parameters_;
  std::vector<AlignedFloats> buffers_;
  std::vector<Dense> dense_;
};

}  // namespace selfmate
