// Code that is compiled for AVX2, whatever the rest is compiled for. Who calls it asks first.
#pragma once

namespace selfmate {

constexpr int kLanes = 8;           // of a vector of floats
constexpr int kPanel = 2 * kLanes;  // outputs of a product that are summed at once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define SELFMATE_WIDE_BEGIN _Pragma("GCC push_options") _Pragma("GCC target(\"avx2,fma\")")
#define SELFMATE_WIDE_END _Pragma("GCC pop_options")
inline bool processor_is_wide() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#else
#define SELFMATE_WIDE_BEGIN
#define SELFMATE_WIDE_END
// Vectors in pieces are slower than torch, so there nothing of this is called.
inline bool processor_is_wide() {
#if defined(__AVX2__) && defined(__FMA__)
  return true;
#else
  return false;
#endif
}
#endif

}  // namespace selfmate
