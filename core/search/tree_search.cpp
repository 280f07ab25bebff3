#include "search/tree_search.h"

#include <algorithm>
#include <cmath>

#include "chess/notation.h"
#include "encode/actions.h"

namespace selfmate {
namespace {

// Softmax of the legal moves' logits.
std::vector<float> softmax(std::vector<float> logits) {
  const float highest = *std::max_element(logits.begin(), logits.end());
  float sum = 0.0f;
  for (float& number : logits) sum += number = std::exp(number - highest);
  for (float& number : logits) number /= sum;
  return logits;
}

// Other numbers would mislead the selection.
void check_finite(const std::vector<float>& numbers) {
  if (!std::all_of(numbers.begin(), numbers.end(), [](float x) { return std::isfinite(x); }))
    throw BadInput("the net's answers are not finite");
}

// From logits of all actions of az4672.
std::vector<float> priors_from(std::span<const Edge> moves, Color turn, const float* logits) {
  std::vector<float> of_moves;
  of_moves.reserve(moves.size());
  for (const Edge& edge : moves)
    of_moves.push_back(logits[encode_action(ActionEncoding::kAz4672, edge.move, turn)]);
  return softmax(std::move(of_moves));
}

}  // namespace

TreeSearch::TreeSearch(const SearchConfig& config)
    : config_(config), cache_(std::size_t(config.cache_size)) {}

void TreeSearch::check_received() const {
  if (!leaves_.empty()) throw BadInput("the leaves of the last batch were not received yet");
}

void TreeSearch::set(std::size_t slot, const Game& game) {
  check_received();
  if (slot >= trees_.size()) trees_.resize(slot + 1);
  trees_[slot] = std::make_unique<Tree>(game, config_);
}

void TreeSearch::clear(std::size_t slot) {
  check_received();
  if (slot < trees_.size()) trees_[slot].reset();
}

void TreeSearch::restrict_root(std::size_t slot, std::span<const Move> moves) {
  check_received();
  Tree& tree = at(slot);
  if (tree.root().stage != Node::kNew)
    throw BadInput("slot " + std::to_string(slot) + " was searched already");
  if (moves.empty()) throw BadInput("there must be a move to search");
  for (const Move move : moves)
    if (!tree.game().position().is_legal(move))
      throw BadInput(describe_move(move) + " is not legal in slot " + std::to_string(slot));
  tree.restrict_root(moves);
}

void TreeSearch::start(std::size_t slot, int simulations, bool noise, std::uint64_t seed) {
  check_received();
  at(slot).start(simulations, noise, seed);
}

void TreeSearch::advance(std::size_t slot, Move move) {
  check_received();
  Tree& tree = at(slot);
  if (!tree.game().position().is_legal(move))
    throw BadInput(describe_move(move) + " is not legal in slot " + std::to_string(slot));
  tree.advance(move);
}

const Tree& TreeSearch::tree(std::size_t slot) const {
  if (slot >= trees_.size() || !trees_[slot])
    throw BadInput("there is no game in slot " + std::to_string(slot));
  return *trees_[slot];
}

Tree& TreeSearch::at(std::size_t slot) {
  return const_cast<Tree&>(tree(slot));
}

bool TreeSearch::next_leaf(std::size_t slot, const Tree::OnLeaf& on_leaf) {
  Tree& tree = *trees_[slot];
  Waiting waiting{slot, {}};
  while (!tree.is_done()) {
    const Simulation end = tree.simulate(cache_, waiting.leaf, on_leaf);
    if (end == Simulation::kCollision) return false;
    if (end == Simulation::kBackedUp) continue;
    asked_ += !waiting.leaf.cached;
    ++leaf_count_;
    leaves_.push_back(std::move(waiting));
    return true;
  }
  return false;
}

template <class Work>
auto TreeSearch::clear_on_failure(Work&& work) {
  try {
    return work();
  } catch (...) {
    trees_.clear();
    leaves_.clear();
    asked_ = 0;
    cache_ = EvaluationCache(std::size_t(config_.cache_size));
    throw;
  }
}

void TreeSearch::gather_from(std::size_t slot, std::size_t max_leaves,
                             const Tree::OnLeaf& on_leaf) {
  const std::size_t asked_before = asked_;
  while (asked_ == asked_before) {
    const std::size_t first = leaves_.size();
    for (int n = 0; n < config_.leaves_per_game && asked_ < max_leaves; ++n)
      if (!next_leaf(slot, on_leaf)) break;
    if (leaves_.size() == first) return;
    if (asked_ == asked_before) receive_cached(first);
  }
}

// All leaves from `first` on.
void TreeSearch::receive_cached(std::size_t first) {
  for (std::size_t i = first; i < leaves_.size(); ++i) {
    const auto& [slot, leaf] = leaves_[i];
    trees_[slot]->receive(leaf, leaf.cached->wdl, leaf.cached->priors);
  }
  leaves_.resize(first);
}

std::size_t TreeSearch::gather(std::size_t max_leaves,
                               const std::function<void(std::size_t, const Game&)>& on_leaf) {
  check_received();
  const Tree::OnLeaf show = [&](const Game& game) { on_leaf(asked_, game); };
  const std::size_t slots = trees_.size();
  return clear_on_failure([&] {
    for (std::size_t i = 0; i < slots && asked_ < max_leaves; ++i) {
      const std::size_t slot = (first_ + i) % slots;
      if (!trees_[slot]) continue;
      gather_from(slot, max_leaves, show);
      if (asked_ == max_leaves) first_ = (slot + 1) % slots;
    }
    return asked_;
  });
}

// `priors_of` is called for each leaf that is not cached, with its row.
template <class Priors>
void TreeSearch::receive_all(const float* wdl, Priors&& priors_of) {
  clear_on_failure([&] {
    std::size_t row = 0;
    for (const auto& [slot, leaf] : leaves_) {
      if (leaf.cached) {
        trees_[slot]->receive(leaf, leaf.cached->wdl, leaf.cached->priors);
        continue;
      }
      const float* of_row = wdl + 3 * row;
      Evaluation evaluation{{of_row[0], of_row[1], of_row[2]}, priors_of(row++, slot, leaf)};
      trees_[slot]->receive(leaf, evaluation.wdl, evaluation.priors);
      cache_.add(leaf.key, std::move(evaluation));
    }
  });
  leaves_.clear();
  asked_ = 0;
}

void TreeSearch::receive(const float* wdl, const float* logits) {
  receive_all(wdl, [&](std::size_t row, std::size_t slot, const Leaf& leaf) {
    return priors_from(trees_[slot]->moves_of(leaf), leaf.turn,
                       logits + row * std::size_t(action_count(ActionEncoding::kAz4672)));
  });
}

void TreeSearch::receive_uniform(const float* wdl) {
  receive_all(wdl, [&](std::size_t, std::size_t slot, const Leaf& leaf) {
    const std::size_t moves = trees_[slot]->moves_of(leaf).size();
    return std::vector<float>(moves, 1.0f / float(moves));
  });
}

std::size_t TreeSearch::evaluate_batch(PositionEvaluator& evaluator, std::size_t max_leaves,
                                       int threads) {
  PositionBatch batch;
  const std::size_t count = gather(max_leaves, [&](std::size_t, const Game& game) {
    batch.positions.push_back(game.position());
  });
  if (count == 0) return 0;
  clear_on_failure([&] {
    for (const auto& [slot, leaf] : leaves_) {
      if (leaf.cached) continue;
      for (const Edge& edge : trees_[slot]->moves_of(leaf)) batch.moves.values.push_back(edge.move);
      batch.end_moves();
    }
    std::vector<float> wdl(3 * count), logits(batch.moves.values.size());
    evaluator.evaluate(batch, threads, wdl.data(), logits.data());
    check_finite(wdl);
    check_finite(logits);
    receive_all(wdl.data(), [&](std::size_t row, std::size_t, const Leaf&) {
      const auto begin = logits.begin() + batch.moves.offsets[row];
      return softmax({begin, logits.begin() + batch.moves.offsets[row + 1]});
    });
  });
  return count;
}

std::size_t TreeSearch::run(PositionEvaluator& evaluator, std::size_t max_leaves,
                            std::size_t enough, int threads) {
  std::size_t evaluated = 0;
  while (evaluated < enough) {
    const std::size_t count = evaluate_batch(evaluator, max_leaves, threads);
    if (count == 0) break;
    evaluated += count;
  }
  return evaluated;
}

}  // namespace selfmate
