#include "search/gumbel.h"

#include <algorithm>
#include <cmath>

namespace selfmate {

std::vector<int> considered_visits(int num_considered_actions, int simulations) {
  std::vector<int> sequence;
  if (num_considered_actions <= 1) {
    for (int n = 0; n < simulations; ++n) sequence.push_back(n);
    return sequence;
  }
  const int rounds = int(std::ceil(std::log2(num_considered_actions)));
  std::vector<int> visits(std::size_t(num_considered_actions), 0);
  int left = num_considered_actions;
  while (int(sequence.size()) < simulations) {
    const int each = std::max(1, simulations / (rounds * left));
    for (int n = 0; n < each; ++n)
      for (int i = 0; i < left; ++i) sequence.push_back(visits[std::size_t(i)]++);
    left = std::max(2, left / 2);
  }
  sequence.resize(std::size_t(simulations));
  return sequence;
}

std::vector<float> completed_scores(std::span<const ActionStats> actions, float net_value,
                                    GumbelConstants constants) {
  VisitedSums sums;
  for (const ActionStats& action : actions)
    if (action.visits) sums.add(action.prior, action.value, action.visits);
  const float mixed = sums.mixed_value(net_value);
  std::vector<float> scores;
  for (const ActionStats& action : actions)
    scores.push_back(constants.sigma(action.visits ? action.value : mixed, sums.max_visits));
  return scores;
}

std::vector<float> improved_policy(std::span<const ActionStats> actions, float net_value,
                                   GumbelConstants constants) {
  std::vector<float> policy = completed_scores(actions, net_value, constants);
  const float highest = *std::max_element(policy.begin(), policy.end());
  float sum = 0.0f;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    policy[i] = std::max(actions[i].prior, kMinPrior) * std::exp(policy[i] - highest);
    sum += policy[i];
  }
  for (float& probability : policy) probability /= sum;
  return policy;
}

}  // namespace selfmate
