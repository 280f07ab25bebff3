#include "nets/se_resnet.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "chess/notation.h"
#include "chess/parallel.h"
#include "nets/wide.h"
#include "nets/winograd.h"

SELFMATE_WIDE_BEGIN
#include "nets/board_layers.h"
SELFMATE_WIDE_END

namespace selfmate {
namespace {

constexpr std::int64_t kBoards = 8;  // as the convolutions have them
constexpr std::int64_t kPlanes = 68;
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
