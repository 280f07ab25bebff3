// Functions that libraries round differently, made of operations that all of them round alike: the
// results are the same bits in a browser and on any processor.
#pragma once

#include <cmath>
#include <cstdint>

namespace selfmate {

// ln(x) of a normal number: ln(2) times the exponent, and ln(m) = 2 artanh((m - 1) / (m + 1)) for
// the rest, between the roots of 1/2 and 2. The series ends beyond a float's last bit.
inline double natural_log(double x) {
  int exponent;
  double rest = std::frexp(x, &exponent);  // exact
  if (rest < 0.70710678118654752) {
    rest *= 2;
    --exponent;
  }
  const double s = (rest - 1) / (rest + 1), square = s * s;
  double sum = 0;
  for (int odd = 19; odd > 0; odd -= 2) sum = sum * square + 1.0 / odd;
  return exponent * 0.69314718055994531 + 2 * s * sum;
}

// base ^ exponent for whole exponents, by squaring.
inline double power(double base, std::int64_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent >>= 1, base *= base)
    if (exponent & 1) result *= base;
  return result;
}

}  // namespace selfmate
