// The core without Python, for compilers and processors other than ours (`make slow`): prints what
// it computes, which must be what core_checks.txt says. Integers and everything that the portable
// kernels compute are the same, bit for bit, everywhere; other kernels are compared with sums made
// in the obvious way.
#include <cmath>
#include <cstdio>
#include <cstring>

#include "chess/game_batch.h"
#include "chess/pgn.h"
#include "encode/action_batch.h"
#include "encode/encode_batch.h"
#include "encode/position_record.h"
#include "learn/reinforce.h"
#include "nets/convolution.h"
#include "nets/se_resnet.h"
#include "nets/sparse.h"
#include "nets/sparse_net.h"
#include "nets/transformer.h"
#include "search/endgame_table.h"
#include "search/teacher.h"
#include "search/tree_search.h"

using namespace selfmate;

namespace {

constexpr int kThreads = 2;

// FNV-1a.
template <class T>
std::uint64_t digest(std::span<const T> numbers, std::uint64_t hash = 0xCBF29CE484222325ULL) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(numbers.data());
  for (std::size_t i = 0; i < numbers.size_bytes(); ++i)
    hash = (hash ^ bytes[i]) * 0x100000001B3ULL;
  return hash;
}

template <class T>
void print_digest(const char* name, const std::vector<T>& numbers) {
  std::printf("%s %016llx\n", name,
              static_cast<unsigned long long>(digest(std::span<const T>(numbers))));
}

std::vector<float> random_floats(std::size_t count, std::uint64_t seed, float scale = 1.0f) {
  Random random(seed);
  std::vector<float> numbers;
  for (std::size_t i = 0; i < count; ++i)
    numbers.push_back((float(random.below(1 << 20)) / float(1 << 19) - 1.0f) * scale);
  return numbers;
}

void check_rules() {
  const std::pair<const char*, int> starts[] = {
      {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 4},
      {"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 3},
      {"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 4}};
  for (const auto& [fen, depth] : starts) {
    Position position = parse_fen(fen);
    std::printf("perft %d %llu\n", depth, static_cast<unsigned long long>(perft(position, depth)));
  }
  PgnReader reader(kThreads);
  reader.feed("[Event \"a\"]\n\n1. e4 e5 2. Nf3 {a comment} Nc6 3. Bb5 (3. Bc4) a6 1-0\n");
  reader.finish();
  print_digest("pgn", reader.take().moves);
  print_digest("endgame_table", endgame_table(Endgame::kRook));
}

// The games of a batch after some random moves.
GameBatch played_batch() {
  GameBatch batch(150, {}, 1, 80, kThreads);
  std::vector<Move> moves(150);
  for (int ply = 0; ply < 60; ++ply) {
    batch.random_moves(moves);
    batch.step(moves);
  }
  return batch;
}

void check_encodings(Games games) {
  for (const EncodingLayout& layout : kEncodings) {
    std::vector<float> out(games.size() * layout.size());
    encode_batch(encoding_named(layout.name), games, out.data(), Number::kFloat32, kThreads);
    print_digest(std::string(layout.name).c_str(), out);
  }
  for (const ActionLayout& layout : kActionEncodings)
    print_digest(std::string(layout.name).c_str(),
                 legal_actions(action_encoding_named(layout.name), games, kThreads).values);
  std::vector<std::uint8_t> records(games.size() * kPositionRecordSize);
  record_games(games, records.data(), kThreads);
  print_digest("position_records", records);
  print_digest("legal_of_records",
               legal_actions_of_records(ActionEncoding::kUci1968, records, kThreads).values);
}

void check_searches(Games games) {
  print_digest("teacher", teacher_scores(games.first(30), 2, kThreads).scores);
  TreeSearch search(SearchConfig{});
  search.set(0, *games[0]);
  search.start(0, 300, false, 0);
  const float wdl[] = {0.25f, 0.5f, 0.25f};
  while (search.gather(1, [](std::size_t, const Game&) {})) search.receive_uniform(wdl);
  std::vector<std::int32_t> visits;
  for (const Edge& edge : search.tree(0).root_edges()) visits.push_back(edge.visits);
  print_digest("tree_search", visits);
}

class Weighted {
 public:
  // Numbers of this shape, small enough for sums of `inputs` of them.
  void add(const std::string& name, std::vector<std::size_t> shape) {
    std::size_t size = 1;
    for (const std::size_t extent : shape) size *= extent;
    const float scale = shape.size() > 1 ? 1.7f / std::sqrt(float(size / shape[0])) : 0.3f;
    numbers_.push_back(random_floats(size, numbers_.size(), scale));
    weights_[name] = {numbers_.back().data(), std::move(shape)};
  }
  void add_layer(const std::string& name, std::vector<std::size_t> shape) {
    add(name + ".bias", {shape[0]});
    add(name + ".weight", std::move(shape));
  }
  const Weights& weights() const { return weights_; }

 private:
  std::vector<std::vector<float>> numbers_;
  Weights weights_;
};

void check_net() {
  constexpr std::size_t kFilters = 16;
  Weighted net;
  net.add("stem.weight", {kFilters, kPlanes, 3, 3});
  for (const char* name :
       {"stem_norm", "blocks.0.first_norm", "blocks.0.second_norm", "blocks.0.attention.norm"})
    net.add_layer(name, {kFilters});
  for (const char* name : {"blocks.0.first.weight", "blocks.0.second.weight"})
    net.add(name, {kFilters, kFilters, 3, 3});
  net.add_layer("blocks.0.squeeze.down", {kFilters / 8, kFilters});
  net.add_layer("blocks.0.squeeze.up", {kFilters, kFilters / 8});
  net.add("blocks.0.attention.places", {kSquares, kFilters});
  net.add_layer("blocks.0.attention.look", {3 * kFilters, kFilters});
  net.add_layer("blocks.0.attention.add", {kFilters, kFilters});
  net.add_layer("policy", {kMoveTypes, kFilters, 1, 1});
  net.add_layer("pairs", {2 * kFilters, kFilters});
  net.add_layer("value.channels", {kValueChannels, kFilters, 1, 1});
  net.add_layer("value.hidden", {kValueWidth, kSquares * kValueChannels});
  net.add_layer("value.out", {3, kValueWidth});
  SeResNet portable({1, int(kFilters), 1, true, true, 96, true}, net.weights(), "portable");
  constexpr std::size_t kBoards = 3;
  const std::vector<float> planes = random_floats(kBoards * kPlanes * kSquares, 99);
  std::vector<float> values(kBoards * 3), logits(kBoards * kSquares * kMoveTypes);
  portable.evaluate(planes.data(), kBoards, kThreads, values.data(), logits.data());
  print_digest("se_resnet_values", values);
  print_digest("se_resnet_logits", logits);
}

// The weights of a transformer of one block, but for its policy head.
Weighted transformer_body(std::size_t width, std::size_t heads) {
  Weighted net;
  net.add("words.weight", {kWords, width});
  net.add("places", {kTokens, width});
  for (const char* name : {"norm", "blocks.0.first_norm", "blocks.0.second_norm"})
    net.add_layer(name, {width});
  net.add_layer("blocks.0.look", {3 * width, width});
  net.add_layer("blocks.0.add", {width, width});
  net.add_layer("blocks.0.widen", {4 * width, width});
  net.add_layer("blocks.0.narrow", {width, 4 * width});
  net.add("blocks.0.geometry", {heads, kTokens, kTokens});
  return net;
}

void check_transformer(const char* name, Games games, PolicyHead head, const Weighted& net,
                       int width, int heads) {
  const TransformerShape shape{width, 1, heads, head, true};
  Transformer portable(shape, net.weights(), "portable");
  const PositionBatch batch = positions_of(games);
  std::vector<float> logits(batch.moves.values.size());
  portable.evaluate(batch, kThreads, logits.data());
  print_digest(name, logits);
}

void check_transformers(Games games) {
  constexpr std::size_t kWidth = 20, kHeadCount = 2;  // heads that are padded
  Weighted pairs = transformer_body(kWidth, kHeadCount);
  pairs.add("read_out.usual", {kUciActions});
  pairs.add_layer("read_out.start", {kWidth, kWidth});
  pairs.add_layer("read_out.end", {kWidth, kWidth});
  pairs.add_layer("read_out.promotion", {kPromotions, kWidth});
  check_transformer("transformer_pairs", games, PolicyHead::kPairs, pairs, kWidth, kHeadCount);
  Weighted board = transformer_body(kWidth, kHeadCount);
  board.add("read_out.usual", {kUciActions});
  board.add_layer("read_out.mix", {kWidth, kWidth, 3, 3});
  board.add_layer("read_out.planes", {kGoalPlanes, kWidth, 1, 1});
  check_transformer("transformer_board", games, PolicyHead::kBoard, board, kWidth, kHeadCount);
  Weighted special = transformer_body(kWidth, kHeadCount);
  special.add_layer("read_out.out", {kUciActions, kWidth});
  check_transformer("transformer_special", games, PolicyHead::kSpecial, special, kWidth,
                    kHeadCount);
}

// With the fastest kernels: whole numbers are the same with all of them.
void check_sparse_net(Games games) {
  constexpr std::size_t kWidth = 64, kHead = 32;
  const ViewFeatures features{4, true};
  Weighted net;
  net.add("accumulator.weight", {std::size_t(input_count(features)), kWidth});
  net.add("accumulator.bias", {kWidth});
  net.add_layer("policy", {kHead, 2 * kWidth});
  net.add_layer("value.0", {kHead, 2 * kWidth});
  net.add_layer("value.1", {kHead, kHead});
  net.add_layer("value.2", {3, kHead});
  net.add_layer("moves", {kViewMoveRowCount, kHead});
  SparseNet fastest({features, kWidth, kHead, kHead}, net.weights());
  const PositionBatch batch = positions_of(games);
  std::vector<float> wdl(3 * games.size()), logits(batch.moves.values.size());
  fastest.evaluate(batch, kThreads, wdl.data(), logits.data());
  print_digest("sparse_net_logits", logits);
}

void check_reinforce() {
  ReinforceSettings settings;
  settings.hidden = {20, 12};
  settings.max_plies = 40;
  settings.baseline = Baseline::kValueHead;
  settings.entropy_bonus = 0.01;
  settings.updates = 2;
  Reinforce learner(settings, true);
  for (int iteration = 0; iteration < 2; ++iteration) {
    learner.begin_iteration(4);
    while (learner.work()) {
    }
  }
  const std::span<const float> parameters = learner.net().parameters();
  print_digest("reinforce", std::vector<float>(parameters.begin(), parameters.end()));
}

void check_convolution() {
  constexpr int kInputs = 5, kOutputs = 9;
  const auto filters = random_floats(kOutputs * kInputs * 9, 7);
  const auto board = random_floats(kSquares * kInputs, 8);
  const auto packed = packed_filters({filters.data(), kOutputs, kInputs});
  std::vector<float> out(kSquares * kOutputs);
  convolve(board.data(), 1, kInputs, packed.data(), kOutputs, out.data(), kThreads);
  double largest_error = 0;
  for (int square = 0; square < kSquares; ++square)
    for (int output = 0; output < kOutputs; ++output) {
      double sum = 0;
      for (int tap = 0; tap < 9; ++tap) {
        const int rank = square / 8 + tap / 3 - 1, file = square % 8 + tap % 3 - 1;
        if (rank < 0 || rank > 7 || file < 0 || file > 7) continue;
        for (int input = 0; input < kInputs; ++input)
          sum += double(board[std::size_t((rank * 8 + file) * kInputs + input)]) *
                 double(filters[std::size_t((output * kInputs + input) * 9 + tap)]);
      }
      const double found = double(out[std::size_t(square * kOutputs + output)]);
      largest_error = std::max(largest_error, std::abs(found - sum));
    }
  std::printf("convolution %s\n", largest_error < 1e-4 ? "agrees" : "differs");
}

void check_sparse() {
  constexpr std::size_t kWidth = 37;
  const std::vector<std::int32_t> columns{3, 0, 2, 1};
  const std::vector<std::int64_t> offsets{0, 1, 1, 4};
  const auto values = random_floats(columns.size(), 5), matrix = random_floats(4 * kWidth, 6);
  std::vector<float> out(3 * kWidth);
  times_matrix({columns, values, offsets}, matrix.data(), kWidth, out.data(), kThreads);
  double largest_error = 0;
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t i = 0; i < kWidth; ++i) {
      double sum = 0;
      for (auto at = std::size_t(offsets[row]); at < std::size_t(offsets[row + 1]); ++at)
        sum += double(values[at]) * double(matrix[std::size_t(columns[at]) * kWidth + i]);
      largest_error = std::max(largest_error, std::abs(double(out[row * kWidth + i]) - sum));
    }
  std::printf("sparse %s\n", largest_error < 1e-5 ? "agrees" : "differs");
}

}  // namespace

int main() {
  check_rules();
  const GameBatch batch = played_batch();
  const std::vector<const Game*> games = batch.games();
  check_encodings(games);
  check_searches(games);
  check_net();
  check_transformers(Games(games).first(12));
  check_sparse_net(Games(games).first(12));
  check_reinforce();
  check_convolution();
  check_sparse();
}
