#include "search/attempts.h"

#include <algorithm>
#include <cmath>

#include "search/chance.h"

namespace selfmate {
namespace {

using Legal = std::span<const std::int32_t>;

constexpr float kTakenOut = -1.0f;

// What is left to be tried in one position.
class Urn {
 public:
  Urn(std::span<const float> logits, double temperature, Random random)
      : logits_(logits), weights_(logits.size(), 0.0f), random_(random) {
    if (!(temperature > 0.0)) return;
    const float most = *std::max_element(logits.begin(), logits.end());
    const auto scale = float(1.0 / temperature);
    for (std::size_t i = 0; i < weights_.size(); ++i)
      weights_[i] = std::exp((logits[i] - most) * scale);
  }

  // By its weight; the likeliest if all that is left has none to speak of.
  std::size_t next() {
    double sum = 0.0;
    for (const float weight : weights_) sum += std::max(weight, 0.0f);
    if (!(sum > 0.0)) return likeliest();
    double rest = uniform(random_) * sum;
    std::size_t last = 0;
    for (std::size_t action = 0; action < weights_.size() && rest >= 0.0; ++action) {
      if (!(weights_[action] > 0.0f)) continue;
      last = action;
      rest -= double(weights_[action]);
    }
    return last;
  }

  void take_out(std::size_t action) { weights_[action] = kTakenOut; }

 private:
  std::size_t likeliest() const {
    std::size_t best = 0;
    float most = -INFINITY;
    for (std::size_t action = 0; action < weights_.size(); ++action)
      if (weights_[action] != kTakenOut && logits_[action] > most) {
        best = action;
        most = logits_[action];
      }
    return best;
  }

  std::span<const float> logits_;
  std::vector<float> weights_;
  Random random_;
};

std::int32_t likeliest(std::span<const float> logits, Legal legal) {
  return *std::max_element(legal.begin(), legal.end(), [&](std::int32_t a, std::int32_t b) {
    return logits[std::size_t(a)] < logits[std::size_t(b)];
  });
}

// Adds what was tried in vain.
std::int32_t attempt(std::span<const float> logits, Legal legal, std::uint64_t dice,
                     const AttemptSettings& settings, std::vector<std::int32_t>& illegal) {
  Urn urn(logits, settings.temperature, Random(dice));
  for (int tries = 0; tries < settings.most; ++tries) {
    const std::size_t action = urn.next();
    if (std::find(legal.begin(), legal.end(), std::int32_t(action)) != legal.end())
      return std::int32_t(action);
    illegal.push_back(std::int32_t(action));
    urn.take_out(action);
  }
  return likeliest(logits, legal);
}

}  // namespace

Attempts attempt_actions(const float* logits, std::size_t actions, const std::int32_t* legal,
                         std::span<const std::int64_t> offsets, const std::uint64_t* dice,
                         const AttemptSettings& settings) {
  const std::size_t rows = offsets.size() - 1;
  std::vector<std::vector<std::int32_t>> tried(rows);
  Attempts found;
  found.chosen.resize(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const Legal of_row(legal + offsets[row], legal + offsets[row + 1]);
    found.chosen[row] =
        attempt({logits + row * actions, actions}, of_row, dice[row], settings, tried[row]);
  }
  found.illegal.offsets.assign(1, 0);
  for (const auto& of_row : tried) {
    found.illegal.values.insert(found.illegal.values.end(), of_row.begin(), of_row.end());
    found.illegal.offsets.push_back(std::int64_t(found.illegal.values.size()));
  }
  return found;
}

}  // namespace selfmate
