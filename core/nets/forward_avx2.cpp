// Compiled with -mavx2 -mfma where there is such a thing. Nothing of the standard library's
// templates may be used in what is included here: the linker could take their AVX2 code for all.
#define SELFMATE_SIMD avx2
#include "nets/forward.h"
#include "nets/tower.h"

namespace selfmate {

Forward forward_avx2() {
  return SELFMATE_AVX2 ? Forward(avx2::run) : nullptr;
}

}  // namespace selfmate
