#include "search/labelled_games.h"

#include <cmath>

#include "chess/random.h"
#include "encode/actions.h"
#include "encode/packed_features.h"

namespace selfmate {
namespace {

// A game ends without progress after this many plies without a capture or pawn move, unless a side
// is so far ahead that it may be about to mate.
constexpr std::uint32_t kNoProgressPlies = 40;
constexpr int kNoProgressCentipawns = 400;

double uniform(Random& random) {
  return double(random.next() >> 11) * 0x1p-53;
}

// An index, drawn in proportion to the weights.
std::size_t draw(std::span<const double> weights, Random& random) {
  double sum = 0;
  for (const double weight : weights) sum += weight;
  double rest = uniform(random) * sum;
  for (std::size_t i = 0; i < weights.size(); ++i)
    if ((rest -= weights[i]) < 0) return i;
  return weights.size() - 1;
}

// One game and what was recorded of it.
class LabelledGame {
 public:
  LabelledGame(const Game& start, std::uint64_t seed, std::span<const Mover> movers,
               const LabelPlan& plan, PositionEvaluator* net)
      : game_(start.position()), random_(seed), movers_(movers), plan_(plan), net_(net) {}

  void play() {
    for (int ply = 0; ply < plan_.max_plies; ++ply) {
      if (const auto outcome = game_.outcome()) {
        if (outcome->winner) result_ = *outcome->winner == kWhite ? 1 : -1;
        return;
      }
      score_moves();
      record();
      if (goes_nowhere()) return;
      game_.push(choose());
    }
  }

  void append_to(LabelledGames& all, std::int32_t number) const {
    const auto append = [](auto& to, const auto& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    const std::int64_t before = all.offsets.back();
    for (const std::int64_t end : ends_) all.offsets.push_back(before + end);
    append(all.packed, packed_);
    append(all.actions, actions_);
    append(all.scores, scores_);
    all.games.insert(all.games.end(), ends_.size(), number);
    all.results.push_back(result_);
  }

 private:
  void score_moves() {
    AlphaBeta search(game_);
    moves_ = legal_moves(game_.position());
    move_scores_.clear();
    for (const Move move : moves_) move_scores_.push_back(search.score(move, plan_.depth));
    best_ = *std::max_element(move_scores_.begin(), move_scores_.end());
  }

  void record() {
    const Position& position = game_.position();
    const std::size_t begin = actions_.size();
    packed_.resize(packed_.size() + kPackedFeaturesSize);
    pack_features(position, packed_.data() + packed_.size() - kPackedFeaturesSize);
    for (int i = 0; i < moves_.size(); ++i)
      add_action(begin, moves_[i], move_scores_[std::size_t(i)]);
    ends_.push_back(std::int64_t(actions_.size()));
  }

  // Promotions that share an action follow each other.
  void add_action(std::size_t begin, Move move, int score) {
    const Color turn = game_.position().turn();
    int action = encode_action(ActionEncoding::kFromTo4096, move, turn);
    if (turn == kBlack) action = flipped_from_to(action);
    if (actions_.size() > begin && actions_.back() == action) {
      scores_.back() = std::max(scores_.back(), std::int16_t(score));
      return;
    }
    actions_.push_back(std::int16_t(action));
    scores_.push_back(std::int16_t(score));
  }

  bool goes_nowhere() const {
    return game_.position().halfmove_clock() >= kNoProgressPlies &&
           std::abs(best_) < kNoProgressCentipawns;
  }

  Move choose() {
    switch (movers_[game_.position().turn()]) {
      case Mover::kTeacher:
        return teacher_move();
      case Mover::kNet:
        return net_move();
      default:
        return moves_[int(random_.below(std::uint32_t(moves_.size())))];
    }
  }

  // Of equal moves at the edge of the top k the first ones count.
  Move teacher_move() {
    std::vector<std::size_t> order(move_scores_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return move_scores_[a] > move_scores_[b];
    });
    order.resize(std::min(order.size(), std::size_t(plan_.top_k)));
    std::vector<double> weights;
    for (const std::size_t i : order)
      weights.push_back(std::exp((move_scores_[i] - best_) / (100 * plan_.tau)));
    return moves_[int(order[draw(weights, random_)])];
  }

  Move net_move() {
    PositionBatch batch;
    batch.positions.push_back(game_.position());
    batch.moves.values.assign(moves_.begin(), moves_.end());
    batch.end_moves();
    std::vector<float> logits(batch.moves.values.size());
    float wdl[3];
    net_->evaluate(batch, 1, wdl, logits.data());
    const float highest = *std::max_element(logits.begin(), logits.end());
    std::vector<double> weights;
    for (const float logit : logits)
      weights.push_back(std::exp(double(logit - highest) / plan_.net_tau));
    return moves_[int(draw(weights, random_))];
  }

  Game game_;
  Random random_;
  std::span<const Mover> movers_;
  const LabelPlan& plan_;
  PositionEvaluator* net_;
  MoveList moves_;
  std::vector<int> move_scores_;
  int best_ = 0;
  std::vector<std::uint8_t> packed_;
  std::vector<std::int16_t> actions_, scores_;
  std::vector<std::int64_t> ends_;
  std::int8_t result_ = 0;
};

void keep_first(LabelledGames& all, std::size_t positions) {
  if (all.games.size() <= positions) return;
  const auto actions = std::size_t(all.offsets[positions]);
  all.packed.resize(positions * kPackedFeaturesSize);
  all.games.resize(positions);
  all.offsets.resize(positions + 1);
  all.actions.resize(actions);
  all.scores.resize(actions);
}

}  // namespace

LabelledGames play_labelled_games(Games starts, std::span<const std::uint64_t> seeds,
                                  std::span<const Mover> movers, const LabelPlan& plan,
                                  PositionEvaluator* net) {
  LabelledGames all;
  for (std::size_t i = 0; i < starts.size() && all.games.size() < plan.max_positions; ++i) {
    LabelledGame game(*starts[i], seeds[i], movers.subspan(2 * i, 2), plan, net);
    game.play();
    game.append_to(all, std::int32_t(i));
  }
  keep_first(all, plan.max_positions);
  return all;
}

}  // namespace selfmate
