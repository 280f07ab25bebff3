// 3 x 3 convolutions by Winograd's method F(4 x 4, 3 x 3): a tile of 4 x 4 squares and its border,
// 6 x 6 numbers, is transformed, multiplied by transformed filters, and transformed back: 36
// products instead of 144. The points are 0, +-1/sqrt 2, +-sqrt 2 and infinity, with which rounding
// errors are about those of the plain sum (with the usual 1 and 2 they are three times larger).
#pragma once

#include "nets/product.h"
#include "nets/winograd_points.h"

namespace selfmate::SELFMATE_SIMD {

// Six numbers in a line, `step` vectors apart, to six.
SELFMATE_INLINE void transform_line(const Vec* in, int step, Vec* out, int out_step) {
  const Vec small_square = all(kSmallSquare), large_square = all(kLargeSquare);
  const Vec small = all(kSmallPoint), large = all(kLargePoint),
            middle = all(kSmallSquare + kLargeSquare);
  const Vec in1 = in[step], in2 = in[2 * step], in3 = in[3 * step], in4 = in[4 * step];
  const Vec even_small = fused_minus(large_square, in2, in4);
  const Vec odd_small = fused_minus(large_square, in1, in3);
  const Vec even_large = fused_minus(small_square, in2, in4);
  const Vec odd_large = fused_minus(small_square, in1, in3);
  out[0] = fused_minus(middle, in2, in[0] + in4);
  out[out_step] = fused(small, odd_small, even_small);
  out[2 * out_step] = fused_minus(small, odd_small, even_small);
  out[3 * out_step] = fused(large, odd_large, even_large);
  out[4 * out_step] = fused_minus(large, odd_large, even_large);
  out[5 * out_step] = fused_minus(middle, in3, in1 + in[5 * step]);
}

// Six numbers back to four.
SELFMATE_INLINE void restore_line(const Vec* in, int step, Vec* out, int out_step) {
  const Vec small = all(kSmallPoint), large = all(kLargePoint);
  const Vec even_small = in[step] + in[2 * step], odd_small = small * (in[step] - in[2 * step]);
  const Vec even_large = in[3 * step] + in[4 * step],
            odd_large = large * (in[3 * step] - in[4 * step]);
  const Vec small_square = all(kSmallSquare), large_square = all(kLargeSquare);
  out[0] = in[0] + (even_small + even_large);
  out[out_step] = odd_small + odd_large;
  out[2 * out_step] = fused(small_square, even_small, large_square * even_large);
  out[3 * out_step] = fused(small_square, odd_small, fused(large_square, odd_large, in[5 * step]));
}

// One vector of channels of one tile; `board` is at those channels.
template <int Tile>
SELFMATE_INLINE void transform_tile(const float* board, int width, float* out,
                                    std::ptrdiff_t step) {
  constexpr int kTop = Tile / 2 * 4 - 1, kLeft = Tile % 2 * 4 - 1;
  Vec lines[kTileNumbers];
  for (int x = 0; x < 6; ++x) {
    Vec line[6];
    for (int y = 0; y < 6; ++y) {
      const int row = kTop + y, column = kLeft + x;
      const bool inside = row >= 0 && row < 8 && column >= 0 && column < 8;
      line[y] = inside ? load(board + (row * 8 + column) * width) : Vec{};
    }
    transform_line(line, 1, lines + x, 6);
  }
  for (int y = 0; y < 6; ++y) {
    Vec line[6];
    transform_line(lines + 6 * y, 1, line, 1);
    for (int x = 0; x < 6; ++x) store(out + (6 * y + x) * step, line[x]);
  }
}

// The tiles of one board [64, width]; its four rows of each number's matrix are at `out`.
inline void transform_board(const float* board, int width, float* out, std::ptrdiff_t step) {
  for (int channel = 0; channel < width; channel += kLanes) {
    transform_tile<0>(board + channel, width, out + channel, step);
    transform_tile<1>(board + channel, width, out + width + channel, step);
    transform_tile<2>(board + channel, width, out + 2 * width + channel, step);
    transform_tile<3>(board + channel, width, out + 3 * width + channel, step);
  }
}

SELFMATE_INLINE void restore_tile(const float* sums, std::ptrdiff_t step, float* corner,
                                  int width) {
  Vec lines[24];
  for (int x = 0; x < 6; ++x) {
    Vec line[6];
    for (int y = 0; y < 6; ++y) line[y] = load(sums + (6 * y + x) * step);
    restore_line(line, 1, lines + x, 6);
  }
  for (int y = 0; y < 4; ++y) {
    Vec line[4];
    restore_line(lines + 6 * y, 1, line, 1);
    for (int x = 0; x < 4; ++x) store(corner + (8 * y + x) * width, line[x]);
  }
}

// Boards [N, 64, outputs] from transformed tiles of the inputs.
inline void convolve(const Convolution& layer, int boards, const Room& room, float* out) {
  const int width = filled(layer.inputs), tiles = boards * kTiles;
  const float zeros[kPanel] = {};
  for (int column = 0; column < layer.outputs; column += kPanel) {
    const int columns = layer.outputs - column < kPanel ? kGrain : kPanel;
    const float* panel = layer.panels + std::ptrdiff_t(column) * layer.inputs * kTileNumbers;
    for (int number = 0; number < kTileNumbers; ++number)
      multiply_panel(columns, tiles, layer.inputs,
                     {room.tiles + number * tile_step(boards, width), width},
                     {panel + std::ptrdiff_t(number) * layer.inputs * columns, columns}, zeros,
                     {room.sums + number * tile_step(boards, kPanel), kPanel});
    for (int tile = 0; tile < tiles; ++tile)
      for (int lane = 0; lane < columns; lane += kLanes) {
        const int square = tile / 2 % 2 * 32 + tile % 2 * 4;
        float* corner = out + (std::ptrdiff_t(tile / kTiles) * kSquares + square) * layer.outputs;
        restore_tile(room.sums + tile * kPanel + lane, tile_step(boards, kPanel),
                     corner + column + lane, layer.outputs);
      }
  }
}

}  // namespace selfmate::SELFMATE_SIMD
