// 3 x 3 convolutions over boards by Winograd's method F(4 x 4, 3 x 3) (Lavin and Gray 2015),
// forward and backward, for training and for inference.
//
// A board is four tiles of 4 x 4 squares. A tile with its border, d [6, 6], and a filter g [3, 3]
// are transformed to 6 x 6 numbers each; the 16 outputs are
//   Y = A' ((G g G') * (B' d B)) A        with * element by element, summed over input channels.
// That takes 36 products per pair of channels instead of 144. Summed over channels, each of the 36
// numbers is a product of matrices [tiles, inputs] x [inputs, outputs].
//
// The gradient of the inputs is a convolution with rotated filters. The gradient of the
// filters is the transpose of the above: G' ((A dY A') * (B' d B)) G, summed over all tiles.
//
// A, B and G follow from six points at which polynomials are evaluated: 0, +-p, +-q and infinity.
// There are two sets of them. Results of training depend on the one in every bit, and results of
// inference on the other, so each keeps its own.
#pragma once

#include "nets/matmul.h"

namespace selfmate::SELFMATE_SIMD {

// Inference: 0, +-1/sqrt 2, +-sqrt 2 and infinity. Rounding errors are 1.6 times those of the plain
// sum. The squares of p and q have the product 1, which saves multiplications.
struct RootPoints {
  static constexpr double kSmall = 0.70710678118654752, kLarge = 1.41421356237309505;
  static constexpr double kSmallSquare = 0.5, kLargeSquare = 2.0;

  // B' for one line of a tile.
  struct Input {
    static constexpr int kSize = 6, kBorder = 1;
    SELFMATE_INLINE static void line(const Vec (&in)[6], Vec (&out)[6]) {
      const Vec small = broadcast(kSmall), small_square = broadcast(kSmallSquare);
      const Vec large = broadcast(kLarge), large_square = broadcast(kLargeSquare);
      const Vec both_squares = broadcast(kSmallSquare + kLargeSquare);
      const Vec even_small = fnma(large_square, in[2], in[4]);
      const Vec odd_small = fnma(large_square, in[1], in[3]);
      const Vec even_large = fnma(small_square, in[2], in[4]);
      const Vec odd_large = fnma(small_square, in[1], in[3]);
      out[0] = fnma(both_squares, in[2], in[0] + in[4]);
      out[1] = fma(small, odd_small, even_small);
      out[2] = fnma(small, odd_small, even_small);
      out[3] = fma(large, odd_large, even_large);
      out[4] = fnma(large, odd_large, even_large);
      out[5] = fnma(both_squares, in[3], in[1] + in[5]);
    }
  };

  // A' for one line.
  struct Output {
    static constexpr bool kRowsFirst = true;
    SELFMATE_INLINE static void line(const Vec (&in)[6], Vec (&out)[4]) {
      const Vec small_square = broadcast(kSmallSquare), large_square = broadcast(kLargeSquare);
      const Vec even_small = in[1] + in[2], odd_small = broadcast(kSmall) * (in[1] - in[2]);
      const Vec even_large = in[3] + in[4], odd_large = broadcast(kLarge) * (in[3] - in[4]);
      out[0] = in[0] + (even_small + even_large);
      out[1] = odd_small + odd_large;
      out[2] = fma(small_square, even_small, large_square * even_large);
      out[3] = fma(small_square, odd_small, fma(large_square, odd_large, in[5]));
    }
  };

  // G for one line. Filters are transformed when a net is loaded: there is time for doubles.
  struct Filter {
    using Number = DoubleVec;
    SELFMATE_INLINE static void line(const Number (&in)[3], Number (&out)[6]) {
      const auto pair = [&](double point, double square, double other_square, int at) {
        const double divisor = 2 * square * (square - other_square);
        const Number even = in[0] + square * in[2], odd = point * in[1];
        out[at] = (even + odd) / divisor;
        out[at + 1] = (even - odd) / divisor;
      };
      out[0] = in[0];
      pair(kSmall, kSmallSquare, kLargeSquare, 1);
      pair(kLarge, kLargeSquare, kSmallSquare, 3);
      out[5] = in[2];
    }
  };
};

// Training: 0, +-1, +-2 and infinity, as in the paper. Rounding errors are 3.2 times those of the
// plain sum.
struct IntegerPoints {
  // B' for one line of a tile.
  struct Input {
    static constexpr int kSize = 6, kBorder = 1;
    SELFMATE_INLINE static void line(const Vec (&in)[6], Vec (&out)[6]) {
      const Vec even = in[4] - 4.0f * in[2], odd = in[3] - 4.0f * in[1];
      const Vec even2 = in[4] - in[2], odd2 = 2.0f * (in[3] - in[1]);
      out[0] = 4.0f * in[0] - 5.0f * in[2] + in[4];
      out[1] = even + odd;
      out[2] = even - odd;
      out[3] = even2 + odd2;
      out[4] = even2 - odd2;
      out[5] = 4.0f * in[1] - 5.0f * in[3] + in[5];
    }
  };

  // A' for one line.
  struct Output {
    static constexpr bool kRowsFirst = false;
    SELFMATE_INLINE static void line(const Vec (&in)[6], Vec (&out)[4]) {
      const Vec even = in[1] + in[2], odd = in[1] - in[2];
      const Vec even2 = in[3] + in[4], odd2 = in[3] - in[4];
      out[0] = in[0] + even + even2;
      out[1] = odd + 2.0f * odd2;
      out[2] = even + 4.0f * even2;
      out[3] = odd + 8.0f * odd2 + in[5];
    }
  };

  // A for one line of the gradient of a tile's outputs.
  struct OutputGradient {
    static constexpr int kSize = 4, kBorder = 0;
    SELFMATE_INLINE static void line(const Vec (&in)[4], Vec (&out)[6]) {
      const Vec even = in[0] + in[2], odd = in[1] + in[3];
      const Vec even2 = in[0] + 4.0f * in[2], odd2 = 2.0f * in[1] + 8.0f * in[3];
      out[0] = in[0];
      out[1] = even + odd;
      out[2] = even - odd;
      out[3] = even2 + odd2;
      out[4] = even2 - odd2;
      out[5] = in[3];
    }
  };

  // G for one line. Filters are transformed at each step of training.
  struct Filter {
    using Number = Vec;
    SELFMATE_INLINE static void line(const Vec (&in)[3], Vec (&out)[6]) {
      const Vec ends = in[0] + in[2], ends2 = in[0] / 24.0f + in[2] / 6.0f;
      const Vec middle2 = in[1] / 12.0f;
      out[0] = in[0] / 4.0f;
      out[1] = (-ends - in[1]) / 6.0f;
      out[2] = (-ends + in[1]) / 6.0f;
      out[3] = ends2 + middle2;
      out[4] = ends2 - middle2;
      out[5] = in[2];
    }
  };

  // G' for one line.
  struct FilterGradient {
    SELFMATE_INLINE static void line(const Vec (&in)[6], Vec (&out)[3]) {
      const Vec even = (in[1] + in[2]) / 6.0f, even2 = (in[3] + in[4]) / 6.0f;
      out[0] = in[0] / 4.0f - even + even2 / 4.0f;
      out[1] = (in[2] - in[1]) / 6.0f + (in[3] - in[4]) / 12.0f;
      out[2] = in[5] - even + even2;
    }
  };
};

// One vector of channels of one tile to its 36 points, `stride` apart; `board` is at those
// channels. The loops stay loops: unrolled, they compute more addresses than there are registers
// for.
template <class Transform, int Tile>
SELFMATE_INLINE void transform_tile(const float* board, std::ptrdiff_t width, float* out,
                                    std::ptrdiff_t stride) {
  constexpr int kSize = Transform::kSize;
  constexpr int kTop = Tile / 2 * 4 - Transform::kBorder, kLeft = Tile % 2 * 4 - Transform::kBorder;
  constexpr int kBegin = kTop < 0 ? 1 : 0, kEnd = kTop + kSize > 8 ? kSize - 1 : kSize;
  Vec rows[kSize][6];
  if constexpr (kEnd - kBegin < kSize)
    for (Vec& number : rows[kBegin ? 0 : kEnd]) number = Vec{};
#pragma GCC unroll 1
  for (int y = kBegin; y < kEnd; ++y) {
    const float* row = board + (kTop + y) * 8 * width;
    Vec line[kSize];
    for (int x = 0; x < kSize; ++x)
      line[x] = kLeft + x >= 0 && kLeft + x < 8 ? load(row + (kLeft + x) * width) : Vec{};
    Transform::line(line, rows[y]);
  }
#pragma GCC unroll 1
  for (int x = 0; x < 6; ++x) {
    Vec line[kSize], transformed[6];
    for (int y = 0; y < kSize; ++y) line[y] = rows[y][x];
    Transform::line(line, transformed);
    for (int y = 0; y < 6; ++y) store(out + (6 * y + x) * stride, transformed[y]);
  }
}

// The tiles of one board [64, width], which become four rows of each point's matrix.
template <class Transform>
void transform_board(const float* board, int width, float* out, std::ptrdiff_t stride) {
  for (int channel = 0; channel < width; channel += kLanes) {
    transform_tile<Transform, 0>(board + channel, width, out + channel, stride);
    transform_tile<Transform, 1>(board + channel, width, out + width + channel, stride);
    transform_tile<Transform, 2>(board + channel, width, out + 2 * width + channel, stride);
    transform_tile<Transform, 3>(board + channel, width, out + 3 * width + channel, stride);
  }
}

// The 16 squares of a tile from its 36 points: rows first and then columns, or the other way round.
template <class Transform>
SELFMATE_INLINE void restore_tile(const float* sums, std::ptrdiff_t stride, float* corner,
                                  std::ptrdiff_t width) {
  constexpr int kOuter = Transform::kRowsFirst ? 6 : 1, kInner = Transform::kRowsFirst ? 1 : 6;
  constexpr int kOuterSquare = Transform::kRowsFirst ? 8 : 1;
  constexpr int kInnerSquare = Transform::kRowsFirst ? 1 : 8;
  Vec lines[6][4];
#pragma GCC unroll 1
  for (int i = 0; i < 6; ++i) {
    Vec line[6];
    for (int j = 0; j < 6; ++j) line[j] = load(sums + (kOuter * i + kInner * j) * stride);
    Transform::line(line, lines[i]);
  }
#pragma GCC unroll 1
  for (int j = 0; j < 4; ++j) {
    Vec line[6], restored[4];
    for (int i = 0; i < 6; ++i) line[i] = lines[i][j];
    Transform::line(line, restored);
    for (int i = 0; i < 4; ++i)
      store(corner + (kOuterSquare * i + kInnerSquare * j) * width, restored[i]);
  }
}

// Some columns of boards [N, 64, outputs], from their sums at the 36 points: [tile, stride].
template <class Transform>
SELFMATE_INLINE void restore_columns(const float* sums, std::ptrdiff_t point, int stride, int rows,
                                     int columns, float* out, std::ptrdiff_t outputs) {
  for (int tile = 0; tile < rows; ++tile)
    for (int lane = 0; lane < columns; lane += kLanes) {
      const int square = tile / 2 % 2 * 32 + tile % 2 * 4;
      float* corner = out + (std::ptrdiff_t(tile / kTiles) * kSquares + square) * outputs;
      restore_tile<Transform>(sums + std::ptrdiff_t(tile) * stride + lane, point, corner + lane,
                              outputs);
    }
}

// Boards [N, 64, outputs] from the transformed tiles of the inputs [36, 4 N, width]. The outputs
// are a multiple of kLanes.
template <class Points>
void convolve_tiles(const Convolution& layer, int boards, const float* tiles, int width,
                    float* sums, float* out) {
  constexpr int kStride = kMaxPanels * kPanel;
  const int rows = boards * kTiles, end = padded_to_panels(layer.outputs);
  const std::ptrdiff_t sums_point = point_stride(boards, kStride);
  const std::ptrdiff_t panel_point = std::ptrdiff_t(layer.inputs) * kPanel;
  for (int column = 0, done = 0; column < end; column += done) {
    const float* panels = layer.panels + column / kPanel * kPoints * panel_point;
    for (int point = 0; point < kPoints; ++point)
      done = multiply_columns(end - column, rows, layer.inputs,
                              {tiles + point * point_stride(boards, width), width},
                              {panels + point * panel_point, kPanel, kPoints * panel_point},
                              FromZero{}, {sums + point * sums_point, kStride});
    const int rest = layer.outputs - column, columns = rest < done ? rest : done;
    restore_columns<typename Points::Output>(sums, sums_point, kStride, rows, columns, out + column,
                                             layer.outputs);
  }
}

// Filters to the panels of a Convolution, kLanes outputs at a time.
template <class Points>
void pack_filters(const Filters& filters, float* panels) {
  using Filter = typename Points::Filter;
  using Number = typename Filter::Number;
  const int width = padded_to_panels(filters.outputs);
  for (int output = 0; output < width; output += kLanes) {
    const int panel = output / kPanel * kPanel;
    float* at = panels + std::ptrdiff_t(panel) * filters.inputs * kPoints + output - panel;
    const int rest = filters.outputs - output, lanes = rest < kLanes ? rest : kLanes;
    for (int input = 0; input < filters.inputs; ++input, at += kPanel) {
      Number taps[3][3] = {}, lines[3][6];  // by column of the filter
      for (int lane = 0; lane < lanes; ++lane)
        for (int i = 0; i < 9; ++i) taps[i % 3][i / 3][lane] = filters.at(output + lane, input, i);
      for (int x = 0; x < 3; ++x) Filter::line(taps[x], lines[x]);
      for (int y = 0; y < 6; ++y) {
        const Number line[3] = {lines[0][y], lines[1][y], lines[2][y]};
        Number points[6];
        Filter::line(line, points);
        for (int x = 0; x < 6; ++x)
          store(at + std::ptrdiff_t(6 * y + x) * filters.inputs * kPanel,
                __builtin_convertvector(points[x], Vec));
      }
    }
  }
}

// What follows is for training: boards [N, 64, channels] with any number of channels.

// Boards to tiles [36, 4 N, channels]; `scratch` is [64, channels]. These are padded to panels.
template <class Transform>
void transform_boards(const float* boards, int count, int channels, float* scratch, float* tiles,
                      std::ptrdiff_t stride) {
  const int width = padded_to_panels(channels);
  for (int i = 0; i < count; ++i, boards += kSquares * channels, tiles += kTiles * width) {
    if (width == channels) {
      transform_board<Transform>(boards, width, tiles, stride);
      continue;
    }
    std::memset(scratch, 0, std::size_t(kSquares) * std::size_t(width) * sizeof(float));
    for (int square = 0; square < kSquares; ++square)
      std::memcpy(scratch + square * width, boards + square * channels,
                  std::size_t(channels) * sizeof(float));
    transform_board<Transform>(scratch, width, tiles, stride);
  }
}

// out [count, 64, outputs] = the convolution of boards [count, 64, inputs]
inline void convolve(const Convolution& layer, const float* boards, int count, int outputs,
                     const ConvolutionScratch& scratch, float* out) {
  const int width = padded_to_panels(layer.inputs);
  transform_boards<IntegerPoints::Input>(boards, count, layer.inputs, scratch.board, scratch.tiles,
                                         point_stride(count, width));
  const bool is_padded = outputs != layer.outputs;
  convolve_tiles<IntegerPoints>(layer, count, scratch.tiles, width, scratch.sums,
                                is_padded ? scratch.boards : out);
  for (int row = 0; is_padded && row < count * kSquares; ++row)
    std::memcpy(out + std::ptrdiff_t(row) * outputs,
                scratch.boards + std::ptrdiff_t(row) * layer.outputs,
                std::size_t(outputs) * sizeof(float));
}

// The gradient of the filters at one of the 36 points:
// sums [inputs, outputs] += inputs [tiles, inputs]' x gradients [tiles, outputs]
// with outputs and the inputs of tiles padded to panels.
inline void add_filter_gradient(const float* inputs, int input_count, const float* gradients,
                                int outputs, int tiles, float* sums) {
  const int width = padded_to_panels(outputs);
  add_product(input_count, tiles, width, {inputs, 1, padded_to_panels(input_count)},
              {gradients, width}, {sums, width});
}

// Filters' gradient out [outputs, inputs, 3, 3] from sums [36, inputs, outputs], these padded to
// panels.
inline void restore_filters(const float* sums, int outputs, int inputs, float* out) {
  using Gradient = IntegerPoints::FilterGradient;
  const int width = padded_to_panels(outputs);
  const std::ptrdiff_t stride = std::ptrdiff_t(inputs) * width;
  for (int input = 0; input < inputs; ++input)
    for (int output = 0; output < outputs; output += kLanes) {
      const float* from = sums + std::ptrdiff_t(input) * width + output;
      Vec lines[6][3], taps[3][3];  // by column and by row of the filter
      for (int x = 0; x < 6; ++x) {
        Vec line[6];
        for (int y = 0; y < 6; ++y) line[y] = load(from + (6 * y + x) * stride);
        Gradient::line(line, lines[x]);
      }
      for (int y = 0; y < 3; ++y) {
        Vec line[6];
        for (int x = 0; x < 6; ++x) line[x] = lines[x][y];
        Gradient::line(line, taps[y]);
      }
      for (int lane = 0; lane < kLanes && output + lane < outputs; ++lane)
        for (int i = 0; i < 9; ++i)
          out[(std::ptrdiff_t(output + lane) * inputs + input) * 9 + i] = taps[i / 3][i % 3][lane];
    }
}

}  // namespace selfmate::SELFMATE_SIMD
