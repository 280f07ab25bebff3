// The parameters of a move scorer in training: where each of them stands in one array of floats,
// and Adam. Gradients and Adam's moments have the same layout.
#pragma once

#include "nets/move_scorer_inputs.h"
#include "nets/weights.h"

namespace selfmate {

// MoveScorerConfig of selfmate.nets.
struct ScorerShape {
  PositionEncoding encoding = PositionEncoding::kOnehot768;
  std::vector<int> hidden{256, 128};  // neurons of each hidden layer
  bool value_head = false;

  bool operator==(const ScorerShape&) const = default;
};

struct NamedArray {
  std::string name;
  Shape shape;
  std::vector<float> numbers;
};

// Widths are padded with zeros, which stay zero: their gradients are.
class ScorerLayout {
 public:
  // BadInput for a shape that no net has.
  explicit ScorerLayout(const ScorerShape& shape);

  struct Tensor {
    std::string name;  // in the state dict of selfmate.nets.MoveScorer
    Shape shape;
    std::size_t rows, columns, stride;  // stride: the padded columns
    std::size_t begin;
    int fan_in;  // inputs of the layer
  };

  std::size_t size() const { return size_; }
  const std::vector<Tensor>& tensors() const { return tensors_; }
  int width(std::size_t layer) const { return widths_[layer]; }  // padded, of a hidden layer
  std::size_t layers() const { return widths_.size(); }

  std::size_t position_weight, position_bias, move_weight;
  std::vector<std::size_t> hidden_weights, hidden_biases;  // [outputs, inputs] and [outputs]
  std::size_t score_weight, score_bias;
  std::size_t value_turn = 0, value_weight = 0, value_bias = 0;  // only with a value head

  // Uniform in +-1 / sqrt(inputs), as torch begins linear layers.
  std::vector<float> initial(std::uint64_t seed) const;
  // Without the padding, and back; BadInput for weights that are not those of the shape.
  std::vector<NamedArray> named(std::span<const float> numbers) const;
  std::vector<float> read(const Weights& weights) const;

 private:
  std::size_t add(const std::string& name, const Shape& shape, int fan_in);

  std::vector<int> widths_;
  std::vector<Tensor> tensors_;
  std::size_t size_ = 0;
};

// Adam (Kingma and Ba 2015), as torch computes it.
struct Adam {
  explicit Adam(std::size_t size) : exp_avg(size), exp_avg_sq(size) {}
  void step(std::span<const float> gradient, double learning_rate, std::span<float> parameters);

  std::vector<float> exp_avg, exp_avg_sq;
  std::int64_t steps = 0;
};

// The global norm. Clipping scales a gradient of a larger one down to `max_norm`.
double clip_gradient(std::span<float> gradient, double max_norm);

}  // namespace selfmate
