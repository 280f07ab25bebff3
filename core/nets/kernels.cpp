// The kernels of one kind of processor. The build compiles this file several times, each time with
// another SELFMATE_SIMD (the namespace) and with the compiler's options for that processor.
#include "nets/dense_gradients.h"
#include "nets/dispatch.h"
#include "nets/integer_layers.h"
#include "nets/se_resnet_forward.h"
#include "nets/transformer_forward.h"

#define SELFMATE_QUOTED(text) #text
#define SELFMATE_NAME_OF(macro) SELFMATE_QUOTED(macro)

namespace selfmate::SELFMATE_SIMD {

extern const Kernels kKernels;
constexpr Kernels kKernels{
    .name = SELFMATE_NAME_OF(SELFMATE_SIMD),
    .lanes = kLanes,
    .evaluate = evaluate,
    .pack_inference_filters = pack_filters<RootPoints>,
    .policy_logits = policy_logits,
    .pack_filters = pack_filters<IntegerPoints>,
    .convolve = convolve,
    .transform_inputs = transform_boards<IntegerPoints::Input>,
    .transform_output_gradients = transform_boards<IntegerPoints::OutputGradient>,
    .add_filter_gradient = add_filter_gradient,
    .restore_filters = restore_filters,
    .attend = attend_sequence,
    .attend_backward = attend_sequence_backward,
    .add_scaled = add_scaled,
    .sum_rows = sum_rows,
    .dot = dot,
    .apply_dense = apply_dense,
    .apply_active = apply_active,
    .rectified_sum = rectified_sum,
    .keep_active = keep_active,
    .add_weight_gradient = add_weight_gradient,
    .accumulate = accumulate,
    .clip_and_square = clip_and_square,
    .apply_integers = apply_integers,
    .products_of_three = products_of_three,
    .exponentials = exponentials,
};

}  // namespace selfmate::SELFMATE_SIMD
