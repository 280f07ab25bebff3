// What a net said of positions, kept for when they come again: in other games, or by other moves.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "chess/game.h"

namespace selfmate {

// Chances of the side to move.
struct Wdl {
  float win = 0, draw = 0, loss = 0;
  float value() const { return win - loss; }
  Wdl turned() const { return Wdl{loss, draw, win}; }  // as the other side sees it
};

struct Evaluation {
  Wdl wdl;
  std::vector<float> priors;  // of the legal moves, in the order they are generated
};

// Which positions share an evaluation. Pieces, side, rights, en passant and repetitions always
// count. `exact` adds what else a net of planes68 sees: the three boards before and the clocks.
std::uint64_t evaluation_key(const Game& game, int earlier_occurrences, bool exact);

// Holds `capacity` evaluations; the oldest makes room.
class EvaluationCache {
 public:
  explicit EvaluationCache(std::size_t capacity) : capacity_(capacity) {}

  // Null when there is none; valid until the next `add`.
  const Evaluation* find(std::uint64_t key) const;
  void add(std::uint64_t key, Evaluation evaluation);

 private:
  std::size_t capacity_;
  std::size_t next_ = 0;
  std::vector<std::uint64_t> keys_;
  std::vector<Evaluation> evaluations_;
  std::unordered_map<std::uint64_t, std::size_t> places_;
};

}  // namespace selfmate
