// Games in which the teacher scores every move of every position: what nets imitate.
#pragma once

#include "search/alphabeta.h"
#include "search/position_evaluator.h"

namespace selfmate {

enum class Mover : std::uint8_t { kTeacher, kNet, kRandom };

struct LabelPlan {
  int depth = 2;         // of the teacher's search, in plies
  int top_k = 5;         // the teacher plays one of so many best moves,
  double tau = 1.0;      // drawn by softmax(score / tau); in pawns
  double net_tau = 1.0;  // a net's moves are drawn by softmax(logit / net_tau)
  int max_plies = 160;   // after the start
  std::size_t max_positions = 4096;
};

// N positions in the order of the games, in the view of the side to move.
struct LabelledGames {
  std::vector<std::uint8_t> packed;   // [N, kPackedFeaturesSize]
  std::vector<std::int32_t> games;    // [N] numbers of the games
  std::vector<std::int16_t> actions;  // [L] legal actions of from_to4096
  std::vector<std::int16_t> scores;   // [L] centipawns; of promotions that share an action the best
  std::vector<std::int64_t> offsets{0};  // [N + 1] position i owns offsets[i] to offsets[i + 1]
  std::vector<std::int8_t>
      results;  // [G] of the games played, for White: 1, 0, -1; 0 also where it was cut
};

// Plays one game after the other, each to its end, to the maximum of plies, or until nothing
// happens, until there are `max_positions` positions; the rest of the last game is left out. The
// movers of game i are movers[2 * i] for White and movers[2 * i + 1] for Black; `net` may be null
// if none of them is a net. A game depends on its start, its seed and its movers alone.
LabelledGames play_labelled_games(Games starts, std::span<const std::uint64_t> seeds,
                                  std::span<const Mover> movers, const LabelPlan& plan,
                                  PositionEvaluator* net);

}  // namespace selfmate
