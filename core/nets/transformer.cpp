#include "nets/transformer.h"

#include <algorithm>
#include <array>

#include "encode/actions.h"
#include "encode/tokens.h"

namespace selfmate {
namespace {

static_assert(kTokens == kTokens78Size && kWords == kTokenVocabulary);
static_assert(kUciActions == action_count(ActionEncoding::kUci1968));

constexpr int kExpansion = 4;  // the hidden layer of a block is this many times as wide as tokens
constexpr int kWidest = 1 << 16;
constexpr int kQueries = (kTokens + kPanel - 1) / kPanel * kPanel;  // tokens, padded
constexpr std::string_view kHeadNames[] = {"pairs", "board8x8", "special"};

void check(const TransformerShape& shape) {
  if (shape.blocks < 1 || shape.heads < 1 || shape.width < 1 || shape.width > kWidest ||
      shape.width % shape.heads)
    throw BadInput("a transformer of " + std::to_string(shape.blocks) + " blocks of width " +
                   std::to_string(shape.width) + " with " + std::to_string(shape.heads) +
                   " heads cannot be made: it takes at least one block, a width of up to " +
                   std::to_string(kWidest) + " and a number of heads that divides it");
}

int head_width(const TransformerShape& shape) {
  return padded(shape.width / shape.heads);
}

// Where a move's number is among those of pairs of squares [from, to].
int pair_place(Move move) {
  return from_of(move) * kSquares + to_of(move);
}

// Where a move's number is among the planes [from, plane]: one for each to-square, and those of
// promotions by direction and piece.
int plane_place(Move move) {
  const Square from = from_of(move), to = to_of(move);
  const int side = file_of(to) - file_of(from) + 1, piece = promotion_of(move);
  const int plane = piece ? kSquares + side * kPromotions + piece - 1 : to;
  return from * padded(kGoalPlanes) + plane;
}

// Where a promotion's number is, of [to-square, piece]. What stands behind the pieces is zero, for
// moves that do not promote.
int promotion_place(Move move) {
  const int piece = promotion_of(move);
  return to_of(move) * padded(kPromotions) + (piece ? piece - 1 : kPromotions);
}

using MovePlaces = std::array<int, kUciActions>;

MovePlaces places_of(int (*place)(Move)) {
  MovePlaces places;
  std::transform(uci1968_moves().begin(), uci1968_moves().end(), places.begin(), place);
  return places;
}

// The layers of a transformer by their names.
class Packer : public WeightReader {
 public:
  Packer(const TransformerShape& shape, const Weights& weights, const Kernels& kernels,
         std::vector<AlignedFloats>& buffers)
      : WeightReader(weights, buffers), shape_(shape), kernels_(kernels) {}

  TransformerBlock block(const std::string& name) {
    const int width = shape_.width;
    return {.first_norm = norm(name + ".first_norm", width),
            .second_norm = norm(name + ".second_norm", width),
            .qkv = queries_keys_values(name + ".look", width, shape_.heads),
            .output = attention_output(name + ".add", width, shape_.heads),
            .widen = padded_linear(name + ".widen", width, kExpansion * width),
            .narrow = padded_linear(name + ".narrow", kExpansion * width, width),
            .bias = shape_.has_bias ? bias(name + ".geometry") : allocate(kTokens * kQueries)};
  }

  PolicyHeadLayers policy_head(const std::string& name) {
    PolicyHeadLayers head{};
    head.kind = shape_.head;
    if (head.kind == PolicyHead::kSpecial) {
      head.out = padded_linear(name + "out", shape_.width, kUciActions);
      return head;
    }
    head.usual = copy(name + "usual", {kUciActions});
    if (head.kind == PolicyHead::kPairs)
      add_pairs(name, head);
    else
      add_board(name, head);
    return head;
  }

 private:
  // From [heads, query, key] to [heads, key, query], queries padded.
  const float* bias(const std::string& name) {
    const auto heads = std::size_t(shape_.heads);
    const float* from = find(name, {heads, kTokens, kTokens});
    float* to = allocate(heads * kTokens * kQueries);
    for (std::size_t head = 0; head < heads; ++head)
      for (std::size_t query = 0; query < kTokens; ++query)
        for (std::size_t key = 0; key < kTokens; ++key)
          to[(head * kTokens + key) * kQueries + query] = *from++;
    return to;
  }

  void add_pairs(const std::string& name, PolicyHeadLayers& head) {
    static const MovePlaces pairs = places_of(pair_place), promotions = places_of(promotion_place);
    const int width = shape_.width;
    head.start = padded_linear(name + "start", width, width);
    head.end = padded_linear(name + "end", width, width);
    head.promotion = padded_linear(name + "promotion", width, kPromotions);
    head.places = pairs.data();
    head.promotion_places = promotions.data();
  }

  void add_board(const std::string& name, PolicyHeadLayers& head) {
    static const MovePlaces planes = places_of(plane_place);
    const int width = shape_.width;
    head.mix = convolution(kernels_, name + "mix", width, width);
    head.mix_bias = padded_row(name + "mix.bias", width);
    head.planes = padded_linear(name + "planes", width, kGoalPlanes, true);
    head.places = planes.data();
  }

  const TransformerShape shape_;
  const Kernels& kernels_;
};

// The index of a legal move in the view of the side to move.
int action_of(Move move, Color turn) {
  const int action = encode_action(ActionEncoding::kUci1968, move, turn);
  return turn == kBlack ? uci1968_flipped()[std::size_t(action)] : action;
}

}  // namespace

PolicyHead policy_head_named(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kHeadNames); ++i)
    if (name == kHeadNames[i]) return PolicyHead(i);
  throw BadInput("a transformer has no policy head " + quoted(name) +
                 "; there are pairs, board8x8 and special");
}

// Owns the packed weights of a net.
class Transformer::Packed {
 public:
  Packed(const TransformerShape& shape, const Weights& weights, const Kernels& kernels) {
    Packer packer(shape, weights, kernels, buffers_);
    layers_.width = shape.width;
    layers_.block_count = shape.blocks;
    layers_.attention = {kTokens, shape.heads, head_width(shape), nullptr};
    layers_.bias_step = shape.has_bias ? kTokens * kQueries : 0;
    layers_.words = packer.padded_rows("words.weight", kWords, shape.width);
    layers_.places = packer.padded_rows("places", kTokens, shape.width);
    for (int i = 0; i < shape.blocks; ++i)
      blocks_.push_back(packer.block("blocks." + std::to_string(i)));
    layers_.blocks = blocks_.data();
    layers_.norm = packer.norm("norm", shape.width);
    layers_.head = packer.policy_head("read_out.");
    packer.check_all_used();
  }

  const TransformerLayers& layers() const { return layers_; }

 private:
  std::vector<AlignedFloats> buffers_;
  std::vector<TransformerBlock> blocks_;
  TransformerLayers layers_;
};

// Memory of a forward pass.
class Transformer::Memory : ScratchBuffers {
 public:
  explicit Memory(const TransformerShape& shape) {
    const std::size_t width(padded(shape.width)), attended(shape.heads * head_width(shape));
    scratch_.embedded = allocate(kTokens * width);
    scratch_.normed = allocate(kTokens * width);
    scratch_.qkv = allocate(kTokens * 3 * attended);
    scratch_.attended = allocate(kTokens * attended);
    scratch_.hidden = allocate(kTokens * std::size_t(padded(kExpansion * shape.width)));
    scratch_.change = allocate(kTokens * width);
    scratch_.starts = allocate(kSquares * width);
    scratch_.ends = allocate(kSquares * width);
    scratch_.goals = allocate(kSquares * width);
    scratch_.promotions = allocate(kSquares * padded(kPromotions));
    scratch_.numbers = allocate(kSquares * padded(kGoalPlanes));
    scratch_.tiles = allocate(kPoints * std::size_t(point_stride(1, int(width))));
    scratch_.sums = allocate(sums_size(1));
    scratch_.attention = {.queries = kQueries,
                          .scale = 1.0f,  // the weights of queries contain it
                          .transposed = allocate(std::size_t(head_width(shape)) * kQueries),
                          .weights = allocate(kTokens * kQueries)};
    logits_.resize(kUciActions);
  }

  const TransformerScratch& scratch() const { return scratch_; }
  float* logits() { return logits_.data(); }

 private:
  TransformerScratch scratch_;
  std::vector<float> logits_;
};

Transformer::Transformer(const TransformerShape& shape, const Weights& weights,
                         std::string_view kernels)
    : shape_((check(shape), shape)),
      kernels_(kernels_for(padded(shape.width), kernels)),
      packed_(std::make_unique<Packed>(shape, weights, kernels_)) {}

Transformer::~Transformer() = default;

// Calls work(row, layers, memory) for each row.
template <class Work>
void Transformer::for_each_row(std::int64_t count, int threads, Work work) {
  parallel_for(count, threads, 1, [&](std::int64_t begin, std::int64_t end) {
    auto memory = memory_.take([&] { return std::make_unique<Memory>(shape_); });
    for (std::int64_t row = begin; row < end; ++row) work(row, packed_->layers(), *memory);
    memory_.give_back(std::move(memory));
  });
}

void Transformer::logits(const std::uint8_t* tokens, std::int64_t count, int threads,
                         float* logits) {
  const std::uint8_t* end = tokens + count * kTokens;
  if (const auto* bad = std::find_if(tokens, end, [](auto token) { return token >= kWords; });
      bad != end)
    throw BadInput("a token is a number below " + std::to_string(kWords) + ", not " +
                   std::to_string(int(*bad)));
  for_each_row(count, threads,
               [&](std::int64_t row, const TransformerLayers& layers, Memory& memory) {
                 kernels_.policy_logits(layers, tokens + row * kTokens, memory.scratch(),
                                        logits + row * kUciActions);
               });
}

void Transformer::evaluate(const PositionBatch& batch, int threads, float* logits) {
  for_each_row(std::int64_t(batch.positions.size()), threads,
               [&](std::int64_t row, const TransformerLayers& layers, Memory& memory) {
                 const Position& position = batch.positions[std::size_t(row)];
                 std::array<std::uint8_t, kTokens> tokens;
                 encode_tokens78(position, tokens.data());
                 kernels_.policy_logits(layers, tokens.data(), memory.scratch(), memory.logits());
                 const auto& offsets = batch.moves.offsets;
                 for (auto i = std::size_t(offsets[std::size_t(row)]);
                      i < std::size_t(offsets[std::size_t(row) + 1]); ++i)
                   logits[i] = memory.logits()[action_of(batch.moves.values[i], position.turn())];
               });
}

}  // namespace selfmate
