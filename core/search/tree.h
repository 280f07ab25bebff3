// The tree of one game's search: walks go down to leaves, evaluations come back up.
//
// Values are for the side to move: a node's for the side to move there, an edge's for the side that
// plays its move. Mates are proven, not estimated.
#pragma once

#include <functional>
#include <optional>

#include "chess/random.h"
#include "search/evaluation_cache.h"
#include "search/gumbel.h"

namespace selfmate {

struct TreeSettings {
  float c_puct = 1.5f;
  // A move not tried yet is worth its node's value less this times the square root of the prior
  // mass of the moves that were.
  float fpu_reduction = 0.25f;
  float virtual_loss = 1.0f;  // what a walk under way counts as, until its evaluation is there
  float noise_alpha = 0.3f, noise_share = 0.25f;  // Dirichlet, mixed into the root's priors
  // After n visits a node looks at `widening` * n ^ `widening_power` of its moves, the likeliest
  // first; 0: at all of them.
  float widening = 0.0f, widening_power = 0.5f;
  int gumbel_moves = 0;  // of the root, for sequential halving; 0: PUCT at the root, too
  float gumbel_visits = 50.0f, gumbel_scale = 1.0f;  // c_visit and c_scale of the paper
  bool exact_key = false;
  int most_nodes = 1 << 20;
};

struct Node {
  enum Stage : std::uint8_t {
    kNew,       // not evaluated
    kWaiting,   // being evaluated
    kExpanded,  // its moves have priors
    kDrawn      // the game is over
  };
  std::int32_t first_edge = 0;
  std::int32_t visits = 0;
  float value_sum = 0, draw_sum = 0;
  float evaluation = 0;  // the net's alone
  std::int16_t edge_count = 0;
  std::int16_t in_flight = 0;      // walks under way through here
  std::int16_t plies_to_mate = 0;  // when proven
  std::int8_t proven = 0;          // 1 the side to move mates, -1 it is mated
  Stage stage = kNew;

  float value() const { return visits ? value_sum / float(visits) : 0.0f; }
  // Of the side to move: what is proven, or the mean of the visits.
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
  std::int32_t child = -1;
  std::int16_t in_flight = 0;
  Move move = kNoMove;
  std::int8_t proven = 0;  // 1 the move mates in the end, -1 it is answered by mate

  int tries() const { return visits + in_flight; }
  float value() const { return visits ? value_sum / float(visits) : 0.0f; }
};

struct Turn {
  std::int32_t node, edge;
};

// A position that waits for its evaluation, and the way there.
struct Leaf {
  std::vector<Turn> path;
  std::int32_t node;
  std::uint64_t key;
  Color turn;
};

// What may come of a move, for the side that plays it.
struct Outlook {
  Wdl wdl;                 // all 0 while nothing is known
  int plies_to_mate = 0;   // negative: the side is mated; 0: none is proven
  std::vector<Move> line;  // the move, and what may follow
};

enum class Walk : std::uint8_t {
  kLeaf,       // reached a leaf that must be evaluated
  kCounted,    // ended where the value is known
  kCollision,  // came to a leaf that is being evaluated: nothing was counted
};

class Tree {
 public:
  using OnLeaf = std::function<void(const Game&)>;

  Tree(const Game& game, const TreeSettings& settings);

  // Begins a search of so many walks; with `noise`, which depends on the seed, searches differ.
  void start(int simulations, bool noise, std::uint64_t seed);
  // Whether the walks that were begun are all there will be.
  bool is_done() const;
  // For a search that is not done. `on_leaf` sees the game as it stands at the leaf.
  Walk walk(const EvaluationCache& cache, Leaf& leaf, const OnLeaf& on_leaf);
  // `priors` are of the leaf's moves as they stand in `moves_of`.
  void receive(const Leaf& leaf, const Wdl& wdl, std::span<const float> priors);
  std::span<const Edge> moves_of(const Leaf& leaf) const {
    return edges_of(nodes_[std::size_t(leaf.node)]);
  }

  // Plays a legal move and keeps what the tree knows of what may follow.
  void advance(Move move);

  const Game& game() const { return game_; }
  const Node& root() const { return nodes_[0]; }
  std::span<const Edge> root_edges() const { return edges_of(root()); }
  // Null when there is no legal move.
  const Edge* best_edge() const;
  // How often each of the root's moves should be played: shares of visits, or the policy that the
  // search improved (Gumbel); a proven mate leaves no choice.
  std::vector<float> policy() const;
  // What may come of a move, for the side that plays it, if anything is known.
  std::optional<Wdl> wdl_of(const Edge& edge) const;
  // Of each of the root's moves.
  std::vector<Outlook> outlooks() const;
  std::size_t nodes() const { return nodes_.size(); }

 private:
  std::span<const Edge> edges_of(const Node& node) const {
    return {edges_.data() + node.first_edge, std::size_t(node.edge_count)};
  }
  std::span<Edge> edges_of(const Node& node) {
    return {edges_.data() + node.first_edge, std::size_t(node.edge_count)};
  }

  void make_room(std::size_t simulations);
  std::int32_t add_node(bool is_root);
  void add_edges(Node& node, Position& position, const MoveList& moves);
  void prepare_root();
  void mix_noise(std::span<Edge> edges);
  static void likeliest_first(std::span<Edge> edges);
  bool is_open(std::int32_t at) const;
  std::int32_t descend(std::int32_t at);
  Walk arrive(std::int32_t at, const EvaluationCache& cache, Leaf& leaf, const OnLeaf& on_leaf);
  void expand(std::span<const Turn> path, std::int32_t at, const Wdl& wdl,
              std::span<const float> priors);
  void back_up(std::span<const Turn> path, std::int32_t at, Wdl wdl);
  void prove(Node& node, Edge& edge);

  std::int32_t select(std::int32_t at) const;
  float untried_value(const Node& node, bool is_root) const;
  std::int32_t select_puct(const Node& node, bool is_root) const;
  std::int32_t select_improved(const Node& node) const;
  std::int32_t select_considered() const;
  std::vector<float> gumbel_scores() const;
  std::vector<float> without_lost(std::vector<float> shares) const;
  int looked_at(const Node& node) const;
  std::vector<Known> known(const Node& node) const;
  GumbelScale scale() const { return {settings_.gumbel_visits, settings_.gumbel_scale}; }
  std::vector<Move> line_from(const Edge* edge) const;
  Outlook outlook(const Edge& edge) const;
  const Edge* best_mate() const;
  const Edge* longest_defence() const;
  const Edge* most_visited() const;
  void keep_below(std::int32_t child);

  TreeSettings settings_;
  Game game_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;  // those of a node stand together, the likeliest first
  std::vector<Turn> path_;
  Random random_{0};
  int simulations_ = 0;
  int begun_ = 0;
  bool noise_ = false;
  std::vector<float> gumbels_;   // of the root's edges
  std::vector<int> base_tries_;  // of the same, from earlier searches of this tree
  std::vector<int> considered_;  // by simulation, see `considered_visits`
};

}  // namespace selfmate
