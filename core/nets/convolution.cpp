#include "nets/convolution.h"

#include <algorithm>

#include "chess/parallel.h"
#include "nets/aligned_floats.h"
#include "nets/dispatch.h"

namespace selfmate {
namespace {

constexpr std::int64_t kGradientBoards = 16;  // the tiles of one point fit the first-level cache

// Memory of this thread, kept from call to call: to get it anew costs as much as a small product.
// Buffers of other numbers do not overlap.
template <int Number>
float* scratch_buffer(std::int64_t size) {
  thread_local AlignedFloats buffer(0);
  thread_local std::int64_t capacity = 0;
  if (capacity < size) {
    buffer = AlignedFloats(std::size_t(size));
    capacity = size;
  }
  return buffer.get();
}

float* board_scratch(int channels) {
  return scratch_buffer<0>(std::int64_t(kSquares) * padded_to_panels(channels));
}

ConvolutionScratch scratch_of(int boards, int inputs, int outputs) {
  return {.board = board_scratch(inputs),
          .tiles = scratch_buffer<1>(kPoints * point_stride(boards, padded_to_panels(inputs))),
          .sums = scratch_buffer<2>(sums_size(boards)),
          .boards = scratch_buffer<3>(std::int64_t(boards) * kSquares * padded_to_panels(outputs))};
}

}  // namespace

std::int64_t packed_filters_size(std::int64_t outputs, std::int64_t inputs) {
  return kPoints * padded_to_panels(int(outputs)) * inputs;
}

std::vector<float> packed_filters(const Filters& filters) {
  std::vector<float> panels(std::size_t(packed_filters_size(filters.outputs, filters.inputs)));
  best_kernels().pack_filters(filters, panels.data());
  return panels;
}

void convolve(const float* boards, std::int64_t count, std::int64_t inputs,
              const float* packed_filters, std::int64_t outputs, float* out, int threads) {
  const Kernels& kernels = best_kernels();
  const Convolution layer{int(inputs), padded_to_panels(int(outputs)), packed_filters};
  const int group = boards_per_group(layer.outputs);
  parallel_for(count, threads, 1, [&](std::int64_t begin, std::int64_t end) {
    const ConvolutionScratch scratch = scratch_of(group, layer.inputs, int(outputs));
    for (std::int64_t at = begin; at < end; at += group)
      kernels.convolve(layer, boards + at * kSquares * inputs,
                       int(std::min<std::int64_t>(group, end - at)), int(outputs), scratch,
                       out + at * kSquares * outputs);
  });
}

void filter_gradient(const float* boards, std::int64_t count, std::int64_t inputs,
                     const float* gradients, std::int64_t outputs, float* out, int threads) {
  const Kernels& kernels = best_kernels();
  const int depth = padded_to_panels(int(inputs)), width = padded_to_panels(int(outputs));
  float* tiles = scratch_buffer<1>(kPoints * point_stride(kGradientBoards, depth));
  float* gradient_tiles = scratch_buffer<2>(kPoints * point_stride(kGradientBoards, width));
  float* sums = scratch_buffer<3>(kPoints * inputs * width);
  std::fill_n(sums, kPoints * inputs * width, 0.0f);
  for (std::int64_t at = 0; at < count; at += kGradientBoards) {
    const int some = int(std::min(kGradientBoards, count - at));
    const std::ptrdiff_t stride = point_stride(some, depth);
    const std::ptrdiff_t gradient_stride = point_stride(some, width);
    parallel_for(some, threads, 1, [&](std::int64_t begin, std::int64_t end) {
      kernels.transform_inputs(boards + (at + begin) * kSquares * inputs, int(end - begin),
                               int(inputs), board_scratch(depth), tiles + begin * kTiles * depth,
                               stride);
      kernels.transform_output_gradients(gradients + (at + begin) * kSquares * outputs,
                                         int(end - begin), int(outputs), board_scratch(width),
                                         gradient_tiles + begin * kTiles * width, gradient_stride);
    });
    parallel_for(kPoints, threads, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t point = begin; point < end; ++point)
        kernels.add_filter_gradient(tiles + point * stride, int(inputs),
                                    gradient_tiles + point * gradient_stride, int(outputs),
                                    some * kTiles, sums + point * inputs * width);
    });
  }
  kernels.restore_filters(sums, int(outputs), int(inputs), out);
}

}  // namespace selfmate
