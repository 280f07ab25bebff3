// Selection: the move that a simulation takes at a node, and the move that is played in the end.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "search/tree.h"

namespace selfmate {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
constexpr float kStdevPriorVisits = 2.0f;
// Of the most visited move's visits: moves with fewer have no useful confidence bound.
constexpr float kMinLcbFraction = 0.15f;

// Of a move that has visits its own, otherwise `mixed`.
float completed_value(const Edge& edge, float mixed) {
  if (edge.proven) return float(edge.proven);
  return edge.visits ? edge.value() : mixed;
}

}  // namespace

Tree::Puct Tree::puct_below_root(const SearchConfig& config) {
  return {config.c_puct, config.fpu_reduction, config.fpu_absolute, config.fpu_value};
}

Tree::Puct Tree::puct_at_root(const SearchConfig& config) {
  Puct puct = puct_below_root(config);
  if (config.root_c_puct > 0.0f) puct.c_puct = config.root_c_puct;
  if (config.root_fpu_reduction >= 0.0f) puct.fpu_reduction = config.root_fpu_reduction;
  puct.fpu_absolute = config.root_fpu_absolute;
  puct.fpu_value = config.root_fpu_value;
  return puct;
}

std::int32_t Tree::select(std::int32_t at) const {
  const Node& node = nodes_[std::size_t(at)];
  if (config_.num_considered_actions == 0) return select_puct(node, at == 0);
  return at == 0 ? select_considered() : select_improved(node);
}

int Tree::widened_count(const Node& node) const {
  if (config_.widening <= 0.0f) return node.edge_count;
  const float wanted = config_.widening * std::pow(float(node.visits), config_.widening_exponent);
  return wanted < float(node.edge_count) ? std::max(1, int(std::ceil(wanted))) : node.edge_count;
}

// First play urgency. Below the root visited moves come first, because among unvisited moves the
// most probable one is always selected.
float Tree::first_play_value(const Node& node, bool is_root) const {
  const Puct& puct = puct_[is_root];
  if (puct.fpu_absolute) return puct.fpu_value;
  float mass = 0.0f;
  for (const Edge& edge : edges_of(node)) {
    if (edge.tries())
      mass += edge.prior;
    else if (!is_root)
      break;
  }
  return node.value() - puct.fpu_reduction * std::sqrt(mass);
}

// The standard deviation of a node's values, with a prior of a few visits (KataGo's estimate).
float Tree::value_stdev(const Node& node) const {
  const float prior = config_.value_stdev_prior;
  if (node.visits <= 1) return prior;
  const auto visits = float(node.visits);
  const float mean_square = node.value() * node.value();
  const float squares = std::max(node.square_sum, visits * mean_square) +
                        kStdevPriorVisits * (mean_square + prior * prior);
  return std::sqrt(std::max(0.0f, squares / (kStdevPriorVisits + visits - 1.0f) - mean_square));
}

// c_puct as it grows with the visits of a node's moves and follows the deviation of its values.
float Tree::dynamic_c_puct(const Node& node, float c_puct, float visits) const {
  c_puct += config_.c_puct_factor * std::log1p(visits / float(config_.c_puct_base));
  const float ratio = value_stdev(node) / config_.value_stdev_prior;
  return c_puct * (1.0f + config_.c_puct_stdev_scale * (ratio - 1.0f));
}

// PUCT: argmax of Q + c_puct * prior * sqrt(parent visits) / (1 + visits), with virtual losses in
// Q.
std::int32_t Tree::select_puct(const Node& node, bool is_root) const {
  const auto edges = edges_of(node);
  const int widened = widened_count(node);
  const auto visits = float(std::max(1, node.visits - 1 + node.in_flight));
  float c_puct = puct_[is_root].c_puct;
  if (is_c_puct_dynamic_) c_puct = dynamic_c_puct(node, c_puct, visits);
  const float exploration = c_puct * std::sqrt(visits);
  std::optional<float> first_play;  // computed only if needed
  int best = -1;
  float best_score = kMinusInfinity;
  for (int i = 0; i < node.edge_count; ++i) {
    const Edge& edge = edges[std::size_t(i)];
    if (edge.proven < 0) continue;
    if (i >= widened && best >= 0) break;
    const int tries = edge.tries();
    if (!tries && !first_play) first_play = first_play_value(node, is_root);
    const float loss = config_.virtual_loss * float(edge.in_flight);
    const float value = tries ? (edge.value_sum - loss) / float(tries) : *first_play;
    const float score = value + exploration * edge.prior / float(1 + tries);
    // The first is taken even if numbers too large for a float made its score NaN.
    if (best < 0 || score > best_score) best = i, best_score = score;
    if (!tries && !is_root) break;
  }
  return node.first_edge + best;
}

std::vector<ActionStats> Tree::action_stats(const Node& node) const {
  std::vector<ActionStats> moves;
  for (const Edge& edge : edges_of(node))
    moves.push_back({edge.prior, completed_value(edge, 0.0f), edge.visits});
  return moves;
}

// The improved policy, prior * e^sigma(completed Q) normalised, of the moves that were tried and of
// the first after them; returns how many these are. The moves that were tried are the likeliest of
// a node below the root, and the others have one completed Q.
std::size_t Tree::leading_improved_policy(const Node& node, std::span<float> policy) const {
  const auto edges = edges_of(node);
  const GumbelConstants gumbel = constants();
  VisitedSums sums;
  float tried_mass = 0.0f, highest = -1.0f;
  std::size_t tried = 0;
  for (; tried < edges.size() && edges[tried].tries(); ++tried) {
    const Edge& edge = edges[tried];
    tried_mass += edge.prior;
    if (!edge.visits) continue;
    sums.add(edge.prior, completed_value(edge, 0.0f), edge.visits);
    highest = std::max(highest, completed_value(edge, 0.0f));
  }
  const float mixed = sums.mixed_value(node.evaluation);
  const float highest_sigma = gumbel.sigma(std::max(highest, mixed), sums.max_visits);
  const auto weight = [&](float prior, float value) {
    const float sigma = gumbel.sigma(value, sums.max_visits);
    return std::max(prior, kMinPrior) * std::exp(sigma - highest_sigma);
  };
  float sum = tried < edges.size() ? weight(1.0f - tried_mass, mixed) : 0.0f;
  const std::size_t count = std::min(tried + 1, edges.size());
  for (std::size_t i = 0; i < count; ++i)
    policy[i] = weight(edges[i].prior, completed_value(edges[i], mixed));
  for (std::size_t i = 0; i < tried; ++i) sum += policy[i];
  for (std::size_t i = 0; i < count; ++i) policy[i] /= sum;
  return count;
}

// Below the root Gumbel keeps the fractions of visits close to the improved policy: argmax of
// policy - visits / (1 + all visits). Of the moves that were not tried the likeliest is the best.
std::int32_t Tree::select_improved(const Node& node) const {
  const auto edges = edges_of(node);
  std::array<float, kMoveListCapacity> policy;
  const std::size_t count = leading_improved_policy(node, policy);
  const auto tries = float(node.visits - 1 + node.in_flight);
  std::size_t best = edges.size();
  float best_score = kMinusInfinity;
  for (std::size_t i = 0; i < count; ++i) {
    const float score = policy[i] - float(edges[i].tries()) / (1.0f + tries);
    const bool is_better = best == edges.size() || score > best_score;
    if (edges[i].proven >= 0 && is_better) best = i, best_score = score;
  }
  return node.first_edge + std::int32_t(best);
}

// Of the root's moves: Gumbel noise + logit + sigma(completed Q).
std::vector<float> Tree::gumbel_scores() const {
  std::vector<float> scores =
      completed_scores(action_stats(root()), root().evaluation, constants());
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] += gumbels_[i];
  return scores;
}

// Sequential halving at the root.
std::int32_t Tree::select_considered() const {
  const auto edges = root_edges();
  const std::vector<float> scores = gumbel_scores();
  const int wanted = considered_[std::size_t(started_)];
  std::size_t best = 0;
  std::pair<int, float> best_score{std::numeric_limits<int>::min(), kMinusInfinity};
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].proven < 0) continue;
    // Where simulations have ended otherwise than planned, the nearest number of visits will do.
    const int off = std::abs(edges[i].tries() - earlier_visits_[i] - wanted);
    const std::pair<int, float> score{-off, scores[i]};
    if (score > best_score) best = i, best_score = score;
  }
  return root().first_edge + std::int32_t(best);
}

const Edge* Tree::best_edge() const {
  if (root().edge_count == 0) return nullptr;
  if (root().proven > 0) return best_mate();
  if (root().proven < 0) return longest_defence();
  return config_.lcb_stdevs > 0.0f && gumbels_.empty() ? highest_lower_bound() : most_visited();
}

const Edge* Tree::best_mate() const {
  const Edge* best = nullptr;
  int fewest = std::numeric_limits<int>::max();
  for (const Edge& edge : root_edges()) {
    if (edge.proven <= 0) continue;
    const int plies = edge.child < 0 ? 0 : nodes_[std::size_t(edge.child)].plies_to_mate;
    if (plies < fewest) best = &edge, fewest = plies;
  }
  return best;
}

const Edge* Tree::longest_defence() const {
  const auto edges = root_edges();
  return &*std::max_element(edges.begin(), edges.end(), [&](const Edge& a, const Edge& b) {
    return nodes_[std::size_t(a.child)].plies_to_mate < nodes_[std::size_t(b.child)].plies_to_mate;
  });
}

// After sequential halving it is the winner, for which only the visits of this search count.
const Edge* Tree::most_visited() const {
  const auto edges = root_edges();
  const bool halved = gumbels_.size() == edges.size();
  const std::vector<float> ties = halved ? gumbel_scores() : std::vector<float>();
  const Edge* best = nullptr;
  std::pair<int, float> best_score{std::numeric_limits<int>::min(), kMinusInfinity};
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const int earlier = halved ? earlier_visits_[i] : 0;
    const int visits = edges[i].proven < 0 ? -1 : edges[i].visits - earlier;
    const std::pair<int, float> score{visits, halved ? ties[i] : edges[i].value()};
    if (score > best_score) best = &edges[i], best_score = score;
  }
  return best;
}

// Among moves with enough visits, that of the highest value - lcb_stdevs * its standard error
// (LCB, as in KataGo).
const Edge* Tree::highest_lower_bound() const {
  const Edge* most = most_visited();
  const Edge* best = most;
  float best_bound = kMinusInfinity;
  for (const Edge& edge : root_edges()) {
    if (edge.proven < 0 || !edge.visits) continue;
    if (float(edge.visits) < kMinLcbFraction * float(most->visits)) continue;
    const float error =
        value_stdev(nodes_[std::size_t(edge.child)]) / std::sqrt(float(edge.visits));
    const float bound = edge.value() - config_.lcb_stdevs * error;
    if (bound > best_bound) best = &edge, best_bound = bound;
  }
  return best;
}

std::vector<float> Tree::policy() const {
  const auto edges = root_edges();
  std::vector<float> policy(edges.size(), 0.0f);
  if (edges.empty()) return policy;
  if (root().proven > 0) {
    policy[std::size_t(best_mate() - edges.data())] = 1.0f;
    return policy;
  }
  if (config_.num_considered_actions > 0)
    policy = improved_policy(action_stats(root()), root().evaluation, constants());
  else
    for (std::size_t i = 0; i < edges.size(); ++i) policy[i] = float(edges[i].visits);
  return without_losing_moves(std::move(policy));
}

// Moves that are answered by mate get no probability, unless all are. Where nothing else was
// visited, the priors decide.
std::vector<float> Tree::without_losing_moves(std::vector<float> policy) const {
  const auto edges = root_edges();
  const auto is_playable = [&](std::size_t i) { return root().proven < 0 || edges[i].proven >= 0; };
  const auto normalised = [&] {
    float sum = 0.0f;
    for (std::size_t i = 0; i < policy.size(); ++i) sum += policy[i] *= float(is_playable(i));
    if (sum > 0.0f)
      for (float& probability : policy) probability /= sum;
    return sum > 0.0f;
  };
  if (normalised()) return policy;
  for (std::size_t i = 0; i < policy.size(); ++i) policy[i] = edges[i].prior;
  normalised();
  return policy;
}

std::vector<Move> Tree::line_from(const Edge* edge) const {
  std::vector<Move> moves;
  while (edge) {
    moves.push_back(edge->move);
    if (edge->child < 0) break;
    const auto edges = edges_of(nodes_[std::size_t(edge->child)]);
    edge = nullptr;
    for (const Edge& next : edges) {
      const bool better = !edge || next.proven > edge->proven ||
                          (next.proven == edge->proven && next.visits > edge->visits);
      if ((next.visits || next.proven > 0) && better) edge = &next;
    }
  }
  return moves;
}

std::optional<Wdl> Tree::wdl_of(const Edge& edge) const {
  if (edge.proven) return Wdl{float(edge.proven > 0), 0.0f, float(edge.proven < 0)};
  if (edge.child < 0) return std::nullopt;
  const Node& child = nodes_[std::size_t(edge.child)];
  return child.visits ? std::optional(child.wdl().flipped()) : std::nullopt;
}

MoveAnalysis Tree::analyse(const Edge& edge) const {
  MoveAnalysis found{wdl_of(edge).value_or(Wdl{}), 0, line_from(&edge)};
  const int plies = edge.child < 0 ? 0 : nodes_[std::size_t(edge.child)].plies_to_mate;
  found.plies_to_mate = edge.proven * (plies + 1);
  return found;
}

std::vector<MoveAnalysis> Tree::analyses() const {
  std::vector<MoveAnalysis> found;
  for (const Edge& edge : root_edges()) found.push_back(analyse(edge));
  return found;
}

}  // namespace selfmate
