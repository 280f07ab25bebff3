// Functions of vectors, to float's precision. To be included like nets/vectors.h.
#pragma once

#include "nets/vectors.h"

namespace selfmate {
namespace {

using Ints __attribute__((vector_size(32))) = std::int32_t;

// e^x for x <= 0; below -87 it is about 1e-38.
[[gnu::always_inline]] inline Vec exp_below_zero(Vec x) {
  x = x < -87.0f ? Vec{} - 87.0f : x;
  const float magic = 12582912.0f;  // 1.5 * 2^23: what is added to it is rounded to a whole number
  const Vec shifted = x * 1.44269504f + magic;
  const Vec whole = shifted - magic;
  const Vec rest = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;  // ln 2 in two parts
  Vec sum = rest * 1.9875691500e-4f + 1.3981999507e-3f;                  // Cephes' expf
  sum = sum * rest + 8.3334519073e-3f;
  sum = sum * rest + 4.1665795894e-2f;
  sum = sum * rest + 1.6666665459e-1f;
  sum = sum * rest + 5.0000001201e-1f;
  sum = sum * rest * rest + rest + 1.0f;
  Ints bits, power;
  std::memcpy(&power, &shifted, sizeof power);
  std::memcpy(&bits, &sum, sizeof bits);
  bits += power << 23;  // the shift drops magic's own bits
  std::memcpy(&sum, &bits, sizeof sum);
  return sum;
}

[[gnu::always_inline]] inline Vec absolute(Vec x) {
  return x < 0.0f ? -x : x;
}

// x times the normal distribution at x, by Abramowitz and Stegun's 7.1.26, good to 1.5e-7.
[[gnu::always_inline]] inline Vec gelu(Vec x) {
  const Vec z = absolute(x) * 0.707106781f;
  const Vec t = 1.0f / (1.0f + 0.3275911f * z);
  Vec tail = t * 1.061405429f - 1.453152027f;
  tail = tail * t + 1.421413741f;
  tail = tail * t - 0.284496736f;
  tail = tail * t + 0.254829592f;
  tail = 0.5f * tail * t * exp_below_zero(-z * z);
  return x * (x < 0.0f ? tail : 1.0f - tail);
}

[[gnu::always_inline]] inline Vec sigmoid(Vec x) {
  const Vec small = exp_below_zero(-absolute(x));
  return (x < 0.0f ? small : Vec{} + 1.0f) / (1.0f + small);
}

[[gnu::always_inline]] inline float sum_of(Vec x) {
  return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

}  // namespace
}  // namespace selfmate
