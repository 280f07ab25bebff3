#include "learn/scorer_parameters.h"

#include <algorithm>
#include <cmath>

#include "chess/random.h"
#include "learn/exact_math.h"
#include "search/noise.h"

namespace selfmate {
namespace {

constexpr const char* kTurnWeight = "value.turn.weight";  // one column, kept as a row
constexpr int kMaxLayers = 8, kMaxWidth = 8192;
static_assert(kMaxWidth <= kMaxActive);

void check_shape(const ScorerShape& shape) {
  if (shape.hidden.empty() || shape.hidden.size() > kMaxLayers)
    throw BadInput("a move scorer has 1 to 8 hidden layers, not " +
                   std::to_string(shape.hidden.size()));
  for (const int width : shape.hidden)
    if (width < 1 || width > kMaxWidth)
      throw BadInput("a hidden layer has 1 to 8192 neurons, not " + std::to_string(width));
}

}  // namespace

ScorerLayout::ScorerLayout(const ScorerShape& shape) {
  check_shape(shape);
  for (const int width : shape.hidden) widths_.push_back(padded(width));
  const auto extent = [](int number) { return std::size_t(number); };
  const int inputs = position_input_count(shape.encoding), first = shape.hidden.front();
  position_weight = add("position.weight", {extent(inputs), extent(first)}, inputs);
  position_bias = add("position.bias", {extent(first)}, inputs);
  move_weight = add("move.weight", {extent(kMove136Size), extent(first)}, kMove136Size);
  for (std::size_t i = 0; i + 1 < shape.hidden.size(); ++i) {
    const int in = shape.hidden[i], out = shape.hidden[i + 1];
    const std::string name = "hidden." + std::to_string(i);
    hidden_weights.push_back(add(name + ".weight", {extent(out), extent(in)}, in));
    hidden_biases.push_back(add(name + ".bias", {extent(out)}, in));
  }
  const int last = shape.hidden.back();
  score_weight = add("score.weight", {1, extent(last)}, last);
  score_bias = add("score.bias", {1}, last);
  if (!shape.value_head) return;
  value_turn = add(kTurnWeight, {extent(first), 1}, 1);
  value_weight = add("value.out.weight", {1, extent(first)}, first);
  value_bias = add("value.out.bias", {1}, first);
}

std::size_t ScorerLayout::add(const std::string& name, const Shape& shape, int fan_in) {
  const bool is_row = shape.size() == 1 || name == kTurnWeight;
  const std::size_t rows = is_row ? 1 : shape[0], columns = is_row ? shape[0] : shape[1];
  const auto stride = std::size_t(padded(int(columns)));
  tensors_.push_back({name, shape, rows, columns, stride, size_, fan_in});
  size_ += stride * (is_row ? 1 : std::size_t(padded(int(rows))));
  return tensors_.back().begin;
}

std::vector<float> ScorerLayout::initial(std::uint64_t seed) const {
  Random random(seed);
  std::vector<float> numbers(size_);
  for (const Tensor& tensor : tensors_) {
    const double bound = 1 / std::sqrt(double(tensor.fan_in));
    for (std::size_t row = 0; row < tensor.rows; ++row)
      for (std::size_t column = 0; column < tensor.columns; ++column)
        numbers[tensor.begin + row * tensor.stride + column] =
            float(bound * (2 * uniform(random) - 1));
  }
  return numbers;
}

std::vector<NamedArray> ScorerLayout::named(std::span<const float> numbers) const {
  std::vector<NamedArray> arrays;
  for (const Tensor& tensor : tensors_) {
    std::vector<float> copied;
    for (std::size_t row = 0; row < tensor.rows; ++row) {
      const auto begin = numbers.begin() + std::ptrdiff_t(tensor.begin + row * tensor.stride);
      copied.insert(copied.end(), begin, begin + std::ptrdiff_t(tensor.columns));
    }
    arrays.push_back({tensor.name, tensor.shape, std::move(copied)});
  }
  return arrays;
}

std::vector<float> ScorerLayout::read(const Weights& weights) const {
  std::vector<AlignedFloats> none;
  WeightReader reader(weights, none);
  std::vector<const float*> found;  // all of them, before memory is asked for
  for (const Tensor& tensor : tensors_) found.push_back(reader.find(tensor.name, tensor.shape));
  reader.check_all_used();
  std::vector<float> numbers(size_);
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const Tensor& tensor = tensors_[i];
    for (std::size_t row = 0; row < tensor.rows; ++row)
      std::copy_n(found[i] + row * tensor.columns, tensor.columns,
                  numbers.data() + tensor.begin + row * tensor.stride);
  }
  return numbers;
}

void Adam::step(std::span<const float> gradient, double learning_rate,
                std::span<float> parameters) {
  constexpr float kBeta1 = 0.9f, kBeta2 = 0.999f, kEpsilon = 1e-8f;
  ++steps;
  const auto step_size = float(learning_rate / (1 - power(0.9, steps)));
  const auto root_correction = float(std::sqrt(1 - power(0.999, steps)));
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const float g = gradient[i];
    exp_avg[i] += (1 - kBeta1) * (g - exp_avg[i]);
    exp_avg_sq[i] = kBeta2 * exp_avg_sq[i] + (1 - kBeta2) * g * g;
    const float denominator = std::sqrt(exp_avg_sq[i]) / root_correction + kEpsilon;
    parameters[i] -= step_size * exp_avg[i] / denominator;
  }
}

double clip_gradient(std::span<float> gradient, double max_norm) {
  double sum = 0;
  for (const float g : gradient) sum += double(g) * double(g);
  const double norm = std::sqrt(sum);
  if (norm > max_norm) {
    const auto scale = float(max_norm / (norm + 1e-6));
    for (float& g : gradient) g *= scale;
  }
  return norm;
}

}  // namespace selfmate
