// The search tree of one game. A simulation descends from the root to a leaf, and the evaluation of
// the leaf is backed up along the way. Selection is PUCT (Rosin 2011, Silver et al. 2017), with
// sequential halving at the root on request (Gumbel, Danihelka et al. 2022).
//
// Values are for the side to move: a node's for the side to move there, an edge's for the side that
// plays its move. Mates are proven, not estimated (MCTS-Solver, Winands et al. 2008), and so are
// draws on request. A position is a node once for each path to it, so proofs by repetition and the
// fifty-move rule are exact.
#pragma once

#include <array>
#include <functional>
#include <optional>

#include "chess/random.h"
#include "search/evaluation_cache.h"
#include "search/gumbel.h"
#include "search/search_config.h"

namespace selfmate {

struct Node {
  enum Stage : std::uint8_t {
    kNew,       // not evaluated
    kWaiting,   // being evaluated
    kExpanded,  // its moves have priors
    kDrawn,     // the game is over, or a draw is proven
    kRepeated   // counts as a draw while its earlier occurrence is at or below the root
  };
  std::int32_t first_edge = 0;
  std::int32_t visits = 0;
  float value_sum = 0, draw_sum = 0;
  float square_sum = 0;  // of values
  float evaluation = 0;  // the net's alone
  std::int16_t edge_count = 0;
  std::int16_t in_flight = 0;      // simulations through here whose leaf is being evaluated
  std::int16_t plies_to_mate = 0;  // when proven
  std::int8_t proven = 0;          // 1 the side to move mates, -1 it is mated
  Stage stage = kNew;

  float value() const { return visits ? value_sum / float(visits) : 0.0f; }
  // For the side to move: the proven result, or the mean of all visits.
  Wdl wdl() const {
    if (proven) return Wdl{float(proven > 0), 0.0f, float(proven < 0)};
    const float draw = visits ? draw_sum / float(visits) : 0.0f;
    return Wdl{(1.0f - draw + value()) / 2.0f, draw, (1.0f - draw - value()) / 2.0f};
  }
};

struct Edge {
  float prior = 0;
  float value_sum = 0;
  std::int32_t visits = 0;
  std::int32_t child = -1;  // none yet
  std::int16_t in_flight = 0;
  Move move = kNoMove;
  std::int8_t proven = 0;  // 1 the move mates in the end, -1 it is answered by mate

  // Visits that are finished or under way.
  int tries() const { return visits + in_flight; }
  float value() const { return visits ? value_sum / float(visits) : 0.0f; }
};

struct PathStep {
  std::int32_t node, edge;
};

// A node that waits for its evaluation, and the path to it.
struct Leaf {
  std::vector<PathStep> path;
  std::int32_t node;
  std::uint64_t key;
  Color turn;
  std::optional<Evaluation> cached;  // found in the cache: nobody has to be asked
};

// What the search found for a move, for the side that plays it.
struct MoveAnalysis {
  Wdl wdl;                 // all 0 without visits
  int plies_to_mate = 0;   // negative: the side is mated; 0: no mate is proven
  std::vector<Move> line;  // the principal variation, the move itself first
};

// How a simulation ended.
enum class Simulation : std::uint8_t {
  kLeaf,       // at a leaf that waits for its evaluation, cached or not
  kBackedUp,   // at a known value, which was backed up
  kCollision,  // at a leaf that is being evaluated already: nothing was counted
};

class Tree {
 public:
  using OnLeaf = std::function<void(const Game&)>;

  Tree(const Game& game, const SearchConfig& config);

  // Leaves only these of the root's moves, in a tree that has not searched yet: the others are
  // neither searched nor found to mate.
  void restrict_root(std::span<const Move> moves);
  // Starts a search. With `noise` it depends on the seed; without, it is deterministic.
  void start(int simulations, bool noise, std::uint64_t seed);
  // Whether no further simulation will be started.
  bool is_done() const;
  // One simulation of a search that is not done. `on_leaf` is called with the game at a leaf that
  // must be evaluated.
  Simulation simulate(const EvaluationCache& cache, Leaf& leaf, const OnLeaf& on_leaf);
  // Expands the leaf and backs its value up. `priors` are in the order of `moves_of`.
  void receive(const Leaf& leaf, const Wdl& wdl, std::span<const float> priors);
  std::span<const Edge> moves_of(const Leaf& leaf) const {
    return edges_of(nodes_[std::size_t(leaf.node)]);
  }

  // Plays a legal move; the subtree below it becomes the tree.
  void advance(Move move);

  const Game& game() const { return game_; }
  const Node& root() const { return nodes_[0]; }
  std::span<const Edge> root_edges() const { return edges_of(root()); }
  // Null when there is no legal move.
  const Edge* best_edge() const;
  // The search policy over the root's moves: fractions of the visits, or Gumbel's improved policy.
  // A proven mate has the probability 1.
  std::vector<float> policy() const;
  // For the side that plays the move; none without visits.
  std::optional<Wdl> wdl_of(const Edge& edge) const;
  // Of each of the root's moves, in their order.
  std::vector<MoveAnalysis> analyses() const;
  std::size_t nodes() const { return nodes_.size(); }

 private:
  std::span<const Edge> edges_of(const Node& node) const {
    return {edges_.data() + node.first_edge, std::size_t(node.edge_count)};
  }
  std::span<Edge> edges_of(const Node& node) {
    return {edges_.data() + node.first_edge, std::size_t(node.edge_count)};
  }

  void reserve(std::size_t simulations);
  Node make_node(bool is_root);
  std::int32_t add_node(bool is_root);
  void add_edges(Node& node, Position& position, const MoveList& moves);
  void prepare_root();
  void mix_noise(std::span<Edge> edges);
  static void sort_by_prior(std::span<Edge> edges);
  float root_policy_temperature() const;
  bool is_expanded(std::int32_t at) const;
  std::int32_t descend(std::int32_t at);
  Simulation arrive(std::int32_t at, const EvaluationCache& cache, Leaf& leaf,
                    const OnLeaf& on_leaf);
  void reopen(std::int32_t at);
  void expand(std::span<const PathStep> path, std::int32_t at, const Wdl& wdl,
              std::span<const float> priors);
  void back_up(std::span<const PathStep> path, std::int32_t at, Wdl wdl);
  void prove(Node& node, Edge& edge);
  bool is_proven_draw(const Edge& edge) const;
  void settle(Node& node);

  std::int32_t select(std::int32_t at) const;
  // What PUCT has as numbers of its own at the root.
  struct Puct {
    float c_puct, fpu_reduction;
    bool fpu_absolute;
    float fpu_value;
  };
  static Puct puct_below_root(const SearchConfig& config);
  static Puct puct_at_root(const SearchConfig& config);
  float value_stdev(const Node& node) const;
  float dynamic_c_puct(const Node& node, float c_puct, float visits) const;
  float first_play_value(const Node& node, bool is_root) const;
  std::int32_t select_puct(const Node& node, bool is_root) const;
  std::size_t leading_improved_policy(const Node& node, std::span<float> policy) const;
  std::int32_t select_improved(const Node& node) const;
  std::int32_t select_considered() const;
  std::vector<float> gumbel_scores() const;
  std::vector<float> without_losing_moves(std::vector<float> shares) const;
  int widened_count(const Node& node) const;
  std::vector<ActionStats> action_stats(const Node& node) const;
  GumbelConstants constants() const { return {config_.c_visit, config_.c_scale}; }
  std::vector<Move> line_from(const Edge* edge) const;
  MoveAnalysis analyse(const Edge& edge) const;
  const Edge* best_mate() const;
  const Edge* longest_defence() const;
  const Edge* most_visited() const;
  const Edge* highest_lower_bound() const;
  void keep_below(std::int32_t child);

  SearchConfig config_;
  std::array<Puct, 2> puct_;  // below the root, at the root
  bool is_c_puct_dynamic_;    // else it is the same at all nodes
  Game game_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;  // those of a node are contiguous, in order of their priors
  std::vector<PathStep> path_;
  Random random_{0};
  std::uint64_t restriction_ = 0;  // the key of the root's moves if they are not all; else 0
  int simulations_ = 0;
  int started_ = 0;
  bool noise_ = false;
  std::vector<float> gumbels_;       // of the root's edges: noise + logit
  std::vector<int> earlier_visits_;  // of the root's edges, by earlier searches of this tree
  std::vector<int> considered_;      // by simulation, see `considered_visits`
};

}  // namespace selfmate
