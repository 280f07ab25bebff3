#include "search/attempts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "search/noise.h"

namespace selfmate {
namespace {

using Legal = std::span<const std::int32_t>;

constexpr float kRemoved = -1.0f;
constexpr std::size_t kBlock = 64;  // weights

// Samples actions of one position without replacement. Weights are also summed by blocks, so that a
// sample does not go through all of them.
class ActionSampler {
 public:
  ActionSampler(std::span<const float> logits, double temperature, Random random)
      : logits_(logits),
        weights_(logits.size(), 0.0f),
        sums_((logits.size() + kBlock - 1) / kBlock, 0.0),
        random_(random) {
    if (!(temperature > 0.0)) return;
    const float highest = *std::max_element(logits.begin(), logits.end());
    const auto scale = float(1.0 / temperature);
    for (std::size_t i = 0; i < weights_.size(); ++i)
      weights_[i] = std::exp((logits[i] - highest) * scale);
    for (std::size_t number = 0; number < sums_.size(); ++number) sum_block(number);
  }

  // By weight; the most probable one if all that are left have a weight of 0.
  std::size_t sample() {
    const double sum = std::accumulate(sums_.begin(), sums_.end(), 0.0);
    if (!(sum > 0.0)) return most_probable();
    double rest = uniform(random_) * sum;
    const std::size_t number = find(std::span<const double>(sums_), rest);
    return number * kBlock + find(block(number), rest);
  }

  void remove(std::size_t action) {
    weights_[action] = kRemoved;
    sum_block(action / kBlock);
  }

 private:
  // The index whose interval of the cumulative weights holds `rest`; `rest` becomes relative to it.
  // If rounding puts `rest` beyond all intervals, the last index with a weight.
  template <typename Weight>
  static std::size_t find(std::span<const Weight> weights, double& rest) {
    std::size_t last = 0;
    for (std::size_t at = 0; at < weights.size(); ++at) {
      if (!(weights[at] > Weight(0))) continue;
      last = at;
      if (rest < double(weights[at])) break;
      rest -= double(weights[at]);
    }
    return last;
  }

  std::span<const float> block(std::size_t number) const {
    const std::size_t begin = number * kBlock;
    return std::span<const float>(weights_).subspan(begin,
                                                    std::min(kBlock, weights_.size() - begin));
  }

  void sum_block(std::size_t number) {
    double sum = 0.0;
    for (const float weight : block(number)) sum += double(std::max(weight, 0.0f));
    sums_[number] = sum;
  }

  std::size_t most_probable() const {
    std::size_t best = 0;
    float highest = -INFINITY;
    for (std::size_t action = 0; action < weights_.size(); ++action)
      if (weights_[action] != kRemoved && logits_[action] > highest) {
        best = action;
        highest = logits_[action];
      }
    return best;
  }

  std::span<const float> logits_;
  std::vector<float> weights_;
  std::vector<double> sums_;  // of the weights of each block
  Random random_;
};

std::int32_t most_probable(std::span<const float> logits, Legal legal) {
  return *std::max_element(legal.begin(), legal.end(), [&](std::int32_t a, std::int32_t b) {
    return logits[std::size_t(a)] < logits[std::size_t(b)];
  });
}

// Appends the illegal attempts to `illegal`.
std::int32_t attempt(std::span<const float> logits, Legal legal, std::uint64_t seed,
                     const AttemptSettings& settings, std::vector<std::int32_t>& illegal) {
  ActionSampler sampler(logits, settings.temperature, Random(seed));
  const auto max_attempts = std::min(std::size_t(settings.max_attempts), logits.size());
  for (std::size_t attempts = 0; attempts < max_attempts; ++attempts) {
    const std::size_t action = sampler.sample();
    if (std::find(legal.begin(), legal.end(), std::int32_t(action)) != legal.end())
      return std::int32_t(action);
    illegal.push_back(std::int32_t(action));
    sampler.remove(action);
  }
  return most_probable(logits, legal);
}

}  // namespace

Attempts attempt_actions(const float* logits, std::size_t actions, const std::int32_t* legal,
                         std::span<const std::int64_t> offsets, const std::uint64_t* seeds,
                         const AttemptSettings& settings) {
  const std::size_t rows = offsets.size() - 1;
  std::vector<std::vector<std::int32_t>> tried(rows);
  Attempts found;
  found.chosen.resize(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const Legal of_row(legal + offsets[row], legal + offsets[row + 1]);
    found.chosen[row] =
        attempt({logits + row * actions, actions}, of_row, seeds[row], settings, tried[row]);
  }
  found.illegal.offsets.assign(1, 0);
  for (const auto& of_row : tried) {
    found.illegal.values.insert(found.illegal.values.end(), of_row.begin(), of_row.end());
    found.illegal.offsets.push_back(std::int64_t(found.illegal.values.size()));
  }
  return found;
}

}  // namespace selfmate
