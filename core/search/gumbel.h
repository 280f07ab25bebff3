// The arithmetic of Gumbel AlphaZero (Danihelka et al., 2022): how simulations are shared among the
// root's moves, and what a search has made of a policy.
#pragma once

#include <span>
#include <vector>

namespace selfmate {

// Sequential halving: the n-th simulation goes to a move that has had so many visits before. Half
// of the moves stay after each round, until all simulations are used.
std::vector<int> considered_visits(int moves, int simulations);

// One move of a node as a search knows it.
struct Known {
  float logit;
  float value;  // mean for the side to move, -1..1; only where there are visits
  int visits;
};

struct GumbelScale {
  float visits = 50.0f;  // c_visit
  float scale = 1.0f;    // c_scale
};

// sigma(completed Q) of each move: moves without visits count as the mix of the net's own value and
// the values found. Values are taken to 0..1 first, as in the paper.
std::vector<float> completed_scores(std::span<const Known> moves, float net_value,
                                    GumbelScale scale);
// softmax(logits + sigma(completed Q)).
std::vector<float> improved_policy(std::span<const Known> moves, float net_value,
                                   GumbelScale scale);

}  // namespace selfmate
