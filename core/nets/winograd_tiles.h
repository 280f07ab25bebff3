// Winograd's transforms of boards, gradients and weights. To be included like nets/vectors.h.
#pragma once

#include "nets/vectors.h"

namespace selfmate {
namespace {

constexpr int kPlaces = 36;  // of a transformed tile
constexpr int kTiles = 4;    // of a board
constexpr int kSide = 12;    // of a transformed board: two tiles of 6

// Lines of a board or tile: what is transformed lies `step` apart.
struct Line {
  Vec* at;
  int step;

  [[gnu::always_inline]] Vec& operator[](int i) const { return at[i * step]; }
  [[gnu::always_inline]] Line from(int i) const { return {at + i * step, step}; }
};

// The six inputs of a tile: one before its four, and one after; beyond the board's edge is zero.
struct OfInputs {
  [[gnu::always_inline]] static void tile(Line board, int tile, Line out) {
    const Line line = board.from(4 * tile);
    const Vec zero{};
    const Vec before = tile == 0 ? zero : line[-1], after = tile == 0 ? line[4] : zero;
    const Vec even = line[3] - 4.0f * line[1], odd = line[2] - 4.0f * line[0];
    const Vec even2 = line[3] - line[1], odd2 = 2.0f * (line[2] - line[0]);
    out[0] = 4.0f * before - 5.0f * line[1] + line[3];
    out[1] = even + odd;
    out[2] = even - odd;
    out[3] = even2 + odd2;
    out[4] = even2 - odd2;
    out[5] = 4.0f * line[0] - 5.0f * line[2] + after;
  }
};

// The gradients of a tile's four outputs: the transpose of to_outputs.
struct OfGradients {
  [[gnu::always_inline]] static void tile(Line board, int tile, Line out) {
    const Line line = board.from(4 * tile);
    const Vec even = line[0] + line[2], odd = line[1] + line[3];
    const Vec even2 = line[0] + 4.0f * line[2], odd2 = 2.0f * line[1] + 8.0f * line[3];
    out[0] = line[0];
    out[1] = even + odd;
    out[2] = even - odd;
    out[3] = even2 + odd2;
    out[4] = even2 - odd2;
    out[5] = line[3];
  }
};

[[gnu::always_inline]] inline void to_outputs(Line sums, Line out) {
  const Vec even = sums[1] + sums[2], odd = sums[1] - sums[2];
  const Vec even2 = sums[3] + sums[4], odd2 = sums[3] - sums[4];
  out[0] = sums[0] + even + even2;
  out[1] = odd + 2.0f * odd2;
  out[2] = even + 4.0f * even2;
  out[3] = odd + 8.0f * odd2 + sums[5];
}

[[gnu::always_inline]] inline void of_weights(Line weights, Line out) {
  const Vec ends = weights[0] + weights[2], ends2 = weights[0] / 24.0f + weights[2] / 6.0f;
  const Vec middle2 = weights[1] / 12.0f;
  out[0] = weights[0] / 4.0f;
  out[1] = (-ends - weights[1]) / 6.0f;
  out[2] = (-ends + weights[1]) / 6.0f;
  out[3] = ends2 + middle2;
  out[4] = ends2 - middle2;
  out[5] = weights[2];
}

// The transpose of of_weights.
[[gnu::always_inline]] inline void to_weights(Line sums, Line out) {
  const Vec even = (sums[1] + sums[2]) / 6.0f, even2 = (sums[3] + sums[4]) / 6.0f;
  out[0] = sums[0] / 4.0f - even + even2 / 4.0f;
  out[1] = (sums[2] - sums[1]) / 6.0f + (sums[3] - sums[4]) / 12.0f;
  out[2] = sums[5] - even + even2;
}

// A board of `channels` to [place, tile, width]; from place to place it is `stride`.
template <class Of>
[[gnu::always_inline]] inline void spread_board(const float* board, std::int64_t channels,
                                                float* out, std::int64_t width,
                                                std::int64_t stride) {
  for (std::int64_t c = 0; c < width; c += kLanes) {
    Vec ranks[8 * kSide], squares[8], column[kSide];
    for (int rank = 0; rank < 8; ++rank) {
      for (int file = 0; file < 8; ++file)
        squares[file] = load_some(board + (8 * rank + file) * channels + c,
                                  std::max<std::int64_t>(channels - c, 0));
      for (int tile = 0; tile < 2; ++tile)
        Of::tile({squares, 1}, tile, {ranks + kSide * rank + 6 * tile, 1});
    }
    for (int x = 0; x < kSide; ++x) {
      for (int tile = 0; tile < 2; ++tile)
        Of::tile({ranks + x, kSide}, tile, {column + 6 * tile, 1});
      for (int y = 0; y < kSide; ++y) {
        const int place = 6 * (y % 6) + x % 6, tile = 2 * (y / 6) + x / 6;
        store(out + place * stride + tile * width + c, column[y]);
      }
    }
  }
}

// Back from [place, tile, width] to a board of `channels`.
[[gnu::always_inline]] inline void gather_board(const float* sums, std::int64_t width,
                                                std::int64_t stride, float* board,
                                                std::int64_t channels) {
  for (std::int64_t c = 0; c < channels; c += kLanes)
    for (int tile = 0; tile < kTiles; ++tile) {
      Vec places[kPlaces], ranks[4 * 6], done[16];
      for (int place = 0; place < kPlaces; ++place)
        places[place] = load(sums + place * stride + tile * width + c);
      for (int x = 0; x < 6; ++x) to_outputs({places + x, 6}, {ranks + x, 6});
      for (int y = 0; y < 4; ++y) to_outputs({ranks + 6 * y, 1}, {done + 4 * y, 1});
      float* corner = board + (32 * (tile / 2) + 4 * (tile % 2)) * channels + c;
      for (int i = 0; i < 16; ++i)
        store_some(corner + (8 * (i / 4) + i % 4) * channels, done[i], channels - c);
    }
}

}  // namespace
}  // namespace selfmate
