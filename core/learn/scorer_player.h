// A move scorer that plays: `ScorerPlayer` of selfmate.players.
#pragma once

#include "learn/scorer_self_play.h"

namespace selfmate {

struct ScorerPlayerSettings {
  float temperature = 0.7f;  // 0: always the best move
  bool looks_ahead = false;  // adds the value of the position after each move to its score
  // A mate is always played, and a draw only if nothing else can be. Scores of what a net has
  // learned are measured without: with it, a net that knows nothing wins two games of three.
  bool exact_endings = true;
};

// What a net says about the legal moves of a position, in the order of move generation.
struct ScoredMoves {
  std::vector<Move> moves;
  std::vector<float> scores, probabilities;
};
// Probabilities are softmax(score / temperature). BadInput when there is no legal move.
ScoredMoves scored_moves(const ScorerNet& net, const Game& game, float temperature);

Move choose_move(const ScorerNet& net, const Game& game, const ScorerPlayerSettings& settings,
                 Random& random);

// Games against a player that moves at random, in turns as White and Black.
class RandomOpponentMatch {
 public:
  RandomOpponentMatch(const ScorerPlayerSettings& settings, int games, std::uint64_t seed)
      : settings_(settings), games_(games), seed_(seed), random_(seed, 0) {}

  bool is_done() const { return won + drawn + lost == games_; }
  // One ply of the net, and the answer.
  void step(const ScorerNet& net);

  int won = 0, drawn = 0, lost = 0;

 private:
  void count(int result);  // of the net

  const ScorerPlayerSettings settings_;
  const int games_;
  const std::uint64_t seed_;
  Random random_;
  Game game_;
};

}  // namespace selfmate
