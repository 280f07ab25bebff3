// Which way a walk goes, and which move is played in the end.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "search/tree.h"

namespace selfmate {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();
constexpr float kLeastPrior = 1e-8f;  // of a logit that still means something

}  // namespace

std::int32_t Tree::select(std::int32_t at) const {
  const Node& node = nodes_[std::size_t(at)];
  if (settings_.gumbel_moves == 0) return select_puct(node, at == 0);
  return at == 0 ? select_considered() : select_improved(node);
}

int Tree::looked_at(const Node& node) const {
  if (settings_.widening <= 0.0f) return node.edge_count;
  const float wanted = settings_.widening * std::pow(float(node.visits), settings_.widening_power);
  return wanted < float(node.edge_count) ? std::max(1, int(std::ceil(wanted))) : node.edge_count;
}

// Below the root tried moves come first, because of those not tried the likeliest is always taken.
float Tree::untried_value(const Node& node, bool is_root) const {
  float mass = 0.0f;
  for (const Edge& edge : edges_of(node)) {
    if (edge.tries())
      mass += edge.prior;
    else if (!is_root)
      break;
  }
  return node.value() - settings_.fpu_reduction * std::sqrt(mass);
}

std::int32_t Tree::select_puct(const Node& node, bool is_root) const {
  const auto edges = edges_of(node);
  const int looked = looked_at(node);
  const float reach =
      settings_.c_puct * std::sqrt(float(std::max(1, node.visits - 1 + node.in_flight)));
  std::optional<float> untried;  // often there is none
  int best = -1;
  float best_score = kNever;
  for (int i = 0; i < node.edge_count; ++i) {
    const Edge& edge = edges[std::size_t(i)];
    if (edge.proven < 0) continue;
    if (i >= looked && best >= 0) break;
    const int tries = edge.tries();
    if (!tries && !untried) untried = untried_value(node, is_root);
    const float lost = settings_.virtual_loss * float(edge.in_flight);
    const float value = tries ? (edge.value_sum - lost) / float(tries) : *untried;
    const float score = value + reach * edge.prior / float(1 + tries);
    if (score > best_score) best = i, best_score = score;
    if (!tries && !is_root) break;
  }
  return node.first_edge + best;
}

std::vector<Known> Tree::known(const Node& node) const {
  std::vector<Known> moves;
  for (const Edge& edge : edges_of(node))
    moves.push_back({std::log(std::max(edge.prior, kLeastPrior)),
                     edge.proven ? float(edge.proven) : edge.value(), edge.visits});
  return moves;
}

// Keeps the shares of visits close to the improved policy.
std::int32_t Tree::select_improved(const Node& node) const {
  const std::vector<float> wanted = improved_policy(known(node), node.evaluation, scale());
  const auto edges = edges_of(node);
  const auto tries = float(node.visits - 1 + node.in_flight);
  std::size_t best = edges.size();
  float best_score = kNever;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const float score = wanted[i] - float(edges[i].tries()) / (1.0f + tries);
    if (edges[i].proven >= 0 && score > best_score) best = i, best_score = score;
  }
  return node.first_edge + std::int32_t(best);
}

// Of the root's moves: Gumbel + logit + sigma(completed Q).
std::vector<float> Tree::gumbel_scores() const {
  const std::vector<Known> moves = known(root());
  std::vector<float> scores = completed_scores(moves, root().evaluation, scale());
  for (std::size_t i = 0; i < moves.size(); ++i) scores[i] += gumbels_[i] + moves[i].logit;
  return scores;
}

// Sequential halving at the root.
std::int32_t Tree::select_considered() const {
  const auto edges = root_edges();
  const std::vector<float> scores = gumbel_scores();
  const int wanted = considered_[std::size_t(begun_)];
  std::size_t best = 0;
  std::pair<int, float> best_score{std::numeric_limits<int>::min(), kNever};
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].proven < 0) continue;
    // Where walks have ended elsewhere than planned, the nearest number of visits will do.
    const int off = std::abs(edges[i].tries() - base_tries_[i] - wanted);
    const std::pair<int, float> score{-off, scores[i]};
    if (score > best_score) best = i, best_score = score;
  }
  return root().first_edge + std::int32_t(best);
}

const Edge* Tree::best_edge() const {
  if (root().edge_count == 0) return nullptr;
  if (root().proven > 0) return best_mate();
  return root().proven < 0 ? longest_defence() : most_visited();
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

// By sequential halving it is the winner, whom only the visits of this search have made.
const Edge* Tree::most_visited() const {
  const auto edges = root_edges();
  const bool halved = gumbels_.size() == edges.size();
  const std::vector<float> ties = halved ? gumbel_scores() : std::vector<float>();
  const Edge* best = nullptr;
  std::pair<int, float> best_score{std::numeric_limits<int>::min(), kNever};
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const int earlier = halved ? base_tries_[i] : 0;
    const int visits = edges[i].proven < 0 ? -1 : edges[i].visits - earlier;
    const std::pair<int, float> score{visits, halved ? ties[i] : edges[i].value()};
    if (score > best_score) best = &edges[i], best_score = score;
  }
  return best;
}

std::vector<float> Tree::policy() const {
  const auto edges = root_edges();
  std::vector<float> shares(edges.size(), 0.0f);
  if (edges.empty()) return shares;
  if (root().proven > 0) {
    shares[std::size_t(best_mate() - edges.data())] = 1.0f;
    return shares;
  }
  if (settings_.gumbel_moves > 0)
    shares = improved_policy(known(root()), root().evaluation, scale());
  else
    for (std::size_t i = 0; i < edges.size(); ++i) shares[i] = float(edges[i].visits);
  return without_lost(std::move(shares));
}

// What is answered by mate is not played, unless everything is; where nothing else was visited,
// priors decide.
std::vector<float> Tree::without_lost(std::vector<float> shares) const {
  const auto edges = root_edges();
  const auto is_playable = [&](std::size_t i) { return root().proven < 0 || edges[i].proven >= 0; };
  const auto normalised = [&] {
    float sum = 0.0f;
    for (std::size_t i = 0; i < shares.size(); ++i) sum += shares[i] *= float(is_playable(i));
    if (sum > 0.0f)
      for (float& share : shares) share /= sum;
    return sum > 0.0f;
  };
  if (normalised()) return shares;
  for (std::size_t i = 0; i < shares.size(); ++i) shares[i] = edges[i].prior;
  normalised();
  return shares;
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
  return child.visits ? std::optional(child.wdl().turned()) : std::nullopt;
}

Outlook Tree::outlook(const Edge& edge) const {
  Outlook found{wdl_of(edge).value_or(Wdl{}), 0, line_from(&edge)};
  const int plies = edge.child < 0 ? 0 : nodes_[std::size_t(edge.child)].plies_to_mate;
  found.plies_to_mate = edge.proven * (plies + 1);
  return found;
}

std::vector<Outlook> Tree::outlooks() const {
  std::vector<Outlook> found;
  for (const Edge& edge : root_edges()) found.push_back(outlook(edge));
  return found;
}

}  // namespace selfmate
