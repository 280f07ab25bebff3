// Scaled dot-product attention (Vaswani et al. 2017), one head at a time: of all 64 squares of a
// board to all 64 (SE-ResNet, inference), and of all tokens of a sequence to all (transformer,
// forward and backward).
//
// Scores are kept as [key][query], so that one vector holds those of several queries.
#pragma once

#include "nets/activations.h"
#include "nets/matmul.h"

namespace selfmate::SELFMATE_SIMD {

SELFMATE_INLINE Vec max_over_squares(const float* scores) {
  Vec found[4];
  for (int i = 0; i < 4; ++i) found[i] = load(scores + i * kSquares);
  for (int key = 4; key < kSquares; key += 4)
    for (int i = 0; i < 4; ++i) found[i] = maximum(found[i], load(scores + (key + i) * kSquares));
  return maximum(maximum(found[0], found[1]), maximum(found[2], found[3]));
}

// Scores [key][query] to e^(score - max), in place. Times `factors` [query] they are the softmax.
inline void exponentiate_scores(float* scores, float* factors) {
  for (int query = 0; query < kSquares; query += kLanes) {
    const Vec highest = max_over_squares(scores + query);
    Vec sum{};
    for (int key = 0; key < kSquares; ++key) {
      float* score = scores + key * kSquares + query;
      const Vec weight = exponential(load(score) - highest);
      store(score, weight);
      sum += weight;
    }
    store(factors + query, broadcast(1.0f) / sum);
  }
}

// One head over the 64 squares: attended [64, head_width], of queries, keys and values that are
// `qkv_stride` apart from square to square. Queries are scaled already. The softmax is normalised
// last, where there are fewest numbers.
inline void attend_squares(const float* query, const float* key, const float* value, int head_width,
                           const SeResNetScratch& scratch, float* attended) {
  const std::ptrdiff_t qkv_stride = 3 * kHeads * head_width, stride = kHeads * head_width;
  transpose(kSquares, head_width, {query, qkv_stride}, 1.0f, {scratch.queries, kSquares});
  multiply(kSquares, head_width, kSquares, {key, qkv_stride}, {scratch.queries, kSquares},
           {scratch.scores, kSquares});
  float factors[kSquares];
  exponentiate_scores(scratch.scores, factors);
  multiply(kSquares, kSquares, head_width, {scratch.scores, 1, kSquares}, {value, qkv_stride},
           {attended, stride});
  for (int row = 0; row < kSquares; ++row, attended += stride)
    for (int c = 0; c < head_width; c += kNarrowLanes)
      store(attended + c, load<NarrowVec>(attended + c) * broadcast<NarrowVec>(factors[row]));
}

// One head over the tokens of a sequence.
struct TokenHead {
  int tokens, width;
  std::ptrdiff_t qkv_stride, stride;  // from token to token
  float scale;                        // of scores
};

// Scores [key][query] to softmax(scores + bias), in place.
inline void softmax_scores(int tokens, int queries, const float* bias, float* scores) {
  for (int query = 0; query < queries; query += kLanes) {
    Vec highest = broadcast(-3.0e38f);
    for (int key = 0; key < tokens; ++key) {
      float* score = scores + key * queries + query;
      const Vec sum = load(score) + load(bias + key * queries + query);
      store(score, sum);
      highest = maximum(highest, sum);
    }
    Vec sum{};
    for (int key = 0; key < tokens; ++key) {
      float* score = scores + key * queries + query;
      const Vec weight = exponential(load(score) - highest);
      store(score, weight);
      sum += weight;
    }
    const Vec factor = broadcast(1.0f) / sum;
    for (int key = 0; key < tokens; ++key) {
      float* weight = scores + key * queries + query;
      store(weight, load(weight) * factor);
    }
  }
}

// scratch.weights [key][query] = softmax(scale * query . key + bias)
inline void attention_weights(const TokenHead& head, const float* query, const float* key,
                              const float* bias, const AttentionScratch& scratch) {
  transpose(head.tokens, head.width, {query, head.qkv_stride}, head.scale,
            {scratch.transposed, scratch.queries});
  multiply(head.tokens, head.width, scratch.queries, {key, head.qkv_stride},
           {scratch.transposed, scratch.queries}, {scratch.weights, scratch.queries});
  softmax_scores(head.tokens, scratch.queries, bias, scratch.weights);
}

inline void attend_head(const TokenHead& head, const float* query, const float* key,
                        const float* value, const float* bias, const AttentionScratch& scratch,
                        float* attended) {
  attention_weights(head, query, key, bias, scratch);
  multiply(head.tokens, head.tokens, head.width, {scratch.weights, 1, scratch.queries},
           {value, head.qkv_stride}, {attended, head.stride});
}

// The gradient of the softmax, in place: scratch.gradients [key][query] of the weights w become
// those of the scores, w * (dw - sum over keys of w * dw), times the scale. Before scaling they are
// added to the gradient of the bias.
inline void softmax_backward(const TokenHead& head, const AttentionScratch& scratch,
                             float* bias_gradient) {
  for (int query = 0; query < scratch.queries; query += kLanes) {
    Vec mean{};
    for (int key = 0; key < head.tokens; ++key) {
      const int at = key * scratch.queries + query;
      mean = fma(load(scratch.weights + at), load(scratch.gradients + at), mean);
    }
    for (int key = 0; key < head.tokens; ++key) {
      const int at = key * scratch.queries + query;
      const Vec gradient = load(scratch.weights + at) * (load(scratch.gradients + at) - mean);
      store(bias_gradient + at, load(bias_gradient + at) + gradient);
      store(scratch.gradients + at, gradient * broadcast(head.scale));
    }
  }
}

// Gradients of query, key and value, which are laid out like these. The weights are computed again
// instead of being kept from the forward pass.
inline void attend_head_backward(const TokenHead& head, const float* query, const float* key,
                                 const float* value, const float* bias,
                                 const float* attended_gradient, const AttentionScratch& scratch,
                                 float* query_gradient, float* key_gradient, float* value_gradient,
                                 float* bias_gradient) {
  const int tokens = head.tokens, width = head.width;
  attention_weights(head, query, key, bias, scratch);
  transpose(tokens, width, {attended_gradient, head.stride}, 1.0f,
            {scratch.transposed, scratch.queries});
  multiply(tokens, width, scratch.queries, {value, head.qkv_stride},
           {scratch.transposed, scratch.queries}, {scratch.gradients, scratch.queries});
  softmax_backward(head, scratch, bias_gradient);
  multiply(tokens, tokens, width, {scratch.weights, scratch.queries},
           {attended_gradient, head.stride}, {value_gradient, head.qkv_stride});
  multiply(tokens, tokens, width, {scratch.gradients, scratch.queries}, {query, head.qkv_stride},
           {key_gradient, head.qkv_stride});
  multiply(tokens, tokens, width, {scratch.gradients, 1, scratch.queries}, {key, head.qkv_stride},
           {query_gradient, head.qkv_stride});
}

inline TokenHead head_of(const TokenAttention& attention, float scale) {
  const std::ptrdiff_t width = attention.width();
  return {attention.tokens, attention.head_width, 3 * width, width, scale};
}

// All heads of one sequence: attended [tokens, width] of qkv [tokens, 3, width].
inline void attend_sequence(const TokenAttention& attention, const float* qkv,
                            const AttentionScratch& scratch, float* attended) {
  const TokenHead head = head_of(attention, scratch.scale);
  const int width = attention.width();
  for (int number = 0; number < attention.heads; ++number) {
    const float* query = qkv + number * head.width;
    attend_head(head, query, query + width, query + 2 * width, scratch.bias_of(number), scratch,
                attended + number * head.width);
  }
}

inline void attend_sequence_backward(const TokenAttention& attention, const float* qkv,
                                     const float* attended_gradient,
                                     const AttentionScratch& scratch, float* qkv_gradient) {
  const TokenHead head = head_of(attention, scratch.scale);
  const int width = attention.width();
  for (int number = 0; number < attention.heads; ++number) {
    const int at = number * head.width;
    const float* query = qkv + at;
    float* gradient = qkv_gradient + at;
    attend_head_backward(head, query, query + width, query + 2 * width, scratch.bias_of(number),
                         attended_gradient + at, scratch, gradient, gradient + width,
                         gradient + 2 * width, scratch.bias_gradient_of(number));
  }
}

}  // namespace selfmate::SELFMATE_SIMD
