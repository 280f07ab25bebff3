#include "search/gumbel.h"

#include <algorithm>
#include <cmath>

namespace selfmate {
namespace {

// Softmax in place.
void softmax(std::vector<float>& logits) {
  const float highest = *std::max_element(logits.begin(), logits.end());
  float sum = 0.0f;
  for (float& logit : logits) sum += logit = std::exp(logit - highest);
  for (float& probability : logits) probability /= sum;
}

// v_mix (appendix D of the paper): the value of an action without visits.
float mixed_value(std::span<const ActionStats> actions, float net_value) {
  std::vector<float> priors;
  for (const ActionStats& action : actions) priors.push_back(action.logit);
  softmax(priors);
  float mass = 0.0f, weighted = 0.0f;
  int visits = 0;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    if (!actions[i].visits) continue;
    visits += actions[i].visits;
    mass += priors[i];
    weighted += priors[i] * actions[i].value;
  }
  if (!visits) return net_value;
  const float found = mass > 0.0f ? weighted / mass : net_value;
  return (net_value + float(visits) * found) / float(1 + visits);
}

}  // namespace

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
  const float mixed = mixed_value(actions, net_value);
  int max_visits = 0;
  for (const ActionStats& action : actions) max_visits = std::max(max_visits, action.visits);
  const float factor = (constants.c_visit + float(max_visits)) * constants.c_scale;
  std::vector<float> scores;
  for (const ActionStats& action : actions)
    scores.push_back(factor * 0.5f * ((action.visits ? action.value : mixed) + 1.0f));
  return scores;
}

std::vector<float> improved_policy(std::span<const ActionStats> actions, float net_value,
                                   GumbelConstants constants) {
  std::vector<float> logits = completed_scores(actions, net_value, constants);
  for (std::size_t i = 0; i < actions.size(); ++i) logits[i] += actions[i].logit;
  softmax(logits);
  return logits;
}

}  // namespace selfmate
