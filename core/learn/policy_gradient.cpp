#include "learn/policy_gradient.h"

#include <algorithm>

#include "learn/exact_math.h"

namespace selfmate {

void log_policy(const Kernels& kernels, const float* scores, std::size_t count, float temperature,
                float* log_probs) {
  for (std::size_t i = 0; i < count; ++i) log_probs[i] = scores[i] / temperature;
  const float highest = *std::max_element(log_probs, log_probs + count);
  for (std::size_t i = 0; i < count; ++i) log_probs[i] -= highest;
  std::vector<float> weights(count);
  kernels.exponentials(log_probs, std::int64_t(count), weights.data());
  double sum = 0;
  for (const float weight : weights) sum += double(weight);
  const auto log_sum = float(natural_log(sum));
  for (std::size_t i = 0; i < count; ++i) log_probs[i] -= log_sum;
}

float entropy_of(const Kernels& kernels, std::span<const float> log_probs) {
  std::vector<float> probs(log_probs.size());
  kernels.exponentials(log_probs.data(), std::int64_t(probs.size()), probs.data());
  double sum = 0;
  for (std::size_t i = 0; i < probs.size(); ++i) sum -= double(probs[i]) * double(log_probs[i]);
  return float(sum);
}

void PolicyGradient::add(const ScorerNet& net, const SampledGames& games,
                         std::span<const std::int64_t> plies, const LossSettings& settings,
                         double divisor, LossSums& sums, std::span<float> gradient) {
  batch_.clear();
  for (const std::int64_t ply : plies) batch_.add(games, std::size_t(ply));
  net.forward(batch_, found_);
  by_score_.resize(batch_.moves());
  by_value_.resize(batch_.positions());
  for (std::size_t row = 0; row < plies.size(); ++row)
    add_ply(net, games, std::size_t(plies[row]), row, settings, divisor, sums);
  net.add_gradient(batch_, by_score_, by_value_, found_, gradient);
}

void PolicyGradient::add_ply(const ScorerNet& net, const SampledGames& games, std::size_t ply,
                             std::size_t row, const LossSettings& settings, double divisor,
                             LossSums& sums) {
  const auto begin = std::size_t(batch_.offsets[row]);
  const std::size_t count = games.legal_count(ply), chosen = games.chosen[ply];
  log_probs_.resize(count);
  probs_.resize(count);
  log_policy(net.kernels(), found_.scores.data() + begin, count, games.temperature,
             log_probs_.data());
  net.kernels().exponentials(log_probs_.data(), std::int64_t(count), probs_.data());

  const auto result = float(games.result_of_ply(ply));
  const float gain = result - (net.shape().value_head ? found_.values[row] : settings.baseline);
  const float advantage = games.is_white[ply] ? gain : -gain;
  const float ratio = std::min(log_probs_[chosen] - games.log_probs[ply],
                               float(natural_log(settings.max_importance_weight)));
  float weight;
  net.kernels().exponentials(&ratio, 1, &weight);
  const float factor = weight * advantage;
  const auto policy_loss = double(-factor * log_probs_[chosen]);
  sums.policy += policy_loss;

  // d log pi(c) / d score(i) = ((i is c) - p(i)) / temperature, and
  // d entropy / d score(i) = -p(i) (log p(i) + entropy) / temperature.
  const float scale = float(1 / divisor) / games.temperature;
  const float bonus = settings.entropy_bonus;
  const float entropy = bonus != 0 ? entropy_of(net.kernels(), log_probs_) : 0.0f;
  for (std::size_t i = 0; i < count; ++i) {
    float by_score = factor * probs_[i];
    if (i == chosen) by_score -= factor;
    if (bonus != 0) by_score += bonus * probs_[i] * (log_probs_[i] + entropy);
    by_score_[begin + i] = scale * by_score;
  }
  sums.total += policy_loss - double(bonus * entropy);
  if (!net.shape().value_head) return;
  const float error = found_.values[row] - result;
  sums.value += double(error * error);
  sums.total += double(settings.value_weight * error * error);
  by_value_[row] = settings.value_weight * 2 * error * float(1 / divisor);
}

double divergence(const ScorerNet& net, const ScorerNet& other, const SampledGames& games,
                  std::span<const std::int64_t> plies) {
  CandidateBatch batch;
  for (const std::int64_t ply : plies) batch.add(games, std::size_t(ply));
  Activations now, before;
  net.forward(batch, now);
  other.forward(batch, before);
  double sum = 0;
  std::vector<float> logs, other_logs, probs;
  for (std::size_t row = 0; row < plies.size(); ++row) {
    const auto begin = std::size_t(batch.offsets[row]);
    const std::size_t count = std::size_t(batch.offsets[row + 1]) - begin;
    for (auto* numbers : {&logs, &other_logs, &probs}) numbers->resize(count);
    log_policy(net.kernels(), now.scores.data() + begin, count, games.temperature, logs.data());
    log_policy(net.kernels(), before.scores.data() + begin, count, games.temperature,
               other_logs.data());
    net.kernels().exponentials(logs.data(), std::int64_t(count), probs.data());
    for (std::size_t i = 0; i < count; ++i)
      sum += double(probs[i]) * (double(logs[i]) - double(other_logs[i]));
  }
  return sum;
}

}  // namespace selfmate
