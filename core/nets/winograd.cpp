#include "nets/winograd.h"

#include <algorithm>
#include <cstring>

#include "chess/parallel.h"
#include "nets/wide.h"

SELFMATE_WIDE_BEGIN
#include "nets/vectors.h"

namespace selfmate {
namespace {

constexpr int kPlaces = 36;  // of a transformed tile
constexpr int kTiles = 4;    // of a board
constexpr int kSide = 12;    // of a transformed board: two tiles of 6

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

// Lines of a board or tile: what is transformed lies `step` apart.
struct Line {
  Vec* at;
  int step;

  [[gnu::always_inline]] Vec& operator[](int i) const { return at[i * step]; }
  [[gnu::always_inline]] Line from(int i) const { return {at + i * step, step}; }
};

// The six inputs of a tile: one before its four, and one after; beyond the board's edge is zero.
struct OfInputs {
  [[gnu::always_inline]] static void tile(Line board, int tile, Line out) {
    const Line line = board.from(4 * tile);
    const Vec zero{};
    const Vec before = tile == 0 ? zero : line[-1], after = tile == 0 ? line[4] : zero;
    const Vec even = line[3] - 4.0f * line[1], odd = line[2] - 4.0f * line[0];
    const Vec even2 = line[3] - line[1], odd2 = 2.0f * (line[2] - line[0]);
    out[0] = 4.0f * before - 5.0f * line[1] + line[3];
    out[1] = even + odd;
    out[2] = even - odd;
    out[3] = even2 + odd2;
    out[4] = even2 - odd2;
    out[5] = 4.0f * line[0] - 5.0f * line[2] + after;
  }
};

// The gradients of a tile's four outputs: the transpose of to_outputs.
struct OfGradients {
  [[gnu::always_inline]] static void tile(Line board, int tile, Line out) {
    const Line line = board.from(4 * tile);
    const Vec even = line[0] + line[2], odd = line[1] + line[3];
    const Vec even2 = line[0] + 4.0f * line[2], odd2 = 2.0f * line[1] + 8.0f * line[3];
    out[0] = line[0];
    out[1] = even + odd;
    out[2] = even - odd;
    out[3] = even2 + odd2;
    out[4] = even2 - odd2;
    out[5] = line[3];
  }
};

[[gnu::always_inline]] inline void to_outputs(Line sums, Line out) {
  const Vec even = sums[1] + sums[2], odd = sums[1] - sums[2];
  const Vec even2 = sums[3] + sums[4], odd2 = sums[3] - sums[4];
  out[0] = sums[0] + even + even2;
  out[1] = odd + 2.0f * odd2;
  out[2] = even + 4.0f * even2;
  out[3] = odd + 8.0f * odd2 + sums[5];
}

[[gnu::always_inline]] inline void of_weights(Line weights, Line out) {
  const Vec ends = weights[0] + weights[2], ends2 = weights[0] / 24.0f + weights[2] / 6.0f;
  const Vec middle2 = weights[1] / 12.0f;
  out[0] = weights[0] / 4.0f;
  out[1] = (-ends - weights[1]) / 6.0f;
  out[2] = (-ends + weights[1]) / 6.0f;
  out[3] = ends2 + middle2;
  out[4] = ends2 - middle2;
  out[5] = weights[2];
}

// The transpose of of_weights.
[[gnu::always_inline]] inline void to_weights(Line sums, Line out) {
  const Vec even = (sums[1] + sums[2]) / 6.0f, even2 = (sums[3] + sums[4]) / 6.0f;
  out[0] = sums[0] / 4.0f - even + even2 / 4.0f;
  out[1] = (sums[2] - sums[1]) / 6.0f + (sums[3] - sums[4]) / 12.0f;
  out[2] = sums[5] - even + even2;
}

// A board of `channels` to [place, tile, width]; from place to place it is `stride`.
template <class Of>
[[gnu::always_inline]] inline void spread_board(const float* board, std::int64_t channels,
                                                float* out, std::int64_t width,
                                                std::int64_t stride) {
  for (std::int64_t c = 0; c < width; c += kLanes) {
    Vec ranks[8 * kSide], squares[8], column[kSide];
    for (int rank = 0; rank < 8; ++rank) {
      for (int file = 0; file < 8; ++file)
        squares[file] = load_some(board + (8 * rank + file) * channels + c,
                                  std::max<std::int64_t>(channels - c, 0));
      for (int tile = 0; tile < 2; ++tile)
        Of::tile({squares, 1}, tile, {ranks + kSide * rank + 6 * tile, 1});
    }
    for (int x = 0; x < kSide; ++x) {
      for (int tile = 0; tile < 2; ++tile)
        Of::tile({ranks + x, kSide}, tile, {column + 6 * tile, 1});
      for (int y = 0; y < kSide; ++y) {
        const int place = 6 * (y % 6) + x % 6, tile = 2 * (y / 6) + x / 6;
        store(out + place * stride + tile * width + c, column[y]);
      }
    }
  }
}

// Back from [place, tile, width] to a board of `channels`.
[[gnu::always_inline]] inline void gather_board(const float* sums, std::int64_t width,
                                                std::int64_t stride, float* board,
                                                std::int64_t channels) {
  for (std::int64_t c = 0; c < channels; c += kLanes)
    for (int tile = 0; tile < kTiles; ++tile) {
      Vec places[kPlaces], ranks[4 * 6], done[16];
      for (int place = 0; place < kPlaces; ++place)
        places[place] = load(sums + place * stride + tile * width + c);
      for (int x = 0; x < 6; ++x) to_outputs({places + x, 6}, {ranks + x, 6});
      for (int y = 0; y < 4; ++y) to_outputs({ranks + 6 * y, 1}, {done + 4 * y, 1});
      float* corner = board + (32 * (tile / 2) + 4 * (tile % 2)) * channels + c;
      for (int i = 0; i < 16; ++i)
        store_some(corner + (8 * (i / 4) + i % 4) * channels, done[i], channels - c);
    }
}

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
