// The layers of an SE-ResNet as the forward pass reads them: weights already packed, owned by
// somebody else. Plain pointers only, since files compiled for other processors read them too.
//
// A board is [square][channel]. Widths are multiples of kGrain, filled up with zeros.
#pragma once

#include <cstddef>

namespace selfmate {

constexpr int kSquares = 64;
constexpr int kGrain = 8;         // a panel has this many columns or
constexpr int kPanel = 16;        // this many; only the last one may be narrow
constexpr int kNormGroups = 8;    // of channels that are normalised together
constexpr int kHeads = 4;         // of attention
constexpr int kTiles = 4;         // of a board, 4 x 4 squares each
constexpr int kTileNumbers = 36;  // of a transformed tile
constexpr int kPlanes = 68;
constexpr int kKinds = 73;  // of moves from a square
constexpr int kValueChannels = 8;
constexpr int kValueWidth = 512;

// How many boards are worked on together, so that weights are fetched once for all of them: the
// transformed tiles of more would not stay in a core's own cache, and large nets have more weights
// to fetch than tiles.
constexpr int boards_at_once(int filters) {
  return filters <= 64 ? 6 : 12;
}

constexpr int filled(int width) {
  return (width + kGrain - 1) / kGrain * kGrain;
}

// rows [N, outputs] = bias + rows [N, inputs] x matrix [inputs, outputs]; panel after panel of
// columns, in each row after row.
struct Product {
  int inputs, outputs;
  const float* panels;
  const float* bias;
};

// 3 x 3 with a border of zeros, its filters transformed: panel after panel of outputs, in each a
// matrix [inputs, panel] for each of the numbers of a tile.
struct Convolution {
  int inputs, outputs;
  const float* panels;
};

struct Norm {
  const float* weight;
  const float* bias;
};

struct Squeeze {
  Product down, up;
};

// `look` makes queries, keys and values, in this order, each head's filled up to `head_width`.
// Queries are divided by the root of a head's true width already.
struct Attention {
  int head_width;
  Norm norm;
  const float* places;
  Product look, add;
};

struct Block {
  Convolution first, second;
  Norm first_norm, second_norm;
  bool has_squeeze, has_attention;
  Squeeze squeeze;
  Attention attention;
};

struct Layers {
  int planes, filters, block_count, outputs;
  Convolution stem;
  Norm stem_norm;
  const Block* blocks;
  Product policy, value_channels, value_hidden, value_out;
};

// Room to work in, for the boards that are worked on together.
struct Room {
  float* boards;    // [boards, 64, filters]
  float* changes;   // [boards, 64, filters]
  float* planes;    // [64, filled(planes)]
  float* tiles;     // of all boards, transformed: [36, tile, channel] with gaps
  float* sums;      // of a panel: [36, tile, panel] with gaps
  float* channels;  // [5, filters]
  float* squares;   // [64, filters], normalised
  float* looks;     // [64, 3, heads, head_width]
  float* queries;   // of a head, turned: [head_width, 64]
  float* scores;    // of a head: [key, query]
  float* seen;      // [64, heads, head_width]
  float* policy;    // [64, filled(kinds)]
  float* values;    // [boards, 64, value channels]
  float* hidden;    // [boards, value width]
  float* answers;   // [boards, filled(outputs)]
};

// Matrices that lie apart by a power of two would compete for the same lines of the cache.
constexpr std::ptrdiff_t kGap = 16;

constexpr std::ptrdiff_t tile_step(int boards, int channels) {
  return std::ptrdiff_t(boards) * kTiles * channels + kGap;
}

}  // namespace selfmate
