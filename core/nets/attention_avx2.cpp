// Compiled with -mavx2 -mfma where there is such a thing. Nothing of the standard library's
// templates may be used in what is included here: the linker could take their AVX2 code for all.
#define SELFMATE_SIMD avx2
#include "nets/token_kernels.h"

namespace selfmate {

AttentionKernels attention_avx2() {
  if (!SELFMATE_AVX2) return {nullptr, nullptr};
  return {avx2::attend_sentence, avx2::attend_sentence_back};
}

}  // namespace selfmate
