// Activation functions of vectors, to a few units in the last place.
#pragma once

#include "nets/simd.h"

namespace selfmate::SELFMATE_SIMD {

// A polynomial by Horner's rule; the highest coefficient comes first.
template <int N>
SELFMATE_INLINE Vec polynomial(Vec x, const float (&coefficients)[N]) {
  Vec sum = broadcast(coefficients[0]);
  for (int i = 1; i < N; ++i) sum = fma(sum, x, broadcast(coefficients[i]));
  return sum;
}

// e^x = 2^n * e^r with n whole and |r| <= ln(2) / 2, where Taylor's polynomial is exact enough. For
// arguments up to 88; below -87 the result stays at e^-87.
SELFMATE_INLINE Vec exponential(Vec x) {
  constexpr float kTaylor[] = {1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f, 1.0f, 1.0f};
  constexpr float kLog2High = 0.693359375f, kLog2Low = -2.12194440e-4f;
  constexpr float kRounder = 12582912.0f;  // 1.5 * 2^23: adding it leaves no fraction
  const Vec clipped = maximum(x, broadcast(-87.0f));
  const Vec shifted = fma(clipped, broadcast(1.44269504f), broadcast(kRounder));
  const Vec whole = shifted - broadcast(kRounder);
  const Vec rest = fnma(whole, broadcast(kLog2Low), fnma(whole, broadcast(kLog2High), clipped));
  IntVec exponent;
  std::memcpy(&exponent, &shifted, sizeof exponent);
  exponent = (exponent << 23) + 0x3f800000;  // the shift drops the bits of kRounder
  Vec power;
  std::memcpy(&power, &exponent, sizeof power);
  return polynomial(rest, kTaylor) * power;
}

// GELU(x) = x / 2 * (1 + erf(x / sqrt 2)) (Hendrycks and Gimpel 2016). The quotient of polynomials
// of x^2 is a fit of erf(x / sqrt 2) / x up to 5.5, from where on erf is 1; its error is at most
// 3e-7.
SELFMATE_INLINE Vec gelu(Vec x) {
  constexpr float kNumerator[] = {4.54987127e-08f, 1.2704251e-05f, 0.000337653004f,
                                  0.00935453144f,  0.0677054507f,  0.797884469f};
  constexpr float kDenominator[] = {1.19750424e-06f, 7.36477777e-05f, 0.00188444952f,
                                    0.0286459173f,   0.251522117f,    1.0f};
  const Vec above = maximum(x, broadcast(-5.5f));  // below, the result is next to nothing
  const Vec clipped = minimum(above, broadcast(5.5f));
  const Vec square = clipped * clipped;
  const Vec erf = clipped * polynomial(square, kNumerator) / polynomial(square, kDenominator);
  const Vec half = above * broadcast(0.5f);
  return fma(half, erf, half);
}

SELFMATE_INLINE Vec sigmoid(Vec x) {
  const Vec one = broadcast(1.0f);
  return one / (one + exponential(minimum(-x, broadcast(87.0f))));
}

}  // namespace selfmate::SELFMATE_SIMD
