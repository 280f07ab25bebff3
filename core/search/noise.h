// Random noise for searches: Dirichlet noise for the priors of a root (Silver et al. 2017), Gumbel
// noise for sampling without replacement (Danihelka et al. 2022). The same seed gives the same
// numbers on every machine.
#pragma once

#include <vector>

#include "chess/random.h"

namespace selfmate {

// Uniform in (0, 1).
double uniform(Random& random);
// `count` positive numbers that sum to 1; the smaller `alpha`, the fewer of them share most of it.
std::vector<float> dirichlet(Random& random, std::size_t count, double alpha);
// The standard Gumbel distribution. The argmax of logits + Gumbel noise is a sample of the softmax.
float gumbel(Random& random);

}  // namespace selfmate
