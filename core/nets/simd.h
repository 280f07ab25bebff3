// The one vector layer: vectors of floats, as wide as the including file is compiled for.
//
// nets/kernels.cpp is the only source that includes this header and those built upon it. It is
// compiled once for each kind of processor, each time in a namespace of its own, SELFMATE_SIMD, so
// that the linker keeps the versions apart. For the same reason none of these headers may use
// templates of the standard library: the linker would keep one copy of them, maybe the AVX2 one,
// for all callers.
//
// Only GCC's and Clang's vector types are needed; intrinsics are used where AVX2 or AVX-512 is
// compiled for. The compiler must not fuse products and sums by itself (-ffp-contract=off). It
// would do so in one place and not in another, and the same row would get other results in other
// batches.
#pragma once

#include <cstdint>
#include <cstring>

#include "nets/layers.h"

#if defined(__AVX512F__)
#define SELFMATE_AVX512 1
#else
#define SELFMATE_AVX512 0
#endif
#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#define SELFMATE_AVX2 1
#else
#define SELFMATE_AVX2 0
#endif

#define SELFMATE_INLINE inline __attribute__((always_inline))

namespace selfmate::SELFMATE_SIMD {

constexpr int kLanes = SELFMATE_AVX512 ? 16 : SELFMATE_AVX2 ? 8 : 4;
constexpr int kNarrowLanes = kLanes < kGrain ? kLanes : kGrain;

typedef float Vec __attribute__((vector_size(4 * kLanes)));
typedef double DoubleVec __attribute__((vector_size(8 * kLanes)));
typedef std::int32_t IntVec __attribute__((vector_size(4 * kLanes)));
// For rows that are multiples of kGrain, but maybe not of kLanes.
typedef float NarrowVec __attribute__((vector_size(4 * kNarrowLanes)));

template <class V = Vec>
SELFMATE_INLINE V load(const float* from) {
  V to;
  std::memcpy(&to, from, sizeof to);
  return to;
}

template <class V>
SELFMATE_INLINE void store(float* to, V from) {
  std::memcpy(to, &from, sizeof from);
}

template <class V = Vec>
SELFMATE_INLINE V broadcast(float number) {
  return number - V{};
}

// a * b + c, rounded once where the processor can.
template <class V>
SELFMATE_INLINE V fma(V a, V b, V c) {
#if SELFMATE_AVX512
  if constexpr (sizeof(V) == 64) return _mm512_fmadd_ps(a, b, c);
#endif
#if SELFMATE_AVX2
  if constexpr (sizeof(V) == 32) return _mm256_fmadd_ps(a, b, c);
#endif
  return a * b + c;
}

// c - a * b, rounded once where the processor can.
template <class V>
SELFMATE_INLINE V fnma(V a, V b, V c) {
#if SELFMATE_AVX512
  if constexpr (sizeof(V) == 64) return _mm512_fnmadd_ps(a, b, c);
#endif
#if SELFMATE_AVX2
  if constexpr (sizeof(V) == 32) return _mm256_fnmadd_ps(a, b, c);
#endif
  return c - a * b;
}

template <class V>
SELFMATE_INLINE V maximum(V a, V b) {
  return a > b ? a : b;
}
template <class V>
SELFMATE_INLINE V minimum(V a, V b) {
  return a < b ? a : b;
}

// The sum of all lanes, by halves.
SELFMATE_INLINE float horizontal_sum(NarrowVec lanes) {
  float sums[kNarrowLanes];
  store(sums, lanes);
  for (int step = kNarrowLanes / 2; step > 0; step /= 2)
    for (int lane = 0; lane < step; ++lane) sums[lane] += sums[lane + step];
  return sums[0];
}

}  // namespace selfmate::SELFMATE_SIMD
