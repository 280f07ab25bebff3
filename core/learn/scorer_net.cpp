#include "learn/scorer_net.h"

#include <algorithm>

namespace selfmate {
namespace {

// tanh(x) = 1 - 2 / (e^2x + 1), by the kernels' own exp.
float hyperbolic_tangent(const Kernels& kernels, float x) {
  const float twice = std::clamp(2 * x, -40.0f, 40.0f);  // beyond, the result is +-1
  float power;
  kernels.exponentials(&twice, 1, &power);
  return 1 - 2 / (power + 1);
}

}  // namespace

ScorerNet::ScorerNet(const ScorerShape& shape, std::vector<float> parameters, bool portable)
    : shape_(shape), layout_(shape), kernels_(portable ? portable_kernels() : best_kernels()) {
  int widest = 0;
  for (std::size_t i = 0; i < layout_.layers(); ++i) widest = std::max(widest, layout_.width(i));
  const float* zeros = buffers_.emplace_back(std::size_t(widest)).get();
  for (std::size_t i = 0; i + 1 < layout_.layers(); ++i) {
    const int inputs = layout_.width(i), outputs = layout_.width(i + 1);
    const std::size_t size = std::size_t(inputs) * std::size_t(outputs);
    const float* panels = buffers_.emplace_back(size).get();
    const float* backward = buffers_.emplace_back(size).get();
    dense_.push_back({{inputs, outputs, panels, nullptr}, {outputs, inputs, backward, zeros}});
  }
  set(std::move(parameters));
}

void ScorerNet::set(std::vector<float> parameters) {
  parameters_ = std::move(parameters);
  for (std::size_t i = 0; i < dense_.size(); ++i) {
    const float* weight = at(layout_.hidden_weights[i]);  // [outputs, inputs]
    const int inputs = layout_.width(i), outputs = layout_.width(i + 1);
    const auto weight_at = [&](int in, int out) {
      return weight[std::ptrdiff_t(out) * inputs + in];
    };
    fill_panels(inputs, outputs, weight_at, buffers_[1 + 2 * i].get());
    fill_panels(
        outputs, inputs, [&](int out, int in) { return weight_at(in, out); },
        buffers_[2 + 2 * i].get());
    dense_[i].forward.bias = at(layout_.hidden_biases[i]);
  }
}

void ScorerNet::forward(const CandidateBatch& batch, Activations& found) const {
  const std::size_t width = first_width();
  found.positions.resize(batch.positions() * width);
  for (std::size_t i = 0; i < batch.positions(); ++i) {
    const std::int64_t begin = batch.position_offsets[i];
    float* out = found.positions.data() + i * width;
    kernels_.sum_rows(batch.position_columns.data() + begin, batch.position_values.data() + begin,
                      batch.position_offsets[i + 1] - begin, at(layout_.position_weight),
                      std::int64_t(width), out);
    kernels_.add_scaled(1.0f, at(layout_.position_bias), std::int64_t(width), out);
  }
  score_moves(batch, found);
  if (shape_.value_head) value_positions(batch, found);
}

void ScorerNet::score_moves(const CandidateBatch& batch, Activations& found) const {
  const std::size_t rows = batch.moves(), width = first_width();
  found.layers.resize(layout_.layers());
  for (std::size_t i = 0; i < layout_.layers(); ++i)
    found.layers[i].resize(rows * std::size_t(layout_.width(i)));
  for (std::size_t position = 0; position < batch.positions(); ++position)
    for (auto move = std::size_t(batch.offsets[position]);
         move < std::size_t(batch.offsets[position + 1]); ++move) {
      const std::int64_t begin = batch.move_offsets[move];
      kernels_.rectified_sum(found.positions.data() + position * width,
                             batch.move_columns.data() + begin,
                             batch.move_offsets[move + 1] - begin, at(layout_.move_weight),
                             std::int64_t(width), found.layers[0].data() + move * width);
    }
  for (std::size_t i = 0; i < dense_.size(); ++i)
    kernels_.apply_active(dense_[i].forward, int(rows), found.layers[i].data(), true,
                          found.layers[i + 1].data());
  const auto last = std::size_t(layout_.width(layout_.layers() - 1));
  found.scores.resize(rows);
  for (std::size_t move = 0; move < rows; ++move)
    found.scores[move] = kernels_.dot(found.layers.back().data() + move * last,
                                      at(layout_.score_weight), std::int64_t(last)) +
                         *at(layout_.score_bias);
}

void ScorerNet::value_positions(const CandidateBatch& batch, Activations& found) const {
  const std::size_t width = first_width();
  const std::int32_t turn_row = 0;
  found.value_layer.resize(batch.positions() * width);
  found.values.resize(batch.positions());
  for (std::size_t i = 0; i < batch.positions(); ++i) {
    float* layer = found.value_layer.data() + i * width;
    kernels_.rectified_sum(found.positions.data() + i * width, &turn_row, batch.is_white[i],
                           at(layout_.value_turn), std::int64_t(width), layer);
    found.values[i] = hyperbolic_tangent(
        kernels_, kernels_.dot(layer, at(layout_.value_weight), std::int64_t(width)) +
                      *at(layout_.value_bias));
  }
}

void ScorerNet::add_gradient(const CandidateBatch& batch, std::span<const float> by_score,
                             std::span<const float> by_value, Activations& found,
                             std::span<float> gradient) const {
  found.gradients.resize(layout_.layers());
  for (std::size_t i = 0; i < layout_.layers(); ++i)
    found.gradients[i].resize(found.layers[i].size());
  add_score_gradient(by_score, found, gradient);
  for (std::size_t i = dense_.size(); i-- > 0;)
    add_hidden_gradient(i, int(batch.moves()), found, gradient);
  for (std::size_t i = 0; i < batch.positions(); ++i)
    add_first_gradient(batch, i, by_value, found, gradient);
}

void ScorerNet::add_score_gradient(std::span<const float> by_score, Activations& found,
                                   std::span<float> gradient) const {
  const auto width = std::size_t(layout_.width(layout_.layers() - 1));
  const float* weight = at(layout_.score_weight);
  const std::vector<float>& layer = found.layers.back();
  std::vector<float>& by_layer = found.gradients.back();
  for (std::size_t move = 0; move < by_score.size(); ++move) {
    for (std::size_t i = 0; i < width; ++i) by_layer[move * width + i] = by_score[move] * weight[i];
    kernels_.add_scaled(by_score[move], layer.data() + move * width, std::int64_t(width),
                        gradient.data() + layout_.score_weight);
    gradient[layout_.score_bias] += by_score[move];
  }
  kernels_.keep_active(layer.data(), std::int64_t(layer.size()), by_layer.data());
}

// From the layer after `layer` to it.
void ScorerNet::add_hidden_gradient(std::size_t layer, int rows, Activations& found,
                                    std::span<float> gradient) const {
  const int inputs = layout_.width(layer), outputs = layout_.width(layer + 1);
  const std::vector<float>& in = found.layers[layer];
  const std::vector<float>& by_output = found.gradients[layer + 1];
  std::vector<float>& by_input = found.gradients[layer];
  found.scratch.resize(std::size_t(rows) * std::size_t(outputs + kPanel));
  kernels_.add_weight_gradient(rows, outputs, inputs, by_output.data(), in.data(),
                               found.scratch.data(),
                               gradient.data() + layout_.hidden_weights[layer]);
  for (int row = 0; row < rows; ++row)
    kernels_.add_scaled(1.0f, by_output.data() + std::ptrdiff_t(row) * outputs, outputs,
                        gradient.data() + layout_.hidden_biases[layer]);
  kernels_.apply_active(dense_[layer].backward, rows, by_output.data(), false, by_input.data());
  kernels_.keep_active(in.data(), std::int64_t(in.size()), by_input.data());
}

void ScorerNet::add_first_gradient(const CandidateBatch& batch, std::size_t position,
                                   std::span<const float> by_value, Activations& found,
                                   std::span<float> gradient) const {
  const auto width = std::int64_t(first_width());
  found.row.assign(std::size_t(width), 0.0f);  // the gradient by the position's part
  for (auto move = std::size_t(batch.offsets[position]);
       move < std::size_t(batch.offsets[position + 1]); ++move) {
    const float* by_layer = found.gradients[0].data() + move * std::size_t(width);
    kernels_.add_scaled(1.0f, by_layer, width, found.row.data());
    for (auto i = std::size_t(batch.move_offsets[move]);
         i < std::size_t(batch.move_offsets[move + 1]); ++i)
      kernels_.add_scaled(
          1.0f, by_layer, width,
          gradient.data() + layout_.move_weight + std::ptrdiff_t(batch.move_columns[i]) * width);
  }
  if (shape_.value_head) add_value_gradient(batch, position, by_value[position], found, gradient);
  kernels_.add_scaled(1.0f, found.row.data(), width, gradient.data() + layout_.position_bias);
  for (auto i = std::size_t(batch.position_offsets[position]);
       i < std::size_t(batch.position_offsets[position + 1]); ++i)
    kernels_.add_scaled(batch.position_values[i], found.row.data(), width,
                        gradient.data() + layout_.position_weight +
                            std::ptrdiff_t(batch.position_columns[i]) * width);
}

// Also to `found.row`.
void ScorerNet::add_value_gradient(const CandidateBatch& batch, std::size_t position,
                                   float by_value, Activations& found,
                                   std::span<float> gradient) const {
  const std::size_t width = first_width();
  const float value = found.values[position];
  const float by_sum = by_value * (1 - value * value);  // through tanh
  const float* layer = found.value_layer.data() + position * width;
  kernels_.add_scaled(by_sum, layer, std::int64_t(width), gradient.data() + layout_.value_weight);
  gradient[layout_.value_bias] += by_sum;
  for (std::size_t i = 0; i < width; ++i) {
    const float by_layer = layer[i] > 0 ? by_sum * at(layout_.value_weight)[i] : 0.0f;
    found.row[i] += by_layer;
    if (batch.is_white[position]) gradient[layout_.value_turn + i] += by_layer;
  }
}

}  // namespace selfmate
