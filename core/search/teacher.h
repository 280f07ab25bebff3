// The alpha-beta teacher, of one position or of many games on several threads, and the simplest
// players.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "encode/games.h"
#include "search/alphabeta.h"

namespace selfmate {

// Game i owns the rows offsets[i] up to offsets[i + 1]; moves are in the order of move generation.
struct MoveScores {
  std::vector<Move> moves;
  std::vector<std::int32_t> scores;  // centipawns for the side to move
  std::vector<std::int64_t> offsets;
};

MoveScores teacher_scores(Games games, int depth, int threads);

struct RootMove {
  Move move;
  int score;               // centipawns for the side to move
  std::vector<Move> line;  // the principal variation, the move itself first
};

// Searches of one position each, which another thread may stop.
class TeacherSearch {
 public:
  // Every legal move, or nothing when the search was stopped or took more than `max_nodes`
  // (0: no limit). Once stopped, all later searches are, too.
  std::optional<std::vector<RootMove>> scores(const Game& game, int depth, std::int64_t max_nodes);
  void stop() { stop_.store(true); }
  // Of all searches so far.
  std::int64_t nodes() const { return nodes_; }

 private:
  std::atomic<bool> stop_{false};
  std::atomic<std::int64_t> nodes_{0};
};

// One move per game into `out`; ties are broken at random by the game's seed. A game without legal
// moves is refused.
void choose_random(Games games, const std::uint64_t* seeds, Move* out, int threads);
// A move that wins the most material at once.
void choose_greedy(Games games, const std::uint64_t* seeds, Move* out, int threads);
// A move with the highest score of each row; the offsets must fit.
void choose_best(const Move* moves, const std::int32_t* scores,
                 std::span<const std::int64_t> offsets, const std::uint64_t* seeds, Move* out);

}  // namespace selfmate
