// Random numbers of the shapes a search needs, the same on every machine for the same seed.
#pragma once

#include <vector>

#include "chess/random.h"

namespace selfmate {

// Uniform in (0, 1).
double uniform(Random& random);
// Positive numbers that sum to 1; small `alpha` gives most of it to few.
std::vector<float> dirichlet(Random& random, std::size_t count, double alpha);
// The standard Gumbel distribution: whoever adds it to logits and takes the largest has sampled.
float gumbel(Random& random);

}  // namespace selfmate
