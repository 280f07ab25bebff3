// The teacher's search of one position, which another thread may stop.
#pragma once

#include <optional>
#include "search/alphabeta.h"

namespace selfmate {

struct RootMove {
  Move move;
  int score;               // centipawns for the side to move
  std::vector<Move> line;  // the move itself and what follows
};

class TeacherSearch {
 public:
  // Every legal move, or nothing when the search was stopped or took more than `most_nodes`
  // (0: no limit). A stopped search stays so.
  std::optional<std::vector<RootMove>> scores(const Game& game, int depth, std::int64_t most_nodes);
  void stop() { stop_.store(true); }
  // Of all searches so far.
  std::int64_t nodes() const { return nodes_; }

 private:
  std::atomic<bool> stop_{false};
  std::atomic<std::int64_t> nodes_{0};
};

}  // namespace selfmate
