// A cache of evaluations by a net. Positions come again in other games and by transposition.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "chess/game.h"

namespace selfmate {

// Probabilities of win, draw and loss for the side to move.
struct Wdl {
  float win = 0, draw = 0, loss = 0;
  float value() const { return win - loss; }
  Wdl flipped() const { return Wdl{loss, draw, win}; }  // for the other side
};

struct Evaluation {
  Wdl wdl;
  std::vector<float> priors;  // of the legal moves, in the order they are generated
};

// Positions with the same key share an evaluation. The key covers pieces, side to move, castling
// rights, en passant and repetitions. `exact` adds the rest of planes96: the three boards before
// and the clocks.
std::uint64_t evaluation_key(const Game& game, int earlier_occurrences, bool exact);

// Holds `capacity` evaluations; when it is full, the oldest is replaced.
class EvaluationCache {
 public:
  explicit EvaluationCache(std::size_t capacity) : capacity_(capacity) {}

  // Null when there is none; valid until the next `add`.
  const Evaluation* find(std::uint64_t key) const;
  void add(std::uint64_t key, Evaluation evaluation);
  std::size_t size() const { return evaluations_.size(); }

 private:
  std::size_t capacity_;
  std::size_t next_ = 0;
  std::vector<std::uint64_t> keys_;
  std::vector<Evaluation> evaluations_;
  std::unordered_map<std::uint64_t, std::size_t> places_;
};

}  // namespace selfmate
