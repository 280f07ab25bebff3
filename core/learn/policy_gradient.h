// The loss of REINFORCE (Williams 1992) and its gradient.
//
// The policy pi is softmax(score / temperature) over the legal moves. A ply by White has the
// advantage A = z - b, one by Black -(z - b), with the result z and the baseline b in White's view.
// The loss is the mean over plies of -w A log pi(move), with importance weights w of moves that an
// older policy sampled, plus the squared error of the value head, minus a bonus for entropy.
#pragma once

#include "learn/scorer_net.h"

namespace selfmate {

// log pi of the `count` moves of a position, from their scores.
void log_policy(const Kernels& kernels, const float* scores, std::size_t count, float temperature,
                float* log_probs);
// -sum p log p, from the logarithms.
float entropy_of(const Kernels& kernels, std::span<const float> log_probs);

struct LossSettings {
  float baseline = 0;         // b; with a value head, b is its value
  float value_weight = 0.5f;  // of the value head's squared error
  float entropy_bonus = 0;    // per nat
  float max_importance_weight = 2;
};

// Sums over plies: the policy's loss, the value head's squared error, and all together.
struct LossSums {
  double policy = 0, value = 0, total = 0;
};

// Adds the gradient of the losses of some plies, each divided by `divisor`, and their losses,
// undivided. Memory is kept from call to call.
class PolicyGradient {
 public:
  void add(const ScorerNet& net, const SampledGames& games, std::span<const std::int64_t> plies,
           const LossSettings& settings, double divisor, LossSums& sums, std::span<float> gradient);

 private:
  void add_ply(const ScorerNet& net, const SampledGames& games, std::size_t ply, std::size_t row,
               const LossSettings& settings, double divisor, LossSums& sums);

  CandidateBatch batch_;
  Activations found_;
  std::vector<float> by_score_, by_value_, log_probs_, probs_;
};

// KL(policy || other policy) in nats, summed over some plies.
double divergence(const ScorerNet& net, const ScorerNet& other, const SampledGames& games,
                  std::span<const std::int64_t> plies);

}  // namespace selfmate
