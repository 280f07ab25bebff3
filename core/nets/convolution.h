// 3 x 3 convolutions by Winograd's method F(4 x 4, 3 x 3): a tile of 4 x 4 squares and its border,
// 6 x 6 numbers, is transformed, multiplied by transformed filters, and transformed back: 36
// products instead of 144. The points are 0, +-1/sqrt 2, +-sqrt 2 and infinity, with which rounding
// errors are about those of the plain sum (with the usual 1 and 2 they are three times larger).
#pragma once

#include "nets/product.h"
#include "nets/winograd_points.h"

namespace selfmate::SELFMATE_SIMD {

// Six numbers in a line to six.
SELFMATE_INLINE void transform_line(const Vec (&in)[6], Vec (&out)[6]) {
  const Vec small = all(kSmallPoint), small_square = all(kSmallSquare);
  const Vec large = all(kLargePoint), large_square = all(kLargeSquare);
  const Vec both_squares = all(kSmallSquare + kLargeSquare);
  const Vec even_small = fused_minus(large_square, in[2], in[4]);
  const Vec odd_small = fused_minus(large_square, in[1], in[3]);
  const Vec even_large = fused_minus(small_square, in[2], in[4]);
  const Vec odd_large = fused_minus(small_square, in[1], in[3]);
  out[0] = fused_minus(both_squares, in[2], in[0] + in[4]);
  out[1] = fused(small, odd_small, even_small);
  out[2] = fused_minus(small, odd_small, even_small);
  out[3] = fused(large, odd_large, even_large);
  out[4] = fused_minus(large, odd_large, even_large);
  out[5] = fused_minus(both_squares, in[3], in[1] + in[5]);
}

// Six numbers back to four.
SELFMATE_INLINE void restore_line(const Vec (&in)[6], Vec (&out)[4]) {
  const Vec small_square = all(kSmallSquare), large_square = all(kLargeSquare);
  const Vec even_small = in[1] + in[2], odd_small = all(kSmallPoint) * (in[1] - in[2]);
  const Vec even_large = in[3] + in[4], odd_large = all(kLargePoint) * (in[3] - in[4]);
  out[0] = in[0] + (even_small + even_large);
  out[1] = odd_small + odd_large;
  out[2] = fused(small_square, even_small, large_square * even_large);
  out[3] = fused(small_square, odd_small, fused(large_square, odd_large, in[5]));
}

// One vector of channels of one tile; `board` is at those channels. The loops stay loops: unrolled,
// they compute more addresses than there are registers for.
template <int Tile>
SELFMATE_INLINE void transform_tile(const float* board, std::ptrdiff_t width, float* out,
                                    std::ptrdiff_t step) {
  constexpr int kTop = Tile / 2 * 4 - 1, kLeft = Tile % 2 * 4 - 1;
  Vec rows[6][6];
  for (Vec& number : rows[kTop < 0 ? 0 : 5]) number = Vec{};
#pragma GCC unroll 1
  for (int y = kTop < 0 ? 1 : 0; y < (kTop < 0 ? 6 : 5); ++y) {
    const float* row = board + (kTop + y) * 8 * width;
    Vec line[6];
    for (int x = 0; x < 6; ++x)
      line[x] = kLeft + x >= 0 && kLeft + x < 8 ? load(row + (kLeft + x) * width) : Vec{};
    transform_line(line, rows[y]);
  }
#pragma GCC unroll 1
  for (int x = 0; x < 6; ++x) {
    Vec line[6], transformed[6];
    for (int y = 0; y < 6; ++y) line[y] = rows[y][x];
    transform_line(line, transformed);
    for (int y = 0; y < 6; ++y) store(out + (6 * y + x) * step, transformed[y]);
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
                                  std::ptrdiff_t width) {
  Vec rows[6][4];
#pragma GCC unroll 1
  for (int y = 0; y < 6; ++y) {
    Vec line[6];
    for (int x = 0; x < 6; ++x) line[x] = load(sums + (6 * y + x) * step);
    restore_line(line, rows[y]);
  }
#pragma GCC unroll 1
  for (int x = 0; x < 4; ++x) {
    Vec line[6], restored[4];
    for (int y = 0; y < 6; ++y) line[y] = rows[y][x];
    restore_line(line, restored);
    for (int y = 0; y < 4; ++y) store(corner + (8 * y + x) * width, restored[y]);
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
