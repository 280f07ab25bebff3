// Batched tree search: the searches of many games, one tree per slot. The leaves of all of them go
// out in one batch, and their evaluations come back in one.
#pragma once

#include <memory>

#include "search/position_evaluator.h"
#include "search/tree.h"

namespace selfmate {

class TreeSearch {
 public:
  // At most `leaves_per_game` leaves of a game are in one batch. With one, results are those of a
  // search without batches; more fill the batch where games are few, at the cost of virtual losses.
  explicit TreeSearch(const SearchConfig& config);
  TreeSearch(const TreeSearch&) = delete;

  // Puts a game into a slot, in place of what was there.
  void set(std::size_t slot, const Game& game);
  void clear(std::size_t slot);
  // Searches only these of a new game's moves. BadInput when one of them is not legal, none is
  // given, or the game was searched already.
  void restrict_root(std::size_t slot, std::span<const Move> moves);
  void start(std::size_t slot, int simulations, bool noise, std::uint64_t seed);
  void advance(std::size_t slot, Move move);
  // BadInput when there is no game in the slot.
  const Tree& tree(std::size_t slot) const;

  // Simulates until there are `max_leaves` leaves or no game has another; returns their number, 0
  // when all searches are done. `on_leaf` is called for each leaf in order, with its row and game.
  // All leaves must be received before the next call.
  //
  // A leaf whose evaluation is cached waits for the others of its game, as if it were evaluated
  // with them: a cache with exact keys changes no result, whatever is in it.
  std::size_t gather(std::size_t max_leaves,
                     const std::function<void(std::size_t, const Game&)>& on_leaf);
  std::size_t waiting() const { return asked_; }
  std::size_t cached() const { return cache_.size(); }
  // Leaves so far, of all games: evaluated or found in the cache. What a game adds to it does not
  // depend on the games beside it, other than the number of evaluations.
  std::size_t leaf_count() const { return leaf_count_; }
  // For the leaves of `gather` in their order: wdl [leaves, 3] for the side to move, and logits
  // [leaves, 4672] of az4672, of which those of legal moves count.
  void receive(const float* wdl, const float* logits);
  // The same with uniform priors.
  void receive_uniform(const float* wdl);
  // Gathers, evaluates and receives batches of up to `max_leaves` leaves, until `enough` leaves
  // were evaluated or all searches are done; returns how many were.
  std::size_t run(PositionEvaluator& evaluator, std::size_t max_leaves, std::size_t enough,
                  int threads);

 private:
  struct Waiting {
    std::size_t slot;
    Leaf leaf;
  };

  // Trees change only while nobody is evaluating their leaves.
  void check_received() const;
  Tree& at(std::size_t slot);
  // False when the slot has no leaf now.
  bool next_leaf(std::size_t slot, const Tree::OnLeaf& on_leaf);
  // The next leaves of one game that wait together; where all of them are cached, those after them.
  void gather_from(std::size_t slot, std::size_t max_leaves, const Tree::OnLeaf& on_leaf);
  void receive_cached(std::size_t first);
  // What failed half-way, for example for lack of memory, is unusable: all trees and the cache are
  // cleared.
  template <class Work>
  auto clear_on_failure(Work&& work);
  template <class Priors>
  void receive_all(const float* wdl, Priors&& priors_of);
  std::size_t evaluate_batch(PositionEvaluator& evaluator, std::size_t max_leaves, int threads);

  SearchConfig config_;
  EvaluationCache cache_;
  std::vector<std::unique_ptr<Tree>> trees_;
  std::vector<Waiting> leaves_;
  std::size_t asked_ = 0;  // those of them that are not cached
  std::size_t leaf_count_ = 0;
  std::size_t first_ = 0;  // the slot that is asked first
};

}  // namespace selfmate
