// Nets that play, for callers without Python: by a tree search if they have values, else by policy
// alone. In pieces of work, so that a caller can stop or do other things between them.
#pragma once

#include <memory>
#include <optional>

#include "learn/scorer_net.h"
#include "nets/se_resnet.h"
#include "nets/transformer.h"
#include "search/tree_search.h"

namespace selfmate {

// What a net says about a position with its legal moves.
struct NetEvaluation {
  std::vector<float> logits;  // of each move
  std::optional<Wdl> wdl;     // for the side to move; none of a net without values
};

class PlayingNet {
 public:
  virtual ~PlayingNet() = default;
  virtual bool has_values() const = 0;
  // For games with their moves, at least one each.
  virtual std::vector<NetEvaluation> evaluate(Games games, const Ragged<Move>& moves) = 0;
};

// BadInput for weights that are not those of the shape.
std::unique_ptr<PlayingNet> playing_net(const SeResNetShape& shape, const Weights& weights);
std::unique_ptr<PlayingNet> playing_net(const TransformerShape& shape, const Weights& weights);
std::unique_ptr<PlayingNet> playing_net(const ScorerShape& shape, const Weights& weights);

struct MoveShare {
  Move move;
  float probability;  // of the search, or of the net alone
  int visits;         // 0 without a search
};

struct PositionAnalysis {
  Move best = kNoMove;
  std::optional<float> value;  // expected result of the side to move, -1 to 1; none without values
  std::vector<MoveShare> moves;
};

class NetPlayer {
 public:
  explicit NetPlayer(std::unique_ptr<PlayingNet> net) : net_(std::move(net)) {}

  // Starts an analysis; BadInput for a game without legal moves. A net without values does not
  // search, whatever the number.
  void begin(const Game& game, int simulations);
  // Whether the analysis that was begun last is of this game and this number of simulations.
  bool is_about(const Game& game, int simulations) const;
  bool is_done() const { return is_done_; }
  // A batch of positions.
  void step();
  PositionAnalysis analysis() const;

 private:
  PositionAnalysis by_policy() const;
  PositionAnalysis by_search() const;
  // False when there was nothing to evaluate.
  bool search_batch();

  const std::unique_ptr<PlayingNet> net_;
  Game game_;
  int simulations_ = -1;  // of the analysis; below 0: there is none
  bool is_done_ = false;
  NetEvaluation root_;  // without a search
  std::unique_ptr<TreeSearch> search_;
  std::size_t batch_ = 1;
};

}  // namespace selfmate
