#define SELFMATE_SIMD portable
#include "nets/forward.h"
#include "nets/tower.h"

namespace selfmate {

void forward_portable(const Layers& net, const float* planes, int boards, const Room& room,
                      float* values, float* logits) {
  portable::run(net, planes, boards, room, values, logits);
}

Forward best_forward() {
#if defined(__x86_64__)
  if (forward_avx2() && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return forward_avx2();
#endif
  return forward_portable;
}

}  // namespace selfmate
