#include "search/tree.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "search/check_finder.h"
#include "search/noise.h"

namespace selfmate {
namespace {

constexpr std::size_t kTypicalMoves = 32;   // of a middlegame position, about
constexpr std::size_t kMaxReserved = 4096;  // nodes: a search may have no limit
// Nodes count edges in 31 bits, and the next node may have as many as a list of moves.
constexpr std::size_t kMaxEdges = (std::size_t(1) << 31) - kMoveListCapacity;

Wdl proven_wdl(int proven) {
  return Wdl{float(proven > 0), float(proven == 0), float(proven < 0)};
}

void add_visit(Node& node, const Wdl& wdl) {
  ++node.visits;
  node.value_sum += wdl.value();
  node.draw_sum += wdl.draw;
  node.square_sum += wdl.value() * wdl.value();
}

// Priors at `temperature` times the temperature that they have; they are sorted, and stay so.
void apply_temperature(std::span<Edge> edges, float temperature) {
  if (temperature == 1.0f || edges.empty()) return;
  const float highest = edges.front().prior;
  float sum = 0.0f;
  for (Edge& edge : edges) sum += edge.prior = std::pow(edge.prior / highest, 1.0f / temperature);
  for (Edge& edge : edges) edge.prior /= sum;
}

bool mates(Position& position, Move move) {
  const Undo undo = position.make(move);
  const bool mates = position.in_check() && !has_legal_move(position);
  position.unmake(undo);
  return mates;
}

}  // namespace

Tree::Tree(const Game& game, const SearchConfig& config)
    : config_(config),
      puct_{puct_below_root(config), puct_at_root(config)},
      is_c_puct_dynamic_(config.c_puct_factor > 0.0f || config.c_puct_stdev_scale > 0.0f),
      game_(game) {
  add_node(true);
}

void Tree::restrict_root(std::span<const Move> moves) {
  Node& node = nodes_[0];
  const auto edges = edges_of(node);
  const auto end = std::stable_partition(edges.begin(), edges.end(), [&](const Edge& edge) {
    return std::find(moves.begin(), moves.end(), edge.move) != moves.end();
  });
  node.edge_count = std::int16_t(end - edges.begin());
  node.proven = std::any_of(edges.begin(), end, [](const Edge& edge) { return edge.proven > 0; });
  node.plies_to_mate = node.proven;
  restriction_ = 1;
  for (auto edge = edges.begin(); edge != end; ++edge)
    restriction_ = mix_bits(restriction_ + edge->move);
}

void Tree::start(int simulations, bool noise, std::uint64_t seed) {
  random_ = Random(seed);
  simulations_ = simulations;
  started_ = 0;
  noise_ = noise;
  reserve(std::size_t(simulations));
  if (root().stage == Node::kExpanded) prepare_root();
}

// Growing in small steps would copy the tree several times.
void Tree::reserve(std::size_t simulations) {
  const std::size_t more = std::min(simulations, kMaxReserved);
  nodes_.reserve(nodes_.size() + more);
  edges_.reserve(edges_.size() + more * kTypicalMoves);
}

bool Tree::is_done() const {
  if (root().edge_count == 0 || root().stage == Node::kDrawn) return true;
  if (root().stage != Node::kExpanded) return false;
  return root().proven || started_ >= simulations_ ||
         nodes_.size() >= std::size_t(config_.max_nodes) || edges_.size() >= kMaxEdges;
}

Simulation Tree::simulate(const EvaluationCache& cache, Leaf& leaf, const OnLeaf& on_leaf) {
  path_.clear();
  std::int32_t at = 0;
  while (is_expanded(at)) at = descend(at);
  const Simulation end = arrive(at, cache, leaf, on_leaf);
  for (std::size_t i = 0; i < path_.size(); ++i) game_.pop();
  if (end != Simulation::kCollision) {
    started_ += !path_.empty();  // the root's own evaluation does not count
    return end;
  }
  for (const PathStep& step : path_) {
    --nodes_[std::size_t(step.node)].in_flight;
    --edges_[std::size_t(step.edge)].in_flight;
  }
  return end;
}

void Tree::receive(const Leaf& leaf, const Wdl& wdl, std::span<const float> priors) {
  expand(leaf.path, leaf.node, wdl, priors);
}

// The game's present position as a node. A position that is drawn by rule has no moves, except at
// the root: a search there is asked for to play on.
Node Tree::make_node(bool is_root) {
  Position position = game_.position();
  const MoveList moves = legal_moves(position);
  Node node;
  node.first_edge = std::int32_t(edges_.size());
  if (moves.empty()) {
    node.proven = position.in_check() ? -1 : 0;
    node.stage = node.proven ? Node::kNew : Node::kDrawn;
  } else if (!is_root && outcome_of(position, true, game_.earlier_occurrences())) {
    node.stage = Node::kDrawn;
  } else if (!is_root && config_.two_fold_draws && game_.occurrences_within(path_.size())) {
    node.stage = Node::kRepeated;
  } else {
    add_edges(node, position, moves);
  }
  return node;
}

std::int32_t Tree::add_node(bool is_root) {
  nodes_.push_back(make_node(is_root));
  return std::int32_t(nodes_.size() - 1);
}

void Tree::add_edges(Node& node, Position& position, const MoveList& moves) {
  const CheckFinder finder(position);
  node.edge_count = std::int16_t(moves.size());
  edges_.resize(edges_.size() + std::size_t(moves.size()));
  auto edge = edges_of(node).begin();
  for (const Move move : moves) {
    edge->move = move;
    if (finder.may_check(move) && mates(position, move))
      edge->proven = node.proven = 1, node.plies_to_mate = 1;
    ++edge;
  }
}

void Tree::prepare_root() {
  const auto edges = edges_of(nodes_[0]);
  if (config_.num_considered_actions == 0) {
    if (noise_) mix_noise(edges);
    return;
  }
  if (simulations_ == 0) return;  // the last search decides
  gumbels_.clear();
  for (const Edge& edge : edges)
    gumbels_.push_back((noise_ ? gumbel(random_) : 0.0f) +
                       std::log(std::max(edge.prior, kMinPrior)));
  earlier_visits_.clear();
  for (const Edge& edge : edges) earlier_visits_.push_back(edge.visits);
  const int actions = std::min({config_.num_considered_actions, int(edges.size()), simulations_});
  considered_ = considered_visits(actions, simulations_);
}

void Tree::mix_noise(std::span<Edge> edges) {
  const float fraction = config_.dirichlet_fraction;
  const std::vector<float> noise = dirichlet(random_, edges.size(), config_.dirichlet_alpha);
  for (std::size_t i = 0; i < edges.size(); ++i)
    edges[i].prior = (1.0f - fraction) * edges[i].prior + fraction * noise[i];
  sort_by_prior(edges);
}

bool Tree::is_expanded(std::int32_t at) const {
  const Node& node = nodes_[std::size_t(at)];
  return node.stage == Node::kExpanded && (at == 0 || !node.proven);
}

std::int32_t Tree::descend(std::int32_t at) {
  const std::int32_t chosen = select(at);
  path_.push_back({at, chosen});
  ++nodes_[std::size_t(at)].in_flight;
  Edge& edge = edges_[std::size_t(chosen)];
  ++edge.in_flight;
  game_.push(edge.move);
  if (edge.child >= 0) return edge.child;
  const std::int32_t child = add_node(false);
  edges_[std::size_t(chosen)].child = child;  // the edges may have moved
  return child;
}

Simulation Tree::arrive(std::int32_t at, const EvaluationCache& cache, Leaf& leaf,
                        const OnLeaf& on_leaf) {
  Node& node = nodes_[std::size_t(at)];
  if (node.stage == Node::kWaiting) return Simulation::kCollision;
  if (node.stage == Node::kRepeated && !game_.occurrences_within(path_.size())) reopen(at);
  const bool is_drawn = node.stage == Node::kDrawn || node.stage == Node::kRepeated;
  if (is_drawn || (node.proven && at != 0)) {
    back_up(path_, at, proven_wdl(node.proven));
    return Simulation::kBackedUp;
  }
  std::uint64_t key = evaluation_key(game_, game_.earlier_occurrences(), config_.exact_cache_key);
  if (at == 0) key ^= restriction_;  // the priors of some moves are not those of all
  node.stage = Node::kWaiting;
  leaf = Leaf{path_, at, key, game_.position().turn(), std::nullopt};
  // Two positions share a key with a probability of 2^-64; then most differ in their moves.
  const Evaluation* seen = cache.find(key);
  if (seen && seen->priors.size() == std::size_t(node.edge_count))
    leaf.cached = *seen;
  else
    on_leaf(game_);
  return Simulation::kLeaf;
}

// The root has advanced past the earlier occurrence: the draws that were counted are taken back.
void Tree::reopen(std::int32_t at) {
  const int draws = nodes_[std::size_t(at)].visits;
  for (const PathStep& step : path_) {
    nodes_[std::size_t(step.node)].visits -= draws;
    nodes_[std::size_t(step.node)].draw_sum -= float(draws);
    edges_[std::size_t(step.edge)].visits -= draws;
  }
  nodes_[std::size_t(at)] = make_node(false);
}

float Tree::root_policy_temperature() const {
  const float of_root = config_.root_policy_temperature;
  return of_root > 0.0f ? of_root : config_.policy_temperature;
}

// Equal priors keep their order. The numbers of 64 bits that are sorted in place of the edges are
// unique: the bits of a prior, which order like the prior itself as none is negative, and the
// place.
void Tree::sort_by_prior(std::span<Edge> edges) {
  const auto has_higher_prior = [](const Edge& a, const Edge& b) { return a.prior > b.prior; };
  if (std::is_sorted(edges.begin(), edges.end(), has_higher_prior)) return;
  std::array<std::uint64_t, kMoveListCapacity> keys;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    std::uint32_t prior;
    std::memcpy(&prior, &edges[i].prior, sizeof prior);
    keys[i] = std::uint64_t(~prior) << 32 | i;
  }
  const std::vector<Edge> copies(edges.begin(), edges.end());
  std::sort(keys.begin(), keys.begin() + std::ptrdiff_t(edges.size()));
  for (std::size_t i = 0; i < edges.size(); ++i) edges[i] = copies[std::uint32_t(keys[i])];
}

void Tree::expand(std::span<const PathStep> path, std::int32_t at, const Wdl& wdl,
                  std::span<const float> priors) {
  Node& node = nodes_[std::size_t(at)];
  const auto edges = edges_of(node);
  for (std::size_t i = 0; i < edges.size(); ++i) edges[i].prior = priors[i];
  sort_by_prior(edges);
  apply_temperature(edges, at == 0 ? root_policy_temperature() : config_.policy_temperature);
  node.stage = Node::kExpanded;
  node.evaluation = wdl.value();
  if (at == 0) prepare_root();
  back_up(path, at, wdl);
}

void Tree::back_up(std::span<const PathStep> path, std::int32_t at, Wdl wdl) {
  add_visit(nodes_[std::size_t(at)], wdl);
  for (std::size_t i = path.size(); i-- > 0;) {
    Node& node = nodes_[std::size_t(path[i].node)];
    Edge& edge = edges_[std::size_t(path[i].edge)];
    wdl = wdl.flipped();
    --node.in_flight;
    --edge.in_flight;
    ++edge.visits;
    edge.value_sum += wdl.value();
    prove(node, edge);
    if (node.proven || node.stage == Node::kDrawn) wdl = proven_wdl(node.proven);
    add_visit(node, wdl);
  }
}

// A move that mates wins the node.
void Tree::prove(Node& node, Edge& edge) {
  const Node& child = nodes_[std::size_t(edge.child)];
  if (!child.proven) {
    if (!is_proven_draw(edge)) return;
    edge.value_sum = 0.0f;
    return settle(node);
  }
  edge.proven = std::int8_t(-child.proven);
  const auto plies = std::int16_t(child.plies_to_mate + 1);
  if (edge.proven > 0) {
    node.plies_to_mate = node.proven > 0 ? std::min(node.plies_to_mate, plies) : plies;
    node.proven = 1;
    return;
  }
  settle(node);
}

bool Tree::is_proven_draw(const Edge& edge) const {
  return config_.prove_draws && edge.child >= 0 &&
         nodes_[std::size_t(edge.child)].stage == Node::kDrawn;
}

// A node whose moves are all answered by mate is lost; if some of them draw instead, it is drawn.
void Tree::settle(Node& node) {
  bool draws = false;
  for (const Edge& edge : edges_of(node)) {
    if (edge.proven < 0) continue;
    if (!is_proven_draw(edge)) return;
    draws = true;
  }
  if (draws) {
    node.stage = Node::kDrawn;
    node.value_sum = node.square_sum = 0.0f;
    node.draw_sum = float(node.visits);
    return;
  }
  node.proven = -1;
  for (const Edge& each : edges_of(node))
    node.plies_to_mate = std::max(node.plies_to_mate,
                                  std::int16_t(nodes_[std::size_t(each.child)].plies_to_mate + 1));
}

void Tree::advance(Move move) {
  const auto edges = root_edges();
  const auto edge =
      std::find_if(edges.begin(), edges.end(), [&](const Edge& e) { return e.move == move; });
  const std::int32_t child = edge == edges.end() ? -1 : edge->child;
  game_.push(move);
  restriction_ = 0;
  // Sequential halving is planned for one root: such a search ends with it.
  if (config_.num_considered_actions) simulations_ = started_ = 0;
  gumbels_.clear();  // of the old root
  earlier_visits_.clear();
  if (child >= 0 && (nodes_[std::size_t(child)].edge_count || nodes_[std::size_t(child)].proven)) {
    keep_below(child);
    if (root().stage == Node::kExpanded)
      apply_temperature(edges_of(nodes_[0]),
                        root_policy_temperature() / config_.policy_temperature);
    return;
  }
  nodes_.clear();
  edges_.clear();
  add_node(true);
}

// Copied breadth first, so that the edges of a node stay together.
void Tree::keep_below(std::int32_t child) {
  const std::vector<Node> nodes = std::move(nodes_);
  const std::vector<Edge> edges = std::move(edges_);
  nodes_ = {nodes[std::size_t(child)]};
  edges_.clear();
  for (std::size_t at = 0; at < nodes_.size(); ++at) {
    const auto first = std::size_t(nodes_[at].first_edge);
    nodes_[at].first_edge = std::int32_t(edges_.size());
    for (std::size_t i = first; i < first + std::size_t(nodes_[at].edge_count); ++i) {
      Edge edge = edges[i];
      if (edge.child >= 0) {
        nodes_.push_back(nodes[std::size_t(edge.child)]);
        edge.child = std::int32_t(nodes_.size() - 1);
      }
      edges_.push_back(edge);
    }
  }
}

}  // namespace selfmate
