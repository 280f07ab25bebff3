// Layers as the kernels read them: weights already packed, owned by somebody else. Plain pointers
// only, since this is read by code that is compiled for several processors.
//
// A board is [square][channel]. Widths are multiples of kGrain, padded with zeros.
#pragma once

#include <cstddef>
#include <cstdint>

namespace selfmate {

constexpr int kSquares = 64;
constexpr int kGrain = 8;                // a panel has this many columns or
constexpr int kPanel = 16;               // this many; only the last one may be narrow
constexpr int kPanelsAtOnce = 2;         // at most, in a product
constexpr int kIntegerGrain = 32;        // of the widths of layers in whole numbers
constexpr int kMaxIntegerInputs = 4096;  // of such a layer
constexpr int kMaxActive = 8192;         // inputs of a layer that skips those that are 0
constexpr int kNormGroups = 8;           // of channels that are normalised together
constexpr int kHeads = 4;                // of attention
constexpr int kTiles = 4;                // of a board, 4 x 4 squares each
constexpr int kPoints = 36;              // of a transformed tile, 6 x 6
constexpr int kPlanes = 96;              // of a position; a net may read fewer, the first
constexpr int kMoveTypes = 73;           // of moves from a square, as in AlphaZero's encoding
constexpr int kValueChannels = 8;
constexpr int kValueWidth = 512;
constexpr int kTokens = 78;      // of a position, as the transformer reads it
constexpr int kWords = 16;       // that a token may be
constexpr int kFirstSquare = 1;  // the token of a1; those of the other squares follow
constexpr int kUciActions = 1968;
constexpr int kPromotions = 4;                           // knight, bishop, rook, queen
constexpr int kGoalPlanes = kSquares + 3 * kPromotions;  // of moves: to-squares, promotions

constexpr int padded(int width) {
  return (width + kGrain - 1) / kGrain * kGrain;
}

// Whole panels, which are also whole vectors on every processor.
constexpr int padded_to_panels(int width) {
  return (width + kPanel - 1) / kPanel * kPanel;
}

// How many boards go through a layer together, so that its weights are fetched once for all of
// them. The transformed tiles of more would not stay in a core's own cache; large nets have more
// weights to fetch than tiles.
constexpr int boards_per_group(int filters) {
  return filters <= 64 ? 6 : 12;
}

// Matrices whose distance is a power of two would compete for the same lines of the cache.
constexpr std::ptrdiff_t kGap = 16;

// From one of the 36 matrices [tile, channel] of transformed boards to the next.
constexpr std::ptrdiff_t point_stride(int boards, int channels) {
  return std::ptrdiff_t(boards) * kTiles * channels + kGap;
}

// The size of the sums of a convolution of so many boards.
constexpr std::ptrdiff_t sums_size(int boards) {
  return kPoints * point_stride(boards, kPanelsAtOnce * kPanel);
}

// rows [N, outputs] = bias + rows [N, inputs] x matrix [inputs, outputs]. The matrix is stored
// panel after panel of columns, and row after row within a panel.
struct Linear {
  int inputs, outputs;
  const float* panels;
  const float* bias;
};

// The same in whole numbers, for one row: the weights of two inputs stand together for each output,
// [inputs / 2, outputs, 2].
struct IntegerLinear {
  int inputs, outputs;
  const std::int16_t* pairs;
  const std::int32_t* bias;
};

// Filters [outputs, inputs, 3, 3] of a convolution. With `backward` they are read as those of the
// convolution that takes gradients of outputs to gradients of inputs: outputs and inputs change
// places, and the filters are rotated by 180 degrees.
struct Filters {
  const float* weights;
  int outputs, inputs;
  bool backward = false;

  float at(int output, int input, int tap) const {
    return backward ? weights[9 * (std::ptrdiff_t(input) * outputs + output) + 8 - tap]
                    : weights[9 * (std::ptrdiff_t(output) * inputs + input) + tap];
  }
};

// A 3 x 3 convolution with a border of zeros, its filters transformed (nets/winograd.h): panel
// after panel of outputs, in each a matrix [inputs, kPanel] for each of the 36 points.
struct Convolution {
  int inputs, outputs;  // outputs are padded
  const float* panels;
};

struct Norm {
  const float* weight;
  const float* bias;
};

struct SqueezeExcitation {
  Linear down, up;
};

// `qkv` makes queries, keys and values, in this order, each head's padded to `head_width`. Its
// weights contain the division of queries by the root of a head's true width.
struct SquareAttention {
  int head_width;
  Norm norm;
  const float* position_embedding;  // [64, filters]
  Linear qkv, output;
};

struct ResidualBlock {
  Convolution first, second;
  Norm first_norm, second_norm;
  bool has_squeeze, has_attention;
  SqueezeExcitation squeeze;
  SquareAttention attention;
};

// A number for each pair of squares: the product of a query of the from-square and a key of the
// to-square, [64, filters] each, which is added to the logits of the actions with these squares.
// The weights contain the division by the root of the filters.
struct PolicyPairs {
  Linear queries_keys;
  int count;           // of the actions that stay on the board
  const int* actions;  // [count]
  const int* places;   // [count] in [to, from]
};

struct SeResNetLayers {
  int planes, filters, block_count, outputs;
  bool has_pairs;
  PolicyPairs pairs;
  Convolution stem;
  Norm stem_norm;
  const ResidualBlock* blocks;
  Linear policy, value_channels, value_hidden, value_out;
};

// Scratch memory of a forward pass, for one group of boards.
struct SeResNetScratch {
  float* boards;          // [boards, 64, filters]
  float* residuals;       // [boards, 64, filters]
  float* planes;          // [64, planes, padded to panels]
  float* tiles;           // of all boards, transformed: [36, tile, channel] with gaps
  float* sums;            // of some panels: [36, tile, panels] with gaps
  float* channels;        // [5, filters]
  float* squares;         // [64, filters], normalised
  float* qkv;             // [64, 3, heads, head_width]
  float* queries;         // of a head or of pairs, transposed: [width, 64]
  float* scores;          // of a head or of pairs: [key, query]
  float* attended;        // [64, heads, head_width]
  float* policy;          // [64, padded(move types)]
  float* value_channels;  // [boards, 64, value channels]
  float* value_hidden;    // [boards, value width]
  float* value_out;       // [boards, padded(outputs)]
};

// Attention of all tokens of a sequence to all.
struct TokenAttention {
  int tokens, heads, head_width;
  const float* bias;  // [heads, query, key], added to the scores; or null

  int width() const { return heads * head_width; }
};

// Scratch memory of token attention, on cache lines. Gradients are for training alone.
struct AttentionScratch {
  int queries;                     // the tokens, padded
  float scale;                     // of scores: 1 / sqrt(head width)
  float* transposed;               // [head width, queries]
  float* weights;                  // [key, query]
  float* gradients = nullptr;      // [key, query]
  const float* bias = nullptr;     // [heads, key, query]
  float* bias_gradient = nullptr;  // [heads, key, query]
  std::ptrdiff_t head_step = 0;    // from head to head

  const float* bias_of(int head) const { return bias + head * head_step; }
  float* bias_gradient_of(int head) const { return bias_gradient + head * head_step; }
};

// Attention and a hidden layer of a transformer, each after a norm and added to its input.
struct TransformerBlock {
  Norm first_norm, second_norm;
  Linear qkv, output, widen, narrow;  // as in SquareAttention; the hidden layer
  const float* bias;                  // as in AttentionScratch
};

// How a transformer's tokens become logits (src/selfmate/nets/transformer.py).
enum class PolicyHead : unsigned char { kPairs, kBoard, kSpecial };

struct PolicyHeadLayers {
  PolicyHead kind;
  Linear start, end, promotion;  // pairs: of from-square, to-square and promotions
  Convolution mix;               // board: over the squares,
  const float* mix_bias;
  Linear planes;       // and to a plane for each kind of move
  Linear out;          // special: of the first token
  const float* usual;  // [1968] bias of each move; not for special
  // [1968] Where a move's number is: pairs [from, to] or planes [square, plane].
  const int* places;
  // [1968] Where a promotion's number is, in [square, 8]; zeros for other moves.
  const int* promotion_places;
};

struct TransformerLayers {
  int width, block_count;  // the width is the true one; rows are padded
  TokenAttention attention;
  std::ptrdiff_t bias_step;  // of the bias of attention, from head to head
  const float* words;        // [16, width]
  const float* places;       // [78, width]
  const TransformerBlock* blocks;
  Norm norm;
  PolicyHeadLayers head;
};

// Scratch memory of a transformer's forward pass, for one position.
struct TransformerScratch {
  float* embedded;    // [78, width]
  float* normed;      // [78, width]
  float* qkv;         // [78, 3, heads, head width]
  float* attended;    // [78, heads, head width]
  float* hidden;      // [78, padded(4 * width)]
  float* change;      // [78, width]
  float* starts;      // [64, width]
  float* ends;        // [64, width]
  float* goals;       // ends, transposed: [width, 64]
  float* promotions;  // [64, 8]
  float* numbers;     // of moves, by pair or plane: [64, 80] or less
  float* tiles;       // as in SeResNetScratch, of one board
  float* sums;        // as in SeResNetScratch, of one board
  AttentionScratch attention;
};

// Scratch memory of a convolution in training, for one group of boards.
struct ConvolutionScratch {
  float* board;   // [64, inputs, padded to panels]
  float* tiles;   // as in SeResNetScratch
  float* sums;    // as in SeResNetScratch
  float* boards;  // [boards, 64, outputs, padded to panels]
};

}  // namespace selfmate
