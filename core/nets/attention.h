// Attention of all 64 squares to all 64.
#pragma once

#include "nets/curves.h"
#include "nets/norm.h"
#include "nets/product.h"

namespace selfmate::SELFMATE_SIMD {

// out [columns, rows] of in [rows, columns]
inline void turn(int rows, int columns, Factor in, Result out) {
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      out.numbers[column * out.stride + row] = in.numbers[row * in.stride + column];
}

// Each row [64] in place; the sums are still to be divided by.
SELFMATE_INLINE float exponentials(float* scores) {
  Vec top = load(scores);
  for (int i = kLanes; i < kSquares; i += kLanes) top = most(top, load(scores + i));
  const Vec highest = all(most_of(top));
  Vec sum{};
  for (int i = 0; i < kSquares; i += kLanes) {
    const Vec weight = exponential(load(scores + i) - highest);
    store(scores + i, weight);
    sum += weight;
  }
  return sum_of(sum);
}

// What one head sees, [64, head width].
inline void see(const float* query, const float* key, const float* value, int head_width,
                const Room& room, float* seen) {
  const std::ptrdiff_t stride = 3 * kHeads * head_width, seen_stride = kHeads * head_width;
  const float zeros[kPanel] = {};
  turn(kSquares, head_width, {key, stride}, {room.keys, kSquares});
  for (int column = 0; column < kSquares; column += kPanel)
    multiply<kPanel / kLanes>(kSquares, head_width, {query, stride}, {room.keys + column, kSquares},
                              zeros, {room.scores + column, kSquares});
  float shares[kSquares];
  for (int row = 0; row < kSquares; ++row)
    shares[row] = 1.0f / exponentials(room.scores + row * kSquares);
  for (int column = 0; column < head_width; column += kPanel)
    multiply_panel(head_width - column, kSquares, kSquares, {room.scores, kSquares},
                   {value + column, stride}, zeros, {seen + column, seen_stride});
  for (int row = 0; row < kSquares; ++row)
    for (int c = 0; c < head_width; c += kLanes)
      store(seen + row * seen_stride + c, load(seen + row * seen_stride + c) * all(shares[row]));
}

inline void attend(const Attention& layer, float* board, int filters, const Room& room) {
  const int width = kHeads * layer.head_width;
  layer_norm(layer.norm, layer.places, board, filters, room.squares);
  apply(layer.look, kSquares, {room.squares, filters}, {room.looks, 3 * width});
  for (int head = 0; head < kHeads; ++head) {
    const float* query = room.looks + head * layer.head_width;
    see(query, query + width, query + 2 * width, layer.head_width, room,
        room.seen + head * layer.head_width);
  }
  apply(layer.add, kSquares, {room.seen, width}, {room.squares, filters});
  for (int i = 0; i < kSquares * filters; i += kLanes)
    store(board + i, load(board + i) + load(room.squares + i));
}

}  // namespace selfmate::SELFMATE_SIMD
