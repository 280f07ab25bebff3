#include "search/noise.h"

#include <cmath>
#include <numbers>

namespace selfmate {
namespace {

// Box and Muller (1958).
double normal(Random& random) {
  const double radius = std::sqrt(-2.0 * std::log(uniform(random)));
  return radius * std::cos(2.0 * std::numbers::pi * uniform(random));
}

// Marsaglia and Tsang (2000); below 1 by way of alpha + 1.
double gamma(Random& random, double alpha) {
  if (alpha < 1.0) return gamma(random, alpha + 1.0) * std::pow(uniform(random), 1.0 / alpha);
  const double d = alpha - 1.0 / 3.0, c = 1.0 / std::sqrt(9.0 * d);
  while (true) {
    const double x = normal(random), v = std::pow(1.0 + c * x, 3);
    if (v > 0.0 && std::log(uniform(random)) < 0.5 * x * x + d - d * v + d * std::log(v))
      return d * v;
  }
}

}  // namespace

double uniform(Random& random) {
  return (double(random.next() >> 11) + 0.5) * 0x1.0p-53;
}

std::vector<float> dirichlet(Random& random, std::size_t count, double alpha) {
  std::vector<double> parts(count);
  double sum = 0.0;
  for (double& part : parts) sum += part = gamma(random, alpha);
  std::vector<float> fractions(count, 1.0f / float(count));
  if (sum > 0.0)
    for (std::size_t i = 0; i < count; ++i) fractions[i] = float(parts[i] / sum);
  return fractions;
}

float gumbel(Random& random) {
  return float(-std::log(-std::log(uniform(random))));
}

}  // namespace selfmate
