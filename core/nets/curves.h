// Exponential and GELU of vectors, to a few units in the last place.
#pragma once

#include "nets/simd.h"

namespace selfmate::SELFMATE_SIMD {

// A polynomial, its highest coefficient first.
template <int N>
SELFMATE_INLINE Vec polynomial(Vec x, const float (&coefficients)[N]) {
  Vec sum = all(coefficients[0]);
  for (int i = 1; i < N; ++i) sum = fused(sum, x, all(coefficients[i]));
  return sum;
}

// For arguments up to 88; below -87 it stays at e^-87.
SELFMATE_INLINE Vec exponential(Vec x) {
  constexpr float kTaylor[] = {1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f, 1.0f, 1.0f};
  constexpr float kLog2High = 0.693359375f, kLog2Low = -2.12194440e-4f;
  constexpr float kRounder = 12582912.0f;  // 1.5 * 2^23: adding it leaves no fraction
  const Vec clipped = most(x, all(-87.0f));
  const Vec shifted = fused(clipped, all(1.44269504f), all(kRounder));
  const Vec whole = shifted - all(kRounder);
  const Vec rest = fused_minus(whole, all(kLog2Low), fused_minus(whole, all(kLog2High), clipped));
  IntVec exponent;
  std::memcpy(&exponent, &shifted, sizeof exponent);
  exponent = (exponent << 23) + 0x3f800000;  // the rounder's own bits fall off
  Vec power;
  std::memcpy(&power, &exponent, sizeof power);
  return polynomial(rest, kTaylor) * power;
}

// x / 2 * (1 + erf(x / sqrt 2)). The quotient of polynomials of x^2 was fitted to erf(x / sqrt 2) /
// x up to 5.5, from where on erf is 1; it is 3e-7 off at most.
SELFMATE_INLINE Vec gelu(Vec x) {
  constexpr float kTop[] = {4.54987127e-08f, 1.2704251e-05f, 0.000337653004f,
                            0.00935453144f,  0.0677054507f,  0.797884469f};
  constexpr float kBottom[] = {1.19750424e-06f, 7.36477777e-05f, 0.00188444952f,
                               0.0286459173f,   0.251522117f,    1.0f};
  const Vec above = most(x, all(-5.5f));  // below it is next to nothing
  const Vec clipped = least(above, all(5.5f));
  const Vec square = clipped * clipped;
  const Vec erf = clipped * polynomial(square, kTop) / polynomial(square, kBottom);
  const Vec half = above * all(0.5f);
  return fused(half, erf, half);
}

SELFMATE_INLINE Vec sigmoid(Vec x) {
  const Vec one = all(1.0f);
  return one / (one + exponential(least(-x, all(87.0f))));
}

}  // namespace selfmate::SELFMATE_SIMD
