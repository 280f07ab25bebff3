#include "nets/winograd.h"

#include <algorithm>
#include <cstring>

#include "chess/parallel.h"
#include "nets/wide.h"

SELFMATE_WIDE_BEGIN
#include "nets/vectors.h"
#include "nets/winograd_tiles.h"

namespace selfmate {
namespace {

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

void spread_inputs(const float* boards, std::int64_t count, std::int64_t channels, float* out,
                   std::int64_t width, std::int64_t stride) {
  for (std::int64_t i = 0; i < count; ++i)
    spread_board<OfInputs>(boards + i * 64 * channels, channels, out + i * kTiles * width, width,
                           stride);
}

void spread_gradients(const float* boards, std::int64_t count, std::int64_t channels, float* out,
                      std::int64_t width, std::int64_t stride) {
  for (std::int64_t i = 0; i < count; ++i)
    spread_board<OfGradients>(boards + i * 64 * channels, channels, out + i * kTiles * width, width,
                              stride);
}

void gather_outputs(const float* sums, std::int64_t width, std::int64_t stride, float* boards,
                    std::int64_t count, std::int64_t channels) {
  for (std::int64_t i = 0; i < count; ++i)
    gather_board(sums + i * kTiles * width, width, stride, boards + i * 64 * channels, channels);
}

// sums [tiles, width] = inputs [tiles, depth] x weights [width / 16, depth, 16]
void multiply_weights(const float* inputs, std::int64_t tiles, std::int64_t depth,
                      const float* weights, std::int64_t width, float* sums) {
  multiply_panels<false>(inputs, tiles, depth, weights, width, sums);
}

// sums [depth, width] += inputs [tiles, depth] transposed x gradients [tiles, width]
void add_products(const float* inputs, std::int64_t depth, const float* gradients,
                  std::int64_t width, std::int64_t tiles, float* sums) {
  for (std::int64_t panel = 0; panel < width; panel += kPanel)
    multiply<true>({inputs, 1, depth}, depth, gradients + panel, width, tiles, sums + panel, width);
}

// Those of up to eight outputs and one input; from place to place it is `stride`.
void spread_weights(const Kernels& kernels, std::int64_t output, std::int64_t input, float* out,
                    std::int64_t stride) {
  Vec weights[9] = {}, ranks[3 * 6], done[kPlaces];
  const std::int64_t lanes = std::min<std::int64_t>(kernels.outputs - output, kLanes);
  for (int lane = 0; lane < lanes; ++lane)
    for (int i = 0; i < 9; ++i) weights[i][lane] = kernels.at(output + lane, input, i);
  for (int x = 0; x < 3; ++x) of_weights({weights + x, 3}, {ranks + x, 3});
  for (int y = 0; y < 6; ++y) of_weights({ranks + 3 * y, 1}, {done + 6 * y, 1});
  for (int place = 0; place < kPlaces; ++place) store(out + place * stride, done[place]);
}

// Back to `lanes` kernels of one input, `step` apart.
void gather_weights(const float* sums, std::int64_t stride, float* out, std::int64_t step,
                    std::int64_t lanes) {
  Vec places[kPlaces], ranks[3 * 6], done[9];
  for (int place = 0; place < kPlaces; ++place) places[place] = load(sums + place * stride);
  for (int x = 0; x < 6; ++x) to_weights({places + x, 6}, {ranks + x, 6});
  for (int y = 0; y < 3; ++y) to_weights({ranks + 6 * y, 1}, {done + 3 * y, 1});
  for (std::int64_t lane = 0; lane < lanes; ++lane)
    for (int i = 0; i < 9; ++i) out[lane * step + i] = done[i][lane];
}

}  // namespace
}  // namespace selfmate
SELFMATE_WIDE_END

namespace selfmate {
namespace {

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
