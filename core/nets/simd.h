// The one vector layer: vectors of floats, as wide as the including file is compiled for.
//
// nets/kernels.cpp is the only source that includes this header and those built upon it. It is
// compiled once for each kind of processor, each time in a namespace of its own, SELFMATE_SIMD, so
// that the linker keeps the versions apart. For the same reason none of these headers may use
// templates of the standard library: the linker would keep one copy of them, maybe the AVX2 one,
// for all callers.
//
// Only GCC's and Clang's vector types are needed; intrinsics are used where AVX2 is compiled for.
// The compiler must not fuse products and sums by itself (-ffp-contract=off). It would do so in
// one place and not in another, and the same row would get other results in other batches.
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
typedef double DoubleVec __attribute__((vector_size(8 * kLanes)));
typedef std::int32_t IntVec __attribute__((vector_size(4 * kLanes)));

SELFMATE_INLINE Vec load(const float* from) {
  Vec to;
  std::memcpy(&to, from, sizeof to);
  return to;
}

SELFMATE_INLINE void store(float* to, Vec from) {
  std::memcpy(to, &from, sizeof from);
}

SELFMATE_INLINE Vec broadcast(float number) {
  return number - Vec{};
}

// a * b + c, rounded once where the processor can.
SELFMATE_INLINE Vec fma(Vec a, Vec b, Vec c) {
#if SELFMATE_AVX2
  return _mm256_fmadd_ps(a, b, c);
#else
  return a * b + c;
#endif
}

// c - a * b, rounded once where the processor can.
SELFMATE_INLINE Vec fnma(Vec a, Vec b, Vec c) {
#if SELFMATE_AVX2
  return _mm256_fnmadd_ps(a, b, c);
#else
  return c - a * b;
#endif
}

SELFMATE_INLINE Vec maximum(Vec a, Vec b) {
  return a > b ? a : b;
}
SELFMATE_INLINE Vec minimum(Vec a, Vec b) {
  return a < b ? a : b;
}

// The sum of all lanes, by halves.
SELFMATE_INLINE float horizontal_sum(Vec lanes) {
  float sums[kLanes];
  store(sums, lanes);
  for (int step = kLanes / 2; step > 0; step /= 2)
    for (int lane = 0; lane < step; ++lane) sums[lane] += sums[lane + step];
  return sums[0];
}

}  // namespace selfmate::SELFMATE_SIMD
