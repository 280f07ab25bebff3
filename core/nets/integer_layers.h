// Layers in whole numbers: sums that do not round, so every processor computes the same bits.
// Widths are multiples of kIntegerGrain. Sums that overflow wrap; the nets' weights are bounded so
// that none does.
#pragma once

#include "nets/simd.h"

#if defined(__SSE2__)
#include <emmintrin.h>  // all of x86-64 has it: the portable kernels, too
#endif

namespace selfmate::SELFMATE_SIMD {

constexpr int kShorts = 2 * kLanes;
constexpr int kSumsAtOnce = 8;   // vectors of an accumulator that stay in registers
constexpr int kPairsAtOnce = 6;  // vectors of outputs
static_assert(kIntegerGrain % kShorts == 0 && kIntegerGrain % kLanes == 0);

typedef std::int16_t ShortVec __attribute__((vector_size(2 * kShorts)));
typedef std::uint16_t UnsignedVec __attribute__((vector_size(2 * kShorts)));

template <class V, class T>
SELFMATE_INLINE V load_integers(const T* from) {
  V to;
  std::memcpy(&to, from, sizeof to);
  return to;
}

template <class V, class T>
SELFMATE_INLINE void store_integers(T* to, V from) {
  std::memcpy(to, &from, sizeof from);
}

// In each lane of 32 bits a0 * b0 + a1 * b1, of the two halves of the lane.
SELFMATE_INLINE IntVec pair_products(ShortVec a, ShortVec b) {
#if SELFMATE_AVX512
  return IntVec(_mm512_madd_epi16(__m512i(a), __m512i(b)));
#elif SELFMATE_AVX2
  return IntVec(_mm256_madd_epi16(__m256i(a), __m256i(b)));
#elif defined(__SSE2__)
  return IntVec(_mm_madd_epi16(__m128i(a), __m128i(b)));
#else
  const IntVec left = IntVec(a), right = IntVec(b);
  return (left << 16 >> 16) * (right << 16 >> 16) + (left >> 16) * (right >> 16);
#endif
}

SELFMATE_INLINE std::int32_t sum_of_lanes(IntVec lanes) {
#if SELFMATE_AVX2
  __m256i parts[sizeof lanes / 32];
  std::memcpy(parts, &lanes, sizeof lanes);
  const __m256i all =
      SELFMATE_AVX512 ? _mm256_add_epi32(parts[0], parts[kLanes / 8 - 1]) : parts[0];
  __m128i half = _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
  half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0x4E));
  half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0xB1));
  return _mm_cvtsi128_si32(half);
#else
  std::int32_t sum = 0;
  for (int lane = 0; lane < kLanes; ++lane) sum += lanes[lane];
  return sum;
#endif
}

template <int Vectors>
SELFMATE_INLINE void add_columns(const std::int16_t* start, const std::int32_t* rows, int count,
                                 const std::int16_t* matrix, int width, std::int16_t* out) {
  ShortVec sums[Vectors];
  for (int v = 0; v < Vectors; ++v) sums[v] = load_integers<ShortVec>(start + v * kShorts);
  for (int i = 0; i < count; ++i) {
    const std::int16_t* row = matrix + std::ptrdiff_t(rows[i]) * width;
    for (int v = 0; v < Vectors; ++v) sums[v] += load_integers<ShortVec>(row + v * kShorts);
  }
  for (int v = 0; v < Vectors; ++v) store_integers(out + v * kShorts, sums[v]);
}

// out [width] = start [width] + the sum of some rows of the matrix [.., width].
inline void accumulate(const std::int16_t* start, const std::int32_t* rows, int count,
                       const std::int16_t* matrix, int width, std::int16_t* out) {
  constexpr int kStep = kSumsAtOnce * kShorts;
  int at = 0;
  for (; at + kStep <= width; at += kStep)
    add_columns<kSumsAtOnce>(start + at, rows, count, matrix + at, width, out + at);
  for (; at < width; at += kShorts)
    add_columns<1>(start + at, rows, count, matrix + at, width, out + at);
}

// out = (in, clipped to 0..255) squared / 256, rounded.
inline void clip_and_square(const std::int16_t* in, int width, std::int16_t* out) {
  const ShortVec zero{}, most = zero + std::int16_t(255);
  for (int at = 0; at < width; at += kShorts) {
    const ShortVec x = load_integers<ShortVec>(in + at);
    const UnsignedVec clipped = UnsignedVec(minimum(maximum(x, zero), most));
    store_integers(out + at, (clipped * clipped + std::uint16_t(128)) >> 8);
  }
}

// Inputs two by two, as pair_products takes them, without those that are zero: between a third and
// most of them are.
struct NonzeroPairs {
  NonzeroPairs(const std::int16_t* in, int inputs) {
    for (int pair = 0; pair < inputs / 2; ++pair) {
      std::memcpy(&values[count], in + 2 * pair, sizeof values[count]);
      numbers[count] = pair;
      count += values[count] != 0;  // no branch to mispredict
    }
  }

  int count = 0;
  std::int32_t numbers[kMaxIntegerInputs / 2 + 1], values[kMaxIntegerInputs / 2 + 1];
};

template <int Vectors>
SELFMATE_INLINE void apply_columns(const IntegerLinear& layer, int first, const NonzeroPairs& in,
                                   std::int32_t* out) {
  IntVec sums[Vectors];
  for (int v = 0; v < Vectors; ++v)
    sums[v] = load_integers<IntVec>(layer.bias + first + v * kLanes);
  for (int i = 0; i < in.count; ++i) {
    const ShortVec both = ShortVec(IntVec{} + in.values[i]);
    const std::int16_t* weights =
        layer.pairs + 2 * (std::ptrdiff_t(in.numbers[i]) * layer.outputs + first);
    for (int v = 0; v < Vectors; ++v)
      sums[v] += pair_products(both, load_integers<ShortVec>(weights + v * kShorts));
  }
  for (int v = 0; v < Vectors; ++v) store_integers(out + first + v * kLanes, sums[v]);
}

// out [outputs] = bias + in [inputs] x matrix.
inline void apply_integers(const IntegerLinear& layer, const std::int16_t* in, std::int32_t* out) {
  const NonzeroPairs pairs(in, layer.inputs);
  constexpr int kStep = kPairsAtOnce * kLanes;
  int first = 0;
  for (; first + kStep <= layer.outputs; first += kStep)
    apply_columns<kPairsAtOnce>(layer, first, pairs, out);
  for (; first + 2 * kLanes <= layer.outputs; first += 2 * kLanes)
    apply_columns<2>(layer, first, pairs, out);
  for (; first < layer.outputs; first += kLanes) apply_columns<1>(layer, first, pairs, out);
}

// out [count]: the product of a vector [width] with the sum of three rows of the matrix [..,
// width].
inline void products_of_three(const std::int16_t* vector, const std::int16_t* matrix, int width,
                              const std::int32_t* rows, int count, std::int32_t* out) {
  for (int i = 0; i < count; ++i, rows += 3) {
    const std::int16_t* a = matrix + std::ptrdiff_t(rows[0]) * width;
    const std::int16_t* b = matrix + std::ptrdiff_t(rows[1]) * width;
    const std::int16_t* c = matrix + std::ptrdiff_t(rows[2]) * width;
    IntVec sum{};
    for (int at = 0; at < width; at += kShorts)
      sum += pair_products(load_integers<ShortVec>(vector + at),
                           load_integers<ShortVec>(a + at) + load_integers<ShortVec>(b + at) +
                               load_integers<ShortVec>(c + at));
    out[i] = sum_of_lanes(sum);
  }
}

}  // namespace selfmate::SELFMATE_SIMD
