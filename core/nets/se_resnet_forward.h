// The whole forward pass of an SE-ResNet for a few boards: a stem, residual blocks, two heads.
#pragma once

#include "nets/attention.h"
#include "nets/layer_norm.h"
#include "nets/winograd.h"

namespace selfmate::SELFMATE_SIMD {

// A norm as what each channel is multiplied by and what is then added; [filters] each.
struct Scaling {
  float* factors;
  float* shifts;
  float* means;  // before the norm
  float* variances;
};

inline Scaling scaling_of(const SeResNetScratch& scratch, int filters) {
  return {scratch.channels, scratch.channels + filters, scratch.channels + 2 * filters,
          scratch.channels + 3 * filters};
}

// For one vector of channels: the sum over all squares of term(numbers there).
template <class Term>
SELFMATE_INLINE Vec sum_over_squares(const float* board, int width, Term term) {
  Vec sums[4] = {};
  for (int square = 0; square < kSquares; square += 4)
    for (int i = 0; i < 4; ++i) sums[i] += term(load(board + (square + i) * width));
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// out [filters]: for each channel the mean of the numbers of its group.
inline void average_groups(const float* numbers, int filters, float* out) {
  const int size = filters / kNormGroups;
  for (int group = 0; group < kNormGroups; ++group) {
    float sum = 0;
    for (int i = 0; i < size; ++i) sum += numbers[group * size + i];
    for (int i = 0; i < size; ++i) out[group * size + i] = sum / float(size);
  }
}

// Group normalisation (Wu and He 2018) of a board [64, filters].
inline void group_norm(const Norm& norm, const float* board, int filters, const Scaling& out) {
  const Vec reciprocal = broadcast(1.0f / kSquares);
  for (int c = 0; c < filters; c += kLanes)
    store(out.means + c,
          reciprocal * sum_over_squares(board + c, filters, [](Vec x) { return x; }));
  average_groups(out.means, filters, out.shifts);
  for (int c = 0; c < filters; c += kLanes) {
    const Vec mean = load(out.shifts + c);
    const auto square = [&](Vec x) { return (x - mean) * (x - mean); };
    store(out.variances + c, reciprocal * sum_over_squares(board + c, filters, square));
  }
  average_groups(out.variances, filters, out.factors);
  for (int c = 0; c < filters; ++c) {
    const float factor = norm.weight[c] / __builtin_sqrtf(out.factors[c] + kNormEpsilon);
    out.factors[c] = factor;
    out.shifts[c] = norm.bias[c] - out.shifts[c] * factor;
  }
}

// Layer normalisation of each square by itself; the position embedding [64, filters] is added.
inline void layer_norm(const Norm& norm, const float* position_embedding, const float* board,
                       int filters, float* out) {
  for (int square = 0; square < kSquares; ++square, board += filters, out += filters) {
    const RowScaling scaling = row_scaling(board, filters);
    for (int c = 0; c < filters; c += kLanes) {
      const Vec shift = load(norm.bias + c) + load(position_embedding + square * filters + c);
      store(out + c, fma(scaling.of(load(board + c)), load(norm.weight + c), shift));
    }
  }
}

SELFMATE_INLINE float* board_at(float* boards, int number, int width) {
  return boards + std::ptrdiff_t(number) * kSquares * width;
}

inline void norm_and_gelu(const Norm& norm, float* board, int filters,
                          const SeResNetScratch& scratch) {
  const Scaling scaling = scaling_of(scratch, filters);
  group_norm(norm, board, filters, scaling);
  for (int square = 0; square < kSquares; ++square, board += filters)
    for (int c = 0; c < filters; c += kLanes)
      store(board + c,
            gelu(fma(load(board + c), load(scaling.factors + c), load(scaling.shifts + c))));
}

// Squeeze-and-excitation (Hu et al. 2018): each channel is multiplied by a gate computed from the
// means of all channels. The gate goes into the scaling, which is applied afterwards.
inline void excite(const SqueezeExcitation& layer, const Scaling& scaling, int filters,
                   const SeResNetScratch& scratch) {
  float* means = scaling.means;
  float* squeezed = scratch.channels + 4 * filters;
  for (int c = 0; c < filters; c += kLanes)
    store(means + c, fma(load(means + c), load(scaling.factors + c), load(scaling.shifts + c)));
  apply(layer.down, 1, {means, 0}, {squeezed, 0});
  for (int i = 0; i < layer.down.outputs; i += kLanes)
    store(squeezed + i, gelu(load(squeezed + i)));
  apply(layer.up, 1, {squeezed, 0}, {means, 0});
  for (int c = 0; c < filters; c += kLanes) {
    const Vec gate = sigmoid(load(means + c));
    store(scaling.factors + c, load(scaling.factors + c) * gate);
    store(scaling.shifts + c, load(scaling.shifts + c) * gate);
  }
}

// board = GELU(board + SE(norm(residual)))
inline void add_residual(const ResidualBlock& block, const float* residual, float* board,
                         int filters, const SeResNetScratch& scratch) {
  const Scaling scaling = scaling_of(scratch, filters);
  group_norm(block.second_norm, residual, filters, scaling);
  if (block.has_squeeze) excite(block.squeeze, scaling, filters, scratch);
  for (int square = 0; square < kSquares; ++square, board += filters, residual += filters)
    for (int c = 0; c < filters; c += kLanes) {
      const Vec scaled =
          fma(load(residual + c), load(scaling.factors + c), load(scaling.shifts + c));
      store(board + c, gelu(load(board + c) + scaled));
    }
}

// board += output(attention(norm(board) + position embedding))
inline void add_attention(const SquareAttention& layer, float* board, int filters,
                          const SeResNetScratch& scratch) {
  const int width = kHeads * layer.head_width;
  layer_norm(layer.norm, layer.position_embedding, board, filters, scratch.squares);
  apply(layer.qkv, kSquares, {scratch.squares, filters}, {scratch.qkv, 3 * width});
  for (int head = 0; head < kHeads; ++head) {
    const float* query = scratch.qkv + head * layer.head_width;
    attend_squares(query, query + width, query + 2 * width, layer.head_width, scratch,
                   scratch.attended + head * layer.head_width);
  }
  apply(layer.output, kSquares, {scratch.attended, width}, {scratch.squares, filters});
  for (int i = 0; i < kSquares * filters; i += kLanes)
    store(board + i, load(board + i) + load(scratch.squares + i));
}

inline void transform_input(const float* board, int width, float* out, std::ptrdiff_t stride) {
  transform_board<RootPoints::Input>(board, width, out, stride);
}

inline void run_stem(const SeResNetLayers& net, const float* planes, int boards,
                     const SeResNetScratch& scratch) {
  const int width = padded_to_panels(net.planes);
  for (int i = 0; i < boards; ++i) {
    transpose(net.planes, kSquares, {planes + std::ptrdiff_t(i) * kPlanes * kSquares, kSquares},
              1.0f, {scratch.planes, width});
    transform_input(scratch.planes, width, scratch.tiles + i * kTiles * width,
                    point_stride(boards, width));
  }
  convolve_tiles<RootPoints>(net.stem, boards, scratch.tiles, width, scratch.sums, scratch.boards);
  for (int i = 0; i < boards; ++i)
    norm_and_gelu(net.stem_norm, board_at(scratch.boards, i, net.filters), net.filters, scratch);
}

inline void run_block(const ResidualBlock& block, int boards, int filters,
                      const SeResNetScratch& scratch) {
  const auto tiles_of = [&](int number) { return scratch.tiles + number * kTiles * filters; };
  const std::ptrdiff_t stride = point_stride(boards, filters);
  for (int i = 0; i < boards; ++i)
    transform_input(board_at(scratch.boards, i, filters), filters, tiles_of(i), stride);
  convolve_tiles<RootPoints>(block.first, boards, scratch.tiles, filters, scratch.sums,
                             scratch.residuals);
  for (int i = 0; i < boards; ++i) {
    float* residual = board_at(scratch.residuals, i, filters);
    norm_and_gelu(block.first_norm, residual, filters, scratch);
    transform_input(residual, filters, tiles_of(i), stride);
  }
  convolve_tiles<RootPoints>(block.second, boards, scratch.tiles, filters, scratch.sums,
                             scratch.residuals);
  for (int i = 0; i < boards; ++i) {
    float* board = board_at(scratch.boards, i, filters);
    add_residual(block, board_at(scratch.residuals, i, filters), board, filters, scratch);
    if (block.has_attention) add_attention(block.attention, board, filters, scratch);
  }
}

inline void copy(const float* from, int count, float* to) {
  std::memcpy(to, from, std::size_t(count) * sizeof(float));
}

// Adds to each logit [64, 73] the number of its from-square and to-square.
inline void add_pairs(const PolicyPairs& layer, const float* board, int filters,
                      const SeResNetScratch& scratch, float* logits) {
  const int width = 2 * filters;
  float* keys = scratch.qkv + filters;
  apply(layer.queries_keys, kSquares, {board, filters}, {scratch.qkv, width});
  transpose(kSquares, filters, {scratch.qkv, width}, 1.0f, {scratch.queries, kSquares});
  multiply(kSquares, filters, kSquares, {keys, width}, {scratch.queries, kSquares},
           {scratch.scores, kSquares});
  for (int i = 0; i < layer.count; ++i) logits[layer.actions[i]] += scratch.scores[layer.places[i]];
}

// logits [64, 73] of one board
inline void policy_head(const SeResNetLayers& net, const float* board,
                        const SeResNetScratch& scratch, float* logits) {
  const int width = net.policy.outputs;
  apply(net.policy, kSquares, {board, net.filters}, {scratch.policy, width});
  for (int square = 0; square < kSquares; ++square)
    copy(scratch.policy + square * width, kMoveTypes, logits + square * kMoveTypes);
  if (net.has_pairs) add_pairs(net.pairs, board, net.filters, scratch, logits);
}

// values [boards, outputs]
inline void value_head(const SeResNetLayers& net, int boards, const SeResNetScratch& scratch,
                       float* values) {
  apply(net.value_channels, boards * kSquares, {scratch.boards, net.filters},
        {scratch.value_channels, kValueChannels});
  apply(net.value_hidden, boards, {scratch.value_channels, kSquares * kValueChannels},
        {scratch.value_hidden, kValueWidth});
  for (int i = 0; i < boards * kValueWidth; i += kLanes)
    store(scratch.value_hidden + i, gelu(load(scratch.value_hidden + i)));
  const int width = net.value_out.outputs;
  apply(net.value_out, boards, {scratch.value_hidden, kValueWidth}, {scratch.value_out, width});
  for (int i = 0; i < boards; ++i)
    copy(scratch.value_out + i * width, net.outputs, values + i * net.outputs);
}

// values [boards, outputs] and logits [boards, 4672] of planes [boards, 96, 64]
inline void evaluate(const SeResNetLayers& net, const float* planes, int boards,
                     const SeResNetScratch& scratch, float* values, float* logits) {
  run_stem(net, planes, boards, scratch);
  for (int i = 0; i < net.block_count; ++i) run_block(net.blocks[i], boards, net.filters, scratch);
  for (int i = 0; i < boards; ++i)
    policy_head(net, board_at(scratch.boards, i, net.filters), scratch,
                logits + i * kSquares * kMoveTypes);
  value_head(net, boards, scratch, values);
}

}  // namespace selfmate::SELFMATE_SIMD
