// The teacher and the simplest players, over many games and threads.
#pragma once

#include <cstdint>
#include <vector>

#include "encode/games.h"

namespace selfmate {

// Game i owns the rows offsets[i] up to offsets[i + 1]; moves stand in the order of the legal list.
struct MoveScores {
  std::vector<Move> moves;
  std::vector<std::int32_t> scores;  // centipawns for the side to move
  std::vector<std::int64_t> offsets;
};

MoveScores teacher_scores(Games games, int depth, int threads);

// One move per game into `out`, chance settled by the game's number in `dice`. A game without
// legal moves is refused.
void choose_random(Games games, const std::uint64_t* dice, Move* out, int threads);
// A move that wins the most material at once.
void choose_greedy(Games games, const std::uint64_t* dice, Move* out, int threads);
// A move of the highest score of each row; the offsets must fit.
void choose_best(const Move* moves, const std::int32_t* scores,
                 std::span<const std::int64_t> offsets, const std::uint64_t* dice, Move* out);

}  // namespace selfmate
