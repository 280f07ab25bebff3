// What layers do to one board of [64, filters]. To be included like nets/vectors.h.
#pragma once

#include "nets/functions.h"
#include "nets/se_resnet.h"

namespace selfmate {
namespace {

constexpr std::int64_t kSquares = 64;
constexpr std::int64_t kGroups = 8;
constexpr std::int64_t kHeads = 4;
constexpr float kEpsilon = 1e-5f;  // as in torch

// out [rows, width], and its padding, = x [rows, inputs] W' + b
void apply(const Linear& layer, const float* x, std::int64_t rows, float* out) {
  for (std::int64_t row = 0; row < rows; ++row)
    std::copy_n(layer.bias.data(), layer.width, out + row * layer.width);
  multiply_panels<true>(x, rows, layer.inputs, layer.panels.data(), layer.width, out);
}

void gelu_all(float* numbers, std::int64_t size) {
  for (std::int64_t i = 0; i < size; i += kLanes) store(numbers + i, gelu(load(numbers + i)));
}

// A norm over groups of a board's channels, as one factor and one summand per channel. The means
// of what comes out are the summands' and the factors' of the means.
void group_norm(const float* board, std::int64_t filters, const Norm& norm, float* factors,
                float* summands, float* means) {
  const std::int64_t size = filters / kGroups;
  for (std::int64_t c = 0; c < filters; c += kLanes) {
    Vec sum{};
    for (std::int64_t s = 0; s < kSquares; ++s) sum += load(board + s * filters + c);
    store(means + c, sum / float(kSquares));
  }
  for (std::int64_t g = 0; g < filters; g += size) {
    float mean = 0;
    for (std::int64_t c = g; c < g + size; ++c) mean += means[c];
    std::fill_n(summands + g, size, mean / float(size));
  }
  for (std::int64_t c = 0; c < filters; c += kLanes) {
    const Vec mean = load(summands + c);
    Vec squares{};
    for (std::int64_t s = 0; s < kSquares; ++s) {
      const Vec apart = load(board + s * filters + c) - mean;
      squares += apart * apart;
    }
    store(factors + c, squares);
  }
  for (std::int64_t g = 0; g < filters; g += size) {
    float squares = 0;
    for (std::int64_t c = g; c < g + size; ++c) squares += factors[c];
    const float scale = 1.0f / std::sqrt(squares / float(size * kSquares) + kEpsilon);
    for (std::int64_t c = g; c < g + size; ++c) {
      factors[c] = scale * norm.gain[std::size_t(c)];
      summands[c] = norm.bias[std::size_t(c)] - factors[c] * summands[c];
      means[c] = factors[c] * means[c] + summands[c];
    }
  }
}

// board = gelu(factors * board + summands)
void scale_and_gelu(float* board, std::int64_t filters, const float* factors,
                    const float* summands) {
  for (std::int64_t s = 0; s < kSquares; ++s)
    for (std::int64_t c = 0; c < filters; c += kLanes) {
      float* at = board + s * filters + c;
      store(at, gelu(load(factors + c) * load(at) + load(summands + c)));
    }
}

// board = gelu(board + factors * change + summands)
void add_and_gelu(float* board, const float* change, std::int64_t filters, const float* factors,
                  const float* summands) {
  for (std::int64_t s = 0; s < kSquares; ++s)
    for (std::int64_t c = 0; c < filters; c += kLanes) {
      const std::int64_t at = s * filters + c;
      store(board + at,
            gelu(load(board + at) + (load(factors + c) * load(change + at) + load(summands + c))));
    }
}

// What the channels are multiplied by, from their means.
void excite(const Squeeze& squeeze, const float* means, std::int64_t filters, float* hidden,
            float* excitement, float* factors, float* summands) {
  apply(squeeze.down, means, 1, hidden);
  gelu_all(hidden, squeeze.down.width);
  apply(squeeze.up, hidden, 1, excitement);
  for (std::int64_t c = 0; c < filters; c += kLanes) {
    const Vec times = sigmoid(load(excitement + c));
    store(factors + c, load(factors + c) * times);
    store(summands + c, load(summands + c) * times);
  }
}

// Each square's channels, normed; then the square's place is added.
void norm_squares(const float* board, std::int64_t filters, const Attention& layer, float* out) {
  for (std::int64_t s = 0; s < kSquares; ++s) {
    const float* square = board + s * filters;
    Vec sum{}, squares{};
    for (std::int64_t c = 0; c < filters; c += kLanes) sum += load(square + c);
    const float mean = sum_of(sum) / float(filters);
    for (std::int64_t c = 0; c < filters; c += kLanes) {
      const Vec apart = load(square + c) - mean;
      squares += apart * apart;
    }
    const float scale = 1.0f / std::sqrt(sum_of(squares) / float(filters) + kEpsilon);
    for (std::int64_t c = 0; c < filters; c += kLanes)
      store(out + s * filters + c,
            (load(square + c) - mean) * scale * load(layer.norm.gain.data() + c) +
                load(layer.norm.bias.data() + c) + load(layer.places.data() + s * filters + c));
  }
}

// A row of 64 scores to shares of 1.
void softmax(float* scores, float scale) {
  Vec most = load(scores), sum{};
  for (std::int64_t i = kLanes; i < kSquares; i += kLanes) {
    const Vec next = load(scores + i);
    most = next > most ? next : most;
  }
  float top = most[0];
  for (int lane = 1; lane < kLanes; ++lane) top = std::max(top, most[lane]);
  for (std::int64_t i = 0; i < kSquares; i += kLanes) {
    const Vec share = exp_below_zero((load(scores + i) - top) * scale);
    store(scores + i, share);
    sum += share;
  }
  const float factor = 1.0f / sum_of(sum);
  for (std::int64_t i = 0; i < kSquares; i += kLanes) store(scores + i, load(scores + i) * factor);
}

// One head: heads [64, width] holds queries, then keys, then values, each `filters` wide.
void look_around(const float* heads, std::int64_t width, std::int64_t filters, std::int64_t head,
                 float* turned, float* scores, float* values, float* seen) {
  const std::int64_t size = filters / kHeads, padded = (size + kPanel - 1) / kPanel * kPanel;
  const float* queries = heads + head * size;
  const float *keys = queries + filters, *their_values = keys + filters;
  for (std::int64_t s = 0; s < kSquares; ++s)
    for (std::int64_t i = 0; i < size; ++i) turned[i * kSquares + s] = keys[s * width + i];
  for (std::int64_t panel = 0; panel < kSquares; panel += kPanel)
    multiply<false>({queries, width, 1}, kSquares, turned + panel, kSquares, size, scores + panel,
                    kSquares);
  for (std::int64_t s = 0; s < kSquares; ++s)
    softmax(scores + s * kSquares, 1.0f / std::sqrt(float(size)));
  // Products are 16 wide: beyond a head's own there are the next one's, whose sums are not taken.
  for (std::int64_t panel = 0; panel < padded; panel += kPanel)
    multiply<false>({scores, kSquares, 1}, kSquares, their_values + panel, width, kSquares,
                    values + panel, padded);
  for (std::int64_t s = 0; s < kSquares; ++s)
    std::copy_n(values + s * padded, size, seen + s * filters + head * size);
}

// board [64, filters] += change [64, width]
void add_all(float* board, const float* change, std::int64_t width, std::int64_t filters) {
  for (std::int64_t s = 0; s < kSquares; ++s)
    for (std::int64_t c = 0; c < filters; c += kLanes)
      store(board + s * filters + c, load(board + s * filters + c) + load(change + s * width + c));
}

}  // namespace
}  // namespace selfmate
