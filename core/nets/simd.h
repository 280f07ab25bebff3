// Vectors of floats, as wide as the including file is compiled for. Headers that use them are
// compiled once for each kind of processor, in a namespace of its own: SELFMATE_SIMD.
//
// The compiler must not fuse products and sums by itself (-ffp-contract=off): it would do so here
// and not there, and the same row would get other answers in other batches.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#define SELFMATE_AVX2 1
#else
#define SELFMATE_AVX2 0
#endif

#define SELFMATE_INLINE inline __attribute__((always_inline))

namespace selfmate::SELFMATE_SIMD {

constexpr int kLanes = SELFMATE_AVX2 ? 8 : 4;

typedef float Vec __attribute__((vector_size(4 * kLanes)));
typedef std::int32_t IntVec __attribute__((vector_size(4 * kLanes)));

SELFMATE_INLINE Vec load(const float* from) {
  Vec to;
  std::memcpy(&to, from, sizeof to);
  return to;
}

SELFMATE_INLINE void store(float* to, Vec from) {
  std::memcpy(to, &from, sizeof from);
}

SELFMATE_INLINE Vec all(float number) {
  return number - Vec{};
}

// a * b + c
SELFMATE_INLINE Vec fused(Vec a, Vec b, Vec c) {
#if SELFMATE_AVX2
  return _mm256_fmadd_ps(a, b, c);
#else
  return a * b + c;
#endif
}

// c - a * b
SELFMATE_INLINE Vec fused_minus(Vec a, Vec b, Vec c) {
#if SELFMATE_AVX2
  return _mm256_fnmadd_ps(a, b, c);
#else
  return c - a * b;
#endif
}

SELFMATE_INLINE Vec most(Vec a, Vec b) {
  return a > b ? a : b;
}
SELFMATE_INLINE Vec least(Vec a, Vec b) {
  return a < b ? a : b;
}

SELFMATE_INLINE float sum_of(Vec lanes) {
  float sums[kLanes];
  store(sums, lanes);
  for (int step = kLanes / 2; step > 0; step /= 2)
    for (int lane = 0; lane < step; ++lane) sums[lane] += sums[lane + step];
  return sums[0];
}

}  // namespace selfmate::SELFMATE_SIMD
