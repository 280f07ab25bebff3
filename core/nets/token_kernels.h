// What attention of tokens does for one head of one sentence. Scores are kept by key and query, so
// that those of several queries are in one vector.
#pragma once

#include "nets/attention_room.h"
#include "nets/curves.h"
#include "nets/product.h"

namespace selfmate::SELFMATE_SIMD {

struct Head {
  int tokens, width;
  std::ptrdiff_t look_stride, seen_stride;  // from token to token
  float scale;
};

// out [columns, rows filled up] of in [rows, columns], times `scale`
inline void turn_scaled(int rows, int columns, Factor in, float scale, Result out) {
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      out.numbers[column * out.stride + row] = scale * in.numbers[row * in.stride + column];
}

// out [rows, columns] = left x right
inline void multiply_all(int rows, int depth, int columns, Factor left, Factor right, Result out) {
  const float zeros[kPanel] = {};
  for (int column = 0; column < columns; column += kPanel)
    multiply_panel(columns - column, rows, depth, left, {right.numbers + column, right.stride},
                   zeros, {out.numbers + column, out.stride});
}

// Scores [key][query] to weights, in place; each query's sum is 1.
inline void weigh_tokens(int tokens, int queries, const float* geometry, float* scores) {
  for (int query = 0; query < queries; query += kLanes) {
    Vec highest = all(-3.0e38f);
    for (int key = 0; key < tokens; ++key) {
      float* score = scores + key * queries + query;
      const Vec sum = load(score) + load(geometry + key * queries + query);
      store(score, sum);
      highest = most(highest, sum);
    }
    Vec sum{};
    for (int key = 0; key < tokens; ++key) {
      float* score = scores + key * queries + query;
      const Vec weight = exponential(load(score) - highest);
      store(score, weight);
      sum += weight;
    }
    const Vec share = all(1.0f) / sum;
    for (int key = 0; key < tokens; ++key) {
      float* weight = scores + key * queries + query;
      store(weight, load(weight) * share);
    }
  }
}

// room.weights [key][query]
inline void find_weights(const Head& head, const float* query, const float* key,
                         const float* geometry, const AttentionRoom& room) {
  turn_scaled(head.tokens, head.width, {query, head.look_stride}, head.scale,
              {room.turned, room.queries});
  multiply_all(head.tokens, head.width, room.queries, {key, head.look_stride},
               {room.turned, room.queries}, {room.weights, room.queries});
  weigh_tokens(head.tokens, room.queries, geometry, room.weights);
}

inline void attend_head(const Head& head, const float* query, const float* key, const float* value,
                        const float* geometry, const AttentionRoom& room, float* seen) {
  find_weights(head, query, key, geometry, room);
  multiply_all(head.tokens, head.tokens, head.width, {room.weights, 1, room.queries},
               {value, head.look_stride}, {seen, head.seen_stride});
}

// room.changes [key][query], of the weights, to those of the scores; `geometry` takes them in, too.
inline void change_scores(const Head& head, const AttentionRoom& room, float* geometry) {
  for (int query = 0; query < room.queries; query += kLanes) {
    Vec mean{};
    for (int key = 0; key < head.tokens; ++key) {
      const int at = key * room.queries + query;
      mean = fused(load(room.weights + at), load(room.changes + at), mean);
    }
    for (int key = 0; key < head.tokens; ++key) {
      const int at = key * room.queries + query;
      const Vec change = load(room.weights + at) * (load(room.changes + at) - mean);
      store(geometry + at, load(geometry + at) + change);
      store(room.changes + at, change * all(head.scale));
    }
  }
}

// Gradients of query, key and value, which stand as they do.
inline void attend_head_back(const Head& head, const float* query, const float* key,
                             const float* value, const float* geometry, const float* seen_gradient,
                             const AttentionRoom& room, float* query_gradient, float* key_gradient,
                             float* value_gradient, float* geometry_gradient) {
  const int tokens = head.tokens, width = head.width;
  find_weights(head, query, key, geometry, room);
  turn_scaled(tokens, width, {seen_gradient, head.seen_stride}, 1.0f, {room.turned, room.queries});
  multiply_all(tokens, width, room.queries, {value, head.look_stride}, {room.turned, room.queries},
               {room.changes, room.queries});
  change_scores(head, room, geometry_gradient);
  multiply_all(tokens, tokens, width, {room.weights, room.queries},
               {seen_gradient, head.seen_stride}, {value_gradient, head.look_stride});
  multiply_all(tokens, tokens, width, {room.changes, room.queries}, {query, head.look_stride},
               {key_gradient, head.look_stride});
  multiply_all(tokens, tokens, width, {room.changes, 1, room.queries}, {key, head.look_stride},
               {query_gradient, head.look_stride});
}

inline Head head_of(const TokenAttention& attention, float scale) {
  const std::ptrdiff_t width = attention.width();
  return {attention.tokens, attention.head_width, 3 * width, width, scale};
}

inline void attend_sentence(const TokenAttention& attention, const float* looks,
                            const AttentionRoom& room, float* seen) {
  const Head head = head_of(attention, room.scale);
  const int width = attention.width();
  for (int number = 0; number < attention.heads; ++number) {
    const float* query = looks + number * head.width;
    attend_head(head, query, query + width, query + 2 * width, room.geometry_of(number), room,
                seen + number * head.width);
  }
}

inline void attend_sentence_back(const TokenAttention& attention, const float* looks,
                                 const float* seen_gradient, const AttentionRoom& room,
                                 float* looks_gradient) {
  const Head head = head_of(attention, room.scale);
  const int width = attention.width();
  for (int number = 0; number < attention.heads; ++number) {
    const int at = number * head.width;
    const float* query = looks + at;
    float* gradient = looks_gradient + at;
    attend_head_back(head, query, query + width, query + 2 * width, room.geometry_of(number),
                     seen_gradient + at, room, gradient, gradient + width, gradient + 2 * width,
                     room.geometry_gradient_of(number));
  }
}

}  // namespace selfmate::SELFMATE_SIMD
