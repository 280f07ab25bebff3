#include "nets/dispatch.h"

namespace selfmate {

namespace portable {
extern const Kernels kKernels;
}
#if SELFMATE_WITH_AVX2  // set by the build where kernels.cpp is compiled for it, too
namespace avx2 {
extern const Kernels kKernels;
}
#endif

const Kernels& portable_kernels() {
  return portable::kKernels;
}

const Kernels& best_kernels() {
#if SELFMATE_WITH_AVX2
  static const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (has_avx2) return avx2::kKernels;
#endif
  return portable::kKernels;
}

bool has_fast_kernels() {
  return &best_kernels() != &portable_kernels();
}

}  // namespace selfmate
