// The whole forward pass of a transformer for one position: blocks of attention and a hidden layer,
// and one of three policy heads. The rows of one position are enough to fetch weights for.
#pragma once

#include "nets/attention.h"
#include "nets/layer_norm.h"
#include "nets/winograd.h"

namespace selfmate::SELFMATE_SIMD {

// out [78, width] = word of each token + its place
inline void embed(const TransformerLayers& net, const std::uint8_t* tokens, float* out) {
  const int width = padded(net.width);
  for (int token = 0; token < kTokens; ++token) {
    const float* word = net.words + tokens[token] * width;
    const float* place = net.places + token * width;
    for (int c = 0; c < width; c += kLanes)
      store(out + token * width + c, load(word + c) + load(place + c));
  }
}

// Each of the rows [rows, padded(width)] by itself.
inline void normalise_rows(const Norm& norm, int rows, int width, const float* in, float* out) {
  const int stride = padded(width);
  for (int row = 0; row < rows; ++row, in += stride, out += stride) {
    const RowScaling scaling = row_scaling(in, width);
    for (int c = 0; c < stride; c += kLanes)
      store(out + c, fma(scaling.of(load(in + c)), load(norm.weight + c), load(norm.bias + c)));
  }
}

inline void gelu_all(float* numbers, int count) {
  for (int i = 0; i < count; i += kLanes) store(numbers + i, gelu(load(numbers + i)));
}

inline void add_all(const float* numbers, int count, float* to) {
  for (int i = 0; i < count; i += kLanes) store(to + i, load(to + i) + load(numbers + i));
}

// out [rows, outputs] of in [rows, inputs], both tightly packed
inline void apply_rows(const Linear& layer, int rows, const float* in, float* out) {
  apply(layer, rows, {in, layer.inputs}, {out, layer.outputs});
}

inline void run_transformer_block(const TransformerLayers& net, const TransformerBlock& block,
                                  const TransformerScratch& scratch) {
  const int size = kTokens * padded(net.width);
  AttentionScratch attention = scratch.attention;
  attention.bias = block.bias;
  attention.head_step = net.bias_step;
  normalise_rows(block.first_norm, kTokens, net.width, scratch.embedded, scratch.normed);
  apply_rows(block.qkv, kTokens, scratch.normed, scratch.qkv);
  attend_sequence(net.attention, scratch.qkv, attention, scratch.attended);
  apply_rows(block.output, kTokens, scratch.attended, scratch.change);
  add_all(scratch.change, size, scratch.embedded);
  normalise_rows(block.second_norm, kTokens, net.width, scratch.embedded, scratch.normed);
  apply_rows(block.widen, kTokens, scratch.normed, scratch.hidden);
  gelu_all(scratch.hidden, kTokens * block.widen.outputs);
  apply_rows(block.narrow, kTokens, scratch.hidden, scratch.change);
  add_all(scratch.change, size, scratch.embedded);
}

// The logit of a move is q(from) . k(to) / sqrt(width) + its bias, and a term of its promotion.
inline void pairs_head(const TransformerLayers& net, const float* squares,
                       const TransformerScratch& scratch, float* logits) {
  const PolicyHeadLayers& head = net.head;
  const int width = padded(net.width);
  apply_rows(head.start, kSquares, squares, scratch.starts);
  apply_rows(head.end, kSquares, squares, scratch.ends);
  apply_rows(head.promotion, kSquares, squares, scratch.promotions);
  transpose(kSquares, width, {scratch.ends, width}, 1.0f / __builtin_sqrtf(float(net.width)),
            {scratch.goals, kSquares});
  multiply(kSquares, width, kSquares, {scratch.starts, width}, {scratch.goals, kSquares},
           {scratch.numbers, kSquares});
  for (int move = 0; move < kUciActions; ++move)
    logits[move] = scratch.numbers[head.places[move]] + head.usual[move] +
                   scratch.promotions[head.promotion_places[move]];
}

// Convolutions over the squares as a board; a move has its plane, and its place at the from-square.
inline void board_head(const TransformerLayers& net, const float* squares,
                       const TransformerScratch& scratch, float* logits) {
  const PolicyHeadLayers& head = net.head;
  const int width = padded(net.width);
  transform_board<RootPoints::Input>(squares, width, scratch.tiles, point_stride(1, width));
  convolve_tiles<RootPoints>(head.mix, 1, scratch.tiles, width, scratch.sums, scratch.starts);
  for (int square = 0; square < kSquares; ++square)
    add_all(head.mix_bias, width, scratch.starts + square * width);
  gelu_all(scratch.starts, kSquares * width);
  apply_rows(head.planes, kSquares, scratch.starts, scratch.numbers);
  for (int move = 0; move < kUciActions; ++move)
    logits[move] = scratch.numbers[head.places[move]] + head.usual[move];
}

// logits [1968] of tokens [78], each below 16
inline void policy_logits(const TransformerLayers& net, const std::uint8_t* tokens,
                          const TransformerScratch& scratch, float* logits) {
  embed(net, tokens, scratch.embedded);
  for (int i = 0; i < net.block_count; ++i) run_transformer_block(net, net.blocks[i], scratch);
  normalise_rows(net.norm, kTokens, net.width, scratch.embedded, scratch.normed);
  const float* squares = scratch.normed + kFirstSquare * padded(net.width);
  switch (net.head.kind) {
    case PolicyHead::kPairs:
      return pairs_head(net, squares, scratch, logits);
    case PolicyHead::kBoard:
      return board_head(net, squares, scratch, logits);
    case PolicyHead::kSpecial:
      return apply_rows(net.head.out, 1, scratch.normed, logits);
  }
}

}  // namespace selfmate::SELFMATE_SIMD
