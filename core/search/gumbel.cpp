#include "search/gumbel.h"

#include <algorithm>
#include <cmath>

namespace selfmate {
namespace {

// Softmax in place.
void to_shares(std::vector<float>& logits) {
  const float most = *std::max_element(logits.begin(), logits.end());
  float sum = 0.0f;
  for (float& logit : logits) sum += logit = std::exp(logit - most);
  for (float& share : logits) share /= sum;
}

// v_mix: what an unvisited move is taken to be worth.
float mixed_value(std::span<const Known> moves, float net_value) {
  std::vector<float> priors;
  for (const Known& move : moves) priors.push_back(move.logit);
  to_shares(priors);
  float mass = 0.0f, weighted = 0.0f;
  int visits = 0;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    if (!moves[i].visits) continue;
    visits += moves[i].visits;
    mass += priors[i];
    weighted += priors[i] * moves[i].value;
  }
  if (!visits) return net_value;
  const float found = mass > 0.0f ? weighted / mass : net_value;
  return (net_value + float(visits) * found) / float(1 + visits);
}

}  // namespace

std::vector<int> considered_visits(int moves, int simulations) {
  std::vector<int> sequence;
  if (moves <= 1) {
    for (int n = 0; n < simulations; ++n) sequence.push_back(n);
    return sequence;
  }
  const int rounds = int(std::ceil(std::log2(moves)));
  std::vector<int> visits(std::size_t(moves), 0);
  int left = moves;
  while (int(sequence.size()) < simulations) {
    const int each = std::max(1, simulations / (rounds * left));
    for (int n = 0; n < each; ++n)
      for (int i = 0; i < left; ++i) sequence.push_back(visits[std::size_t(i)]++);
    left = std::max(2, left / 2);
  }
  sequence.resize(std::size_t(simulations));
  return sequence;
}

std::vector<float> completed_scores(std::span<const Known> moves, float net_value,
                                    GumbelScale scale) {
  const float mixed = mixed_value(moves, net_value);
  int most = 0;
  for (const Known& move : moves) most = std::max(most, move.visits);
  const float factor = (scale.visits + float(most)) * scale.scale;
  std::vector<float> scores;
  for (const Known& move : moves)
    scores.push_back(factor * 0.5f * ((move.visits ? move.value : mixed) + 1.0f));
  return scores;
}

std::vector<float> improved_policy(std::span<const Known> moves, float net_value,
                                   GumbelScale scale) {
  std::vector<float> logits = completed_scores(moves, net_value, scale);
  for (std::size_t i = 0; i < moves.size(); ++i) logits[i] += moves[i].logit;
  to_shares(logits);
  return logits;
}

}  // namespace selfmate
