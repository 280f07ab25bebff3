#include "nets/se_resnet.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "chess/notation.h"
#include "chess/parallel.h"
#include "nets/wide.h"
#include "nets/winograd.h"

SELFMATE_WIDE_BEGIN
#include "nets/functions.h"
#include "nets/vectors.h"

namespace selfmate {
namespace {

constexpr std::int64_t kSquares = 64;
constexpr std::int64_t kPlanes = 68;
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
SELFMATE_WIDE_END

namespace selfmate {
namespace {

constexpr std::int64_t kBoards = 8;  // as the convolutions have them
constexpr std::int64_t kKinds = 73;
constexpr std::int64_t kReduction = 8;
constexpr std::int64_t kValueChannels = 8;
constexpr std::int64_t kValueWidth = 512;

// Memory of one thread, kept from call to call.
class Room {
 public:
  explicit Room(std::int64_t filters) {
    const std::int64_t wide = filters + kPanel, boards = kBoards * kSquares;
    for (float** part : {&seen, &board, &first, &second})
      want(part, boards * std::max(wide, kPlanes));
    for (float** part : {&factors, &summands, &means, &hidden, &excitement}) want(part, wide);
    for (float** part : {&normed, &around, &change}) want(part, kSquares * wide);
    want(&heads, kSquares * (3 * filters + kPanel) + kPanel);
    want(&turned, kSquares * wide);
    want(&scores, kSquares * kSquares);
    want(&policy, kSquares * (kKinds + kPanel));
    for (float** part : {&flat, &deep}) want(part, kBoards * kValueWidth);
    want(&value, kBoards * kPanel);
    thread_local std::vector<float> kept;
    if (std::int64_t(kept.size()) < size_) kept.resize(std::size_t(size_));
    for (const auto& [part, offset] : wanted_) *part = kept.data() + offset;
  }

  float *seen, *board, *first, *second, *factors, *summands, *means, *hidden, *excitement;
  float *normed, *around, *change, *heads, *turned, *scores, *policy, *flat, *deep, *value;

 private:
  void want(float** part, std::int64_t size) {
    wanted_.emplace_back(part, size_);
    size_ += size;
  }

  std::vector<std::pair<float**, std::int64_t>> wanted_;
  std::int64_t size_ = 0;
};

Block block_of(const Tensors& weights, const std::string& name, std::int64_t filters) {
  Block block{.first = convolution_of(weights, name + ".first", filters, filters),
              .second = convolution_of(weights, name + ".second", filters, filters),
              .first_norm = norm_of(weights, name + ".first_norm", filters),
              .second_norm = norm_of(weights, name + ".second_norm", filters),
              .squeeze = {},
              .attention = {}};
  if (weights.contains(name + ".squeeze.down.weight"))
    block.squeeze = {linear_of(weights, name + ".squeeze.down", filters / kReduction, filters),
                     linear_of(weights, name + ".squeeze.up", filters, filters / kReduction)};
  if (weights.contains(name + ".attention.places"))
    block.attention = {norm_of(weights, name + ".attention.norm", filters),
                       matrix_of(weights, name + ".attention.places", kSquares, filters),
                       linear_of(weights, name + ".attention.look", 3 * filters, filters),
                       linear_of(weights, name + ".attention.add", filters, filters)};
  return block;
}

// The first planes of a position, [plane, square], to [square, plane].
void turn_planes(const float* planes, std::int64_t count, float* out) {
  for (std::int64_t s = 0; s < kSquares; ++s)
    for (std::int64_t plane = 0; plane < count; ++plane)
      out[s * count + plane] = planes[plane * kSquares + s];
}

void norm_and_gelu(const Norm& norm, std::int64_t filters, float* board, Room& room) {
  group_norm(board, filters, norm, room.factors, room.summands, room.means);
  scale_and_gelu(board, filters, room.factors, room.summands);
}

void attend(const Attention& layer, std::int64_t filters, float* board, Room& room) {
  norm_squares(board, filters, layer, room.normed);
  apply(layer.look, room.normed, kSquares, room.heads);
  for (std::int64_t head = 0; head < kHeads; ++head)
    look_around(room.heads, layer.look.width, filters, head, room.turned, room.scores, room.change,
                room.around);
  apply(layer.add, room.around, kSquares, room.change);
  add_all(board, room.change, layer.add.width, filters);
}

void run_block(const Block& block, std::int64_t count, std::int64_t filters, Room& room) {
  convolve(room.board, count, filters, block.first.weights.data(), filters, room.first, 1);
  for (std::int64_t i = 0; i < count; ++i)
    norm_and_gelu(block.first_norm, filters, room.first + i * kSquares * filters, room);
  convolve(room.first, count, filters, block.second.weights.data(), filters, room.second, 1);
  for (std::int64_t i = 0; i < count; ++i) {
    float* board = room.board + i * kSquares * filters;
    const float* change = room.second + i * kSquares * filters;
    group_norm(change, filters, block.second_norm, room.factors, room.summands, room.means);
    if (block.squeeze)
      excite(*block.squeeze, room.means, filters, room.hidden, room.excitement, room.factors,
             room.summands);
    add_and_gelu(board, change, filters, room.factors, room.summands);
    if (block.attention) attend(*block.attention, filters, board, room);
  }
}

void copy_rows(const float* from, std::int64_t rows, std::int64_t step, std::int64_t size,
               float* to) {
  for (std::int64_t row = 0; row < rows; ++row)
    std::copy_n(from + row * step, size, to + row * size);
}

}  // namespace

SeResNet::SeResNet(const Tensors& weights) {
  const auto& shape = named(weights, "stem.weight").shape;
  if (shape.size() != 4 || shape[0] < kGroups || shape[0] % kGroups || shape[1] > kPlanes)
    throw BadInput("the weights stem.weight have a wrong shape");
  const std::int64_t filters = shape[0];
  stem_ = convolution_of(weights, "stem", filters, shape[1]);
  stem_norm_ = norm_of(weights, "stem_norm", filters);
  for (std::size_t number = 0;; ++number) {
    const std::string name = "blocks." + std::to_string(number);
    if (!weights.contains(name + ".first.weight")) break;
    blocks_.push_back(block_of(weights, name, filters));
  }
  policy_ = pointwise_of(weights, "policy", kKinds, filters);
  value_channels_ = pointwise_of(weights, "value.channels", kValueChannels, filters);
  value_hidden_ = flattened_of(weights, "value.hidden", kValueWidth, kValueChannels);
  const bool wdl = named(weights, "value.out.bias").shape == std::vector<std::int64_t>{3};
  value_out_ = linear_of(weights, "value.out", wdl ? 3 : 1, kValueWidth);
}

void SeResNet::evaluate(const float* planes, std::int64_t count, float* logits, float* value,
                        int threads) const {
  parallel_for(count, threads, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t at = begin; at < end; at += kBoards)
      evaluate_some(planes + at * kPlanes * kSquares, std::min(kBoards, end - at),
                    logits + at * kSquares * kKinds, value + at * values());
  });
}

void SeResNet::evaluate_some(const float* planes, std::int64_t count, float* logits,
                             float* value) const {
  const std::int64_t filters = stem_.outputs, board = kSquares * filters;
  Room room(filters);
  for (std::int64_t i = 0; i < count; ++i)
    turn_planes(planes + i * kPlanes * kSquares, stem_.inputs,
                room.seen + i * kSquares * stem_.inputs);
  convolve(room.seen, count, stem_.inputs, stem_.weights.data(), filters, room.board, 1);
  for (std::int64_t i = 0; i < count; ++i)
    norm_and_gelu(stem_norm_, filters, room.board + i * board, room);
  for (const Block& block : blocks_) run_block(block, count, filters, room);
  for (std::int64_t i = 0; i < count; ++i) {
    apply(policy_, room.board + i * board, kSquares, room.policy);
    copy_rows(room.policy, kSquares, policy_.width, kKinds, logits + i * kSquares * kKinds);
    apply(value_channels_, room.board + i * board, kSquares, room.policy);
    copy_rows(room.policy, kSquares, value_channels_.width, kValueChannels,
              room.flat + i * kValueWidth);
  }
  apply(value_hidden_, room.flat, count, room.deep);
  gelu_all(room.deep, count * kValueWidth);
  apply(value_out_, room.deep, count, room.value);
  copy_rows(room.value, count, value_out_.width, values(), value);
}

}  // namespace selfmate
