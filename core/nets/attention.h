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

SELFMATE_INLINE Vec highest_of(const float* scores) {
  Vec found[4];
  for (int i = 0; i < 4; ++i) found[i] = load(scores + i * kSquares);
  for (int key = 4; key < kSquares; key += 4)
    for (int i = 0; i < 4; ++i) found[i] = most(found[i], load(scores + (key + i) * kSquares));
  return most(most(found[0], found[1]), most(found[2], found[3]));
}

// Scores [key][query] to weights, in place; by `shares` [query] they are still to be multiplied.
inline void weigh(float* scores, float* shares) {
  for (int query = 0; query < kSquares; query += kLanes) {
    const Vec highest = highest_of(scores + query);
    Vec sum{};
    for (int key = 0; key < kSquares; ++key) {
      float* score = scores + key * kSquares + query;
      const Vec weight = exponential(load(score) - highest);
      store(score, weight);
      sum += weight;
    }
    store(shares + query, all(1.0f) / sum);
  }
}

// What one head sees, [64, head width]. Scores are kept by key and query, so that those of several
// queries are in one vector.
inline void see(const float* query, const float* key, const float* value, int head_width,
                const Room& room, float* seen) {
  const std::ptrdiff_t stride = 3 * kHeads * head_width, seen_stride = kHeads * head_width;
  const float zeros[kPanel] = {};
  turn(kSquares, head_width, {query, stride}, {room.queries, kSquares});
  for (int column = 0; column < kSquares; column += kPanel)
    multiply<kPanel / kLanes>(kSquares, head_width, {key, stride},
                              {room.queries + column, kSquares}, zeros,
                              {room.scores + column, kSquares});
  float shares[kSquares];
  weigh(room.scores, shares);
  for (int column = 0; column < head_width; column += kPanel)
    multiply_panel(head_width - column, kSquares, kSquares, {room.scores, 1, kSquares},
                   {value + column, stride}, zeros, {seen + column, seen_stride});
  for (int row = 0; row < kSquares; ++row, seen += seen_stride)
    for (int c = 0; c < head_width; c += kLanes) store(seen + c, load(seen + c) * all(shares[row]));
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
