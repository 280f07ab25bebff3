// The one place where code is chosen by processor. nets/kernels.cpp is compiled once for each kind
// of processor; each compilation yields one table of its kernels.
//
// Kernels work on one thread and on plain pointers. The caller owns the memory, checks the
// shapes and divides the work among threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "nets/layers.h"

namespace selfmate {

struct Kernels {
  const char* name;
  int lanes;  // of a vector: the width of an SE-ResNet or a transformer is a multiple of it

  // SE-ResNet, inference (nets/se_resnet_forward.h). Of at most boards_per_group(filters) boards:
  // values [boards, outputs] and logits [boards, 4672] of planes [boards, 96, 64].
  void (*evaluate)(const SeResNetLayers&, const float* planes, int boards, const SeResNetScratch&,
                   float* values, float* logits);
  // Filters to the panels of a Convolution, for inference.
  void (*pack_inference_filters)(const Filters&, float* panels);

  // Transformer, inference (nets/transformer_forward.h): logits [1968] of tokens [78], each below
  // 16.
  void (*policy_logits)(const TransformerLayers&, const std::uint8_t* tokens,
                        const TransformerScratch&, float* logits);

  // Convolutions in training (nets/winograd.h). Boards are [count, 64, channels], tiles
  // [36, 4 * count, padded_to_panels(channels)] with `stride` from point to point.
  void (*pack_filters)(const Filters&, float* panels);
  void (*convolve)(const Convolution&, const float* boards, int count, int outputs,
                   const ConvolutionScratch&, float* out);
  void (*transform_inputs)(const float* boards, int count, int channels, float* board_scratch,
                           float* tiles, std::ptrdiff_t stride);
  void (*transform_output_gradients)(const float* boards, int count, int channels,
                                     float* board_scratch, float* tiles, std::ptrdiff_t stride);
  void (*add_filter_gradient)(const float* inputs, int input_count, const float* gradients,
                              int outputs, int tiles, float* sums);
  void (*restore_filters)(const float* sums, int outputs, int inputs, float* out);

  // Transformer attention in training (nets/attention.h), one sequence at a time.
  void (*attend)(const TokenAttention&, const float* qkv, const AttentionScratch&, float* attended);
  void (*attend_backward)(const TokenAttention&, const float* qkv, const float* attended_gradient,
                          const AttentionScratch&, float* qkv_gradient);

  // Rows of sparse products (nets/matmul.h).
  void (*add_scaled)(float factor, const float* row, std::int64_t width, float* out);
  void (*sum_rows)(const std::int32_t* rows, const float* factors, std::int64_t count,
                   const float* matrix, std::int64_t width, float* out);
  float (*dot)(const float* left, const float* right, std::int64_t width);

  // A dense layer (nets/matmul.h): out [rows, outputs] of in [rows, inputs].
  void (*apply_dense)(const Linear&, int rows, const float* in, bool rectified, float* out);
  // The same, faster where about half of the inputs are 0; of at most kMaxActive.
  void (*apply_active)(const Linear&, int rows, const float* in, bool rectified, float* out);
  // out [width] = max(0, start [width] + the sum of some rows of the matrix [.., width]).
  void (*rectified_sum)(const float* start, const std::int32_t* rows, std::int64_t count,
                        const float* matrix, std::int64_t width, float* out);

  // Dense layers in training (nets/dense_gradients.h). Widths are multiples of kGrain.
  void (*keep_active)(const float* outputs, std::int64_t count, float* gradient);
  void (*add_weight_gradient)(int rows, int outputs, int inputs, const float* out_gradient,
                              const float* in, float* scratch, float* gradient);

  // Layers in whole numbers (nets/integer_layers.h): the same bits on every processor.
  void (*accumulate)(const std::int16_t* start, const std::int32_t* rows, int count,
                     const std::int16_t* matrix, int width, std::int16_t* out);
  void (*clip_and_square)(const std::int16_t* in, int width, std::int16_t* out);
  void (*apply_integers)(const IntegerLinear&, const std::int16_t* in, std::int32_t* out);
  void (*products_of_three)(const std::int16_t* vector, const std::int16_t* matrix, int width,
                            const std::int32_t* rows, int count, std::int32_t* out);

  // e^x of `count` numbers up to 88.
  void (*exponentials)(const float* in, std::int64_t count, float* out);
};

// What this processor can run, the fastest first: some of "avx512", "avx2" and "portable", which
// is always the last. The environment variable SELFMATE_KERNELS names the fastest that is wanted;
// BadInput if there are none of that name.
std::span<const Kernels* const> available_kernels();
// For any processor.
const Kernels& portable_kernels();
// The fastest that this processor can run.
const Kernels& best_kernels();
// The fastest for a net of this width. With a name, none that is faster than these; BadInput if
// this processor cannot run them.
const Kernels& kernels_for(int width, std::string_view name = "");
// Whether these are other than the portable ones.
bool has_fast_kernels();

}  // namespace selfmate
