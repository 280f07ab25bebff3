// The whole forward pass of a few boards: a tower of blocks, and two heads.
#pragma once

#include "nets/attention.h"
#include "nets/convolution.h"

namespace selfmate::SELFMATE_SIMD {

SELFMATE_INLINE float* board_of(float* boards, int number, int width) {
  return boards + std::ptrdiff_t(number) * kSquares * width;
}

inline Scaling scaling_of(const Room& room, int filters) {
  return {room.channels, room.channels + filters, room.channels + 2 * filters,
          room.channels + 3 * filters};
}

inline void norm_and_gelu(const Norm& norm, float* board, int filters, const Room& room) {
  const Scaling scaling = scaling_of(room, filters);
  group_norm(norm, board, filters, scaling);
  for (int square = 0; square < kSquares; ++square, board += filters)
    for (int c = 0; c < filters; c += kLanes)
      store(board + c,
            gelu(fused(load(board + c), load(scaling.factors + c), load(scaling.shifts + c))));
}

// Scales each channel by what the means of all of them come to.
inline void excite(const Squeeze& layer, const Scaling& scaling, int filters, const Room& room) {
  float* means = scaling.means;
  float* squeezed = room.channels + 4 * filters;
  for (int c = 0; c < filters; c += kLanes)
    store(means + c, fused(load(means + c), load(scaling.factors + c), load(scaling.shifts + c)));
  apply(layer.down, 1, {means, 0}, {squeezed, 0});
  for (int i = 0; i < layer.down.outputs; i += kLanes)
    store(squeezed + i, gelu(load(squeezed + i)));
  apply(layer.up, 1, {squeezed, 0}, {means, 0});
  for (int c = 0; c < filters; c += kLanes) {
    const Vec factor = sigmoid(load(means + c));
    store(scaling.factors + c, load(scaling.factors + c) * factor);
    store(scaling.shifts + c, load(scaling.shifts + c) * factor);
  }
}

// What a block's convolutions found, into the board.
inline void add_change(const Block& block, const float* change, float* board, int filters,
                       const Room& room) {
  const Scaling scaling = scaling_of(room, filters);
  group_norm(block.second_norm, change, filters, scaling);
  if (block.has_squeeze) excite(block.squeeze, scaling, filters, room);
  for (int square = 0; square < kSquares; ++square, board += filters, change += filters)
    for (int c = 0; c < filters; c += kLanes) {
      const Vec scaled =
          fused(load(change + c), load(scaling.factors + c), load(scaling.shifts + c));
      store(board + c, gelu(load(board + c) + scaled));
    }
}

inline void run_stem(const Layers& net, const float* planes, int boards, const Room& room) {
  const int width = filled(net.planes);
  for (int i = 0; i < boards; ++i) {
    turn(net.planes, kSquares, {planes + std::ptrdiff_t(i) * kPlanes * kSquares, kSquares},
         {room.planes, width});
    transform_board(room.planes, width, room.tiles + i * kTiles * width, tile_step(boards, width));
  }
  convolve(net.stem, boards, room, room.boards);
  for (int i = 0; i < boards; ++i)
    norm_and_gelu(net.stem_norm, board_of(room.boards, i, net.filters), net.filters, room);
}

inline void run_block(const Block& block, int boards, int filters, const Room& room) {
  const auto tiles_of = [&](int number) { return room.tiles + number * kTiles * filters; };
  const std::ptrdiff_t step = tile_step(boards, filters);
  for (int i = 0; i < boards; ++i)
    transform_board(board_of(room.boards, i, filters), filters, tiles_of(i), step);
  convolve(block.first, boards, room, room.changes);
  for (int i = 0; i < boards; ++i) {
    float* change = board_of(room.changes, i, filters);
    norm_and_gelu(block.first_norm, change, filters, room);
    transform_board(change, filters, tiles_of(i), step);
  }
  convolve(block.second, boards, room, room.changes);
  for (int i = 0; i < boards; ++i) {
    float* board = board_of(room.boards, i, filters);
    add_change(block, board_of(room.changes, i, filters), board, filters, room);
    if (block.has_attention) attend(block.attention, board, filters, room);
  }
}

inline void copy(const float* from, int count, float* to) {
  std::memcpy(to, from, std::size_t(count) * sizeof(float));
}

inline void policy_head(const Layers& net, const float* board, const Room& room, float* logits) {
  apply(net.policy, kSquares, {board, net.filters}, {room.policy, net.policy.outputs});
  for (int square = 0; square < kSquares; ++square)
    copy(room.policy + square * net.policy.outputs, kKinds, logits + square * kKinds);
}

inline void value_head(const Layers& net, int boards, const Room& room, float* values) {
  apply(net.value_channels, boards * kSquares, {room.boards, net.filters},
        {room.values, kValueChannels});
  apply(net.value_hidden, boards, {room.values, kSquares * kValueChannels},
        {room.hidden, kValueWidth});
  for (int i = 0; i < boards * kValueWidth; i += kLanes)
    store(room.hidden + i, gelu(load(room.hidden + i)));
  const int width = net.value_out.outputs;
  apply(net.value_out, boards, {room.hidden, kValueWidth}, {room.answers, width});
  for (int i = 0; i < boards; ++i)
    copy(room.answers + i * width, net.outputs, values + i * net.outputs);
}

inline void run(const Layers& net, const float* planes, int boards, const Room& room, float* values,
                float* logits) {
  run_stem(net, planes, boards, room);
  for (int i = 0; i < net.block_count; ++i) run_block(net.blocks[i], boards, net.filters, room);
  for (int i = 0; i < boards; ++i)
    policy_head(net, board_of(room.boards, i, net.filters), room, logits + i * kSquares * kKinds);
  value_head(net, boards, room, values);
}

}  // namespace selfmate::SELFMATE_SIMD
