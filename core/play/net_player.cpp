#include "play/net_player.h"

#include <algorithm>
#include <cmath>

#include "encode/actions.h"
#include "encode/planes.h"
#include "learn/policy_gradient.h"
#include "search/endings.h"

namespace selfmate {
namespace {

constexpr int kMaxSimulations = 1'000'000;
// Simulations of one batch do not know each other's results. With this many batches at least, that
// does little harm.
constexpr int kMinBatches = 50, kMaxLeaves = 8;
constexpr float kMateTier = 2, kUnknownTier = 0.5f;  // draws have 0

// A tree search takes logits of az4672, whatever the net.
constexpr auto kActions = std::size_t(action_count(ActionEncoding::kAz4672));

std::size_t action_of(Move move, Color turn) {
  return std::size_t(encode_action(ActionEncoding::kAz4672, move, turn));
}

Wdl wdl_from(std::span<const float> value) {
  if (value.size() == 1) {
    const float win_minus_loss = std::tanh(value[0]);
    return {(1 + win_minus_loss) / 2, 0, (1 - win_minus_loss) / 2};
  }
  const float highest = std::max({value[0], value[1], value[2]});
  const float parts[] = {std::exp(value[0] - highest), std::exp(value[1] - highest),
                         std::exp(value[2] - highest)};
  const float sum = parts[0] + parts[1] + parts[2];
  return {parts[0] / sum, parts[1] / sum, parts[2] / sum};
}

class PlayingResNet : public PlayingNet {
 public:
  PlayingResNet(const SeResNetShape& shape, const Weights& weights) : net_(shape, weights) {}
  bool has_values() const override { return true; }

  std::vector<NetEvaluation> evaluate(Games games, const Ragged<Move>& moves) override {
    const std::size_t count = games.size(), outputs = std::size_t(net_.outputs());
    std::vector<float> planes(count * kPlanes96Size), values(count * outputs);
    std::vector<float> logits(count * kActions);
    for (std::size_t i = 0; i < count; ++i)
      encode_planes96(*games[i], planes.data() + i * kPlanes96Size);
    net_.evaluate(planes.data(), std::int64_t(count), 1, values.data(), logits.data());
    std::vector<NetEvaluation> found(count);
    for (std::size_t i = 0; i < count; ++i) {
      found[i].wdl = wdl_from(std::span(values).subspan(i * outputs, outputs));
      for (auto at = std::size_t(moves.offsets[i]); at < std::size_t(moves.offsets[i + 1]); ++at)
        found[i].logits.push_back(
            logits[i * kActions + action_of(moves.values[at], games[i]->position().turn())]);
    }
    return found;
  }

 private:
  SeResNet net_;
};

class PlayingTransformer : public PlayingNet {
 public:
  PlayingTransformer(const TransformerShape& shape, const Weights& weights)
      : net_(shape, weights) {}
  bool has_values() const override { return false; }

  std::vector<NetEvaluation> evaluate(Games games, const Ragged<Move>& moves) override {
    PositionBatch batch;
    for (const Game* game : games) batch.positions.push_back(game->position());
    batch.moves = moves;
    std::vector<float> logits(moves.values.size());
    net_.evaluate(batch, 1, logits.data());
    std::vector<NetEvaluation> found(games.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      found[i].logits.assign(logits.begin() + moves.offsets[i],
                             logits.begin() + moves.offsets[i + 1]);
    return found;
  }

 private:
  Transformer net_;
};

class PlayingScorer : public PlayingNet {
 public:
  PlayingScorer(const ScorerShape& shape, const Weights& weights)
      : net_(shape, ScorerLayout(shape).read(weights), false) {}
  bool has_values() const override { return net_.shape().value_head; }

  std::vector<NetEvaluation> evaluate(Games games, const Ragged<Move>& moves) override {
    CandidateBatch batch;
    for (std::size_t i = 0; i < games.size(); ++i)
      batch.add(net_.shape().encoding, games[i]->position(),
                std::span(moves.values)
                    .subspan(std::size_t(moves.offsets[i]),
                             std::size_t(moves.offsets[i + 1] - moves.offsets[i])));
    net_.forward(batch, activations_);
    std::vector<NetEvaluation> found(games.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto begin = activations_.scores.begin();
      found[i].logits.assign(begin + moves.offsets[i], begin + moves.offsets[i + 1]);
      if (!has_values()) continue;
      const float value = batch.is_white[i] ? activations_.values[i] : -activations_.values[i];
      found[i].wdl = Wdl{(1 + value) / 2, 0, (1 - value) / 2};
    }
    return found;
  }

 private:
  ScorerNet net_;
  Activations activations_;
};

// What a policy player prefers, before all logits: mates, then what is worth more than a draw.
std::vector<float> tiers_of(const MoveEndings& known, const NetEvaluation& root) {
  std::vector<float> tiers;
  const float usual = root.wdl ? root.wdl->value() : kUnknownTier;
  for (const std::uint8_t ending : known.endings.values)
    tiers.push_back(Ending(ending) == Ending::kMate   ? kMateTier
                    : Ending(ending) == Ending::kDraw ? 0.0f
                                                      : usual);
  return tiers;
}

}  // namespace

std::unique_ptr<PlayingNet> playing_net(const SeResNetShape& shape, const Weights& weights) {
  return std::make_unique<PlayingResNet>(shape, weights);
}

std::unique_ptr<PlayingNet> playing_net(const TransformerShape& shape, const Weights& weights) {
  return std::make_unique<PlayingTransformer>(shape, weights);
}

std::unique_ptr<PlayingNet> playing_net(const ScorerShape& shape, const Weights& weights) {
  return std::make_unique<PlayingScorer>(shape, weights);
}

void NetPlayer::begin(const Game& game, int simulations) {
  if (simulations < 0 || simulations > kMaxSimulations)
    throw BadInput("a search has 0 to 1000000 simulations, not " + std::to_string(simulations));
  const Game* games[] = {&game};
  const PositionBatch batch = positions_of(games);
  game_ = game;
  simulations_ = simulations;
  is_done_ = simulations == 0 || !net_->has_values();
  search_.reset();
  if (is_done_) {
    root_ = net_->evaluate(games, batch.moves).front();
    return;
  }
  SearchConfig config;
  config.leaves_per_game = std::clamp(simulations / kMinBatches, 1, kMaxLeaves);
  batch_ = std::size_t(config.leaves_per_game);
  search_ = std::make_unique<TreeSearch>(config);
  search_->set(0, game);
  search_->start(0, simulations, false, 0);
}

bool NetPlayer::is_about(const Game& game, int simulations) const {
  return simulations == simulations_ && game.plies() == game_.plies() &&
         game.position() == game_.position() && game.moves() == game_.moves();
}

void NetPlayer::step() {
  if (!is_done_) is_done_ = !search_batch();
}

bool NetPlayer::search_batch() {
  std::vector<Game> leaves;
  search_->gather(batch_, [&](std::size_t, const Game& game) { leaves.push_back(game); });
  if (leaves.empty()) return false;
  std::vector<const Game*> games;
  for (const Game& leaf : leaves) games.push_back(&leaf);
  const Ragged<Move> moves = positions_of(games).moves;
  const std::vector<NetEvaluation> found = net_->evaluate(games, moves);
  std::vector<float> wdl, logits(leaves.size() * kActions);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    wdl.insert(wdl.end(), {found[i].wdl->win, found[i].wdl->draw, found[i].wdl->loss});
    const Color turn = leaves[i].position().turn();
    for (std::size_t j = 0; j < found[i].logits.size(); ++j)
      logits[i * kActions + action_of(moves.values[std::size_t(moves.offsets[i]) + j], turn)] =
          found[i].logits[j];
  }
  search_->receive(wdl.data(), logits.data());
  return true;
}

PositionAnalysis NetPlayer::analysis() const {
  return search_ ? by_search() : by_policy();
}

PositionAnalysis NetPlayer::by_policy() const {
  const Game* games[] = {&game_};
  const MoveEndings known = move_endings(games, 1);
  const std::vector<float> tiers = tiers_of(known, root_);
  std::vector<float> log_probs(known.moves.size());
  log_policy(best_kernels(), root_.logits.data(), log_probs.size(), 1.0f, log_probs.data());
  PositionAnalysis found;
  if (root_.wdl) found.value = root_.wdl->value();
  std::size_t best = 0;
  for (std::size_t i = 0; i < known.moves.size(); ++i) {
    found.moves.push_back({known.moves[i], std::exp(log_probs[i]), 0});
    if (std::pair(tiers[i], log_probs[i]) > std::pair(tiers[best], log_probs[best])) best = i;
  }
  found.best = known.moves[best];
  return found;
}

PositionAnalysis NetPlayer::by_search() const {
  const Tree& tree = search_->tree(0);
  const std::vector<float> policy = tree.policy();
  PositionAnalysis found{tree.best_edge()->move, tree.root().wdl().value(), {}};
  const std::span<const Edge> edges = tree.root_edges();
  for (std::size_t i = 0; i < edges.size(); ++i)
    found.moves.push_back({edges[i].move, policy[i], edges[i].visits});
  return found;
}

}  // namespace selfmate
