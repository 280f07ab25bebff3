// The forward pass, from the same source for processors of several kinds.
#pragma once

#include "nets/layers.h"

namespace selfmate {

// Values [boards, outputs] and logits [boards, 4672] for planes [boards, 68, 64], of at most
// boards_at_once(filters) boards.
using Forward = void (*)(const Layers& net, const float* planes, int boards, const Room& room,
                         float* values, float* logits);

void forward_portable(const Layers&, const float*, int, const Room&, float*, float*);

// For processors with AVX2 and FMA; nullptr where the compiler knows of none.
Forward forward_avx2();

// The quickest this processor can run.
Forward best_forward();

}  // namespace selfmate
