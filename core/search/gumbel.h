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

// What a search knows of one action of a node.
struct ActionStats {
  float logit;
  float value;  // mean for the side to move, -1..1; valid only with visits
  int visits;
};

struct GumbelConstants {
  float c_visit = 50.0f;
  float c_scale = 1.0f;
};

// sigma(completed Q) of each action = (c_visit + max visits) * c_scale * Q, with Q mapped to 0..1.
// Actions without visits have the value v_mix, a mean of the net's value and of the values found.
std::vector<float> completed_scores(std::span<const ActionStats> actions, float net_value,
                                    GumbelConstants constants);
// softmax(logits + sigma(completed Q)).
std::vector<float> improved_policy(std::span<const ActionStats> actions, float net_value,
                                   GumbelConstants constants);

}  // namespace selfmate
