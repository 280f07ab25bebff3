#include "nets/winograd.h"

#include <algorithm>
#include <cstring>

#include "chess/parallel.h"

namespace selfmate {
namespace {

using Vec __attribute__((vector_size(32))) = float;
constexpr int kLanes = 8;
constexpr int kPanel = 2 * kLanes;  // outputs of a product that are summed at once
constexpr int kPlaces = 36;         // of a transformed tile
constexpr int kTiles = 4;           // of a board
constexpr int kSide = 12;           // of a transformed board: two tiles of 6

constexpr std::int64_t kBoards = 8;           // whose tiles fit the second cache, by 64 channels
constexpr std::int64_t kGradientBoards = 16;  // one place of theirs fits the first

// Weights [outputs, inputs, 3, 3], or those of the way back.
struct Kernels {
  const float* weights;
  std::int64_t outputs, inputs;
  bool back;

  float at(std::int64_t output, std::int64_t input, int i) const {
    return back ? weights[9 * (input * outputs + output) + 8 - i]
                : weights[9 * (output * inputs + input) + i];
  }
};

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define SELFMATE_AVX2
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
#include "nets/winograd_kernels.inc"
#ifdef SELFMATE_AVX2
#pragma GCC pop_options
#endif

std::int64_t rounded_up(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}

std::int64_t depth_of(std::int64_t inputs) {
  return rounded_up(inputs, kLanes);
}
std::int64_t width_of(std::int64_t outputs) {
  return rounded_up(outputs, kPanel);
}

// Kept from call to call: fresh memory of this size costs as much as a small product.
float* scratch(int which, std::int64_t size) {
  thread_local std::vector<float> kept[3];
  std::vector<float>& buffer = kept[which];
  if (std::int64_t(buffer.size()) < size) buffer.resize(std::size_t(size));
  return buffer.data();
}

std::vector<float> transformed(const Kernels& kernels) {
  const std::int64_t depth = depth_of(kernels.inputs), width = width_of(kernels.outputs);
  std::vector<float> out(std::size_t(winograd_size(kernels.outputs, kernels.inputs)));
  for (std::int64_t output = 0; output < kernels.outputs; output += kLanes)
    for (std::int64_t input = 0; input < kernels.inputs; ++input) {
      const std::int64_t panel = output / kPanel * kPanel;
      spread_weights(kernels, output, input,
                     out.data() + panel * depth + input * kPanel + output - panel, depth * width);
    }
  return out;
}

}  // namespace

bool winograd_works() {
#ifdef SELFMATE_AVX2
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return true;
#endif
}

std::int64_t winograd_size(std::int64_t outputs, std::int64_t inputs) {
  return kPlaces * width_of(outputs) * depth_of(inputs);
}

std::vector<float> winograd_weights(const float* weights, std::int64_t outputs,
                                    std::int64_t inputs) {
  return transformed({weights, outputs, inputs, false});
}

std::vector<float> winograd_weights_back(const float* weights, std::int64_t outputs,
                                         std::int64_t inputs) {
  return transformed({weights, inputs, outputs, true});
}

void convolve(const float* boards, std::int64_t count, std::int64_t inputs,
              const float* transformed_weights, std::int64_t outputs, float* out, int threads) {
  const std::int64_t depth = depth_of(inputs), width = width_of(outputs);
  parallel_for(count, threads, 1, [&](std::int64_t begin, std::int64_t end) {
    float* spread = scratch(0, kPlaces * kTiles * kBoards * depth);
    float* sums = scratch(1, kPlaces * kTiles * kBoards * width);
    for (std::int64_t at = begin; at < end; at += kBoards) {
      const std::int64_t some = std::min(kBoards, end - at), tiles = kTiles * some;
      spread_inputs(boards + at * 64 * inputs, some, inputs, spread, depth, tiles * depth);
      for (int place = 0; place < kPlaces; ++place)
        multiply_weights(spread + place * tiles * depth, tiles, depth,
                         transformed_weights + place * depth * width, width,
                         sums + place * tiles * width);
      gather_outputs(sums, width, tiles * width, out + at * 64 * outputs, some, outputs);
    }
  });
}

void convolution_gradient(const float* boards, std::int64_t count, std::int64_t inputs,
                          const float* gradients, std::int64_t outputs, float* out, int threads) {
  const std::int64_t depth = depth_of(inputs), width = width_of(outputs);
  float* spread = scratch(0, kPlaces * kTiles * kGradientBoards * depth);
  float* spread_back = scratch(1, kPlaces * kTiles * kGradientBoards * width);
  float* sums = scratch(2, kPlaces * depth * width);
  std::fill_n(sums, kPlaces * depth * width, 0.0f);
  for (std::int64_t at = 0; at < count; at += kGradientBoards) {
    const std::int64_t some = std::min(kGradientBoards, count - at), tiles = kTiles * some;
    parallel_for(some, threads, 1, [&](std::int64_t begin, std::int64_t end) {
      spread_inputs(boards + (at + begin) * 64 * inputs, end - begin, inputs,
                    spread + begin * kTiles * depth, depth, tiles * depth);
      spread_gradients(gradients + (at + begin) * 64 * outputs, end - begin, outputs,
                       spread_back + begin * kTiles * width, width, tiles * width);
    });
    parallel_for(kPlaces, threads, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t place = begin; place < end; ++place)
        add_products(spread + place * tiles * depth, depth, spread_back + place * tiles * width,
                     width, tiles, sums + place * depth * width);
    });
  }
  for (std::int64_t input = 0; input < inputs; ++input)
    for (std::int64_t output = 0; output < outputs; output += kLanes)
      gather_weights(sums + input * width + output, depth * width,
                     out + 9 * (output * inputs + input), 9 * inputs,
                     std::min<std::int64_t>(kLanes, outputs - output));
}

}  // namespace selfmate
