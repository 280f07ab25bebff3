// The arithmetic of Gumbel AlphaZero (Danihelka et al., "Policy improvement by planning with
// Gumbel", ICLR 2022): how simulations are divided among the root's actions, and the improved
// policy. Names follow mctx.
#pragma once

#include <span>
#include <vector>

namespace selfmate {

// Sequential halving: the n-th simulation goes to an action that has been visited so many times
// before. After each round half of the actions stay, until all simulations are used.
std::vector<int> considered_visits(int num_considered_actions, int simulations);

// No logit is infinite, and not all products of a prior and a weight are zero.
inline constexpr float kMinPrior = 1e-8f;

// What a search knows of one action of a node.
struct ActionStats {
  float prior;
  float value;  // mean for the side to move, -1..1; valid only with visits
  int visits;
};

struct GumbelConstants {
  float c_visit = 50.0f;
  float c_scale = 1.0f;

  // sigma(Q) = (c_visit + max visits) * c_scale * Q, with Q mapped to 0..1.
  float sigma(float value, int max_visits) const {
    return (c_visit + float(max_visits)) * c_scale * 0.5f * (value + 1.0f);
  }
};

// Sums over the actions of a node that have visits.
struct VisitedSums {
  float prior = 0, weighted = 0;  // of the priors, and of prior * value
  int visits = 0, max_visits = 0;

  void add(float its_prior, float value, int its_visits) {
    prior += its_prior;
    weighted += its_prior * value;
    visits += its_visits;
    max_visits = its_visits > max_visits ? its_visits : max_visits;
  }
  // v_mix (appendix D of the paper): the value of an action without visits, a mean of the net's
  // value and of the values found.
  float mixed_value(float net_value) const {
    if (!visits) return net_value;
    const float found = prior > 0.0f ? weighted / prior : net_value;
    return (net_value + float(visits) * found) / float(1 + visits);
  }
};

// sigma(completed Q) of each action; those without visits have v_mix.
std::vector<float> completed_scores(std::span<const ActionStats> actions, float net_value,
                                    GumbelConstants constants);
// prior * e^sigma(completed Q), normalised: softmax(logits + sigma(completed Q)).
std::vector<float> improved_policy(std::span<const ActionStats> actions, float net_value,
                                   GumbelConstants constants);

}  // namespace selfmate
