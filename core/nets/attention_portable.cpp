#define SELFMATE_SIMD portable
#include "nets/token_kernels.h"

namespace selfmate {

AttentionKernels attention_portable() {
  return {portable::attend_sentence, portable::attend_sentence_back};
}

AttentionKernels best_attention() {
#if defined(__x86_64__)
  if (attention_avx2().forward && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return attention_avx2();
#endif
  return attention_portable();
}

}  // namespace selfmate
