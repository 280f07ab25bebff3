// Batched self-play of a move scorer: moves are sampled from its policy.
#pragma once

#include "chess/random.h"
#include "chess/records.h"
#include "learn/policy_gradient.h"

namespace selfmate {

struct SelfPlaySettings {
  float temperature = 1.2f;
  int max_plies = 200;             // longer games are truncated and count as draws
  double vs_random = 0;            // fraction of the games in which one side moves at random
  bool plays_mate_in_one = false;  // whatever the policy says
};

// The games of one iteration, all from the standard start. Game i has its own stream of the seed,
// so it is the same beside any other games.
class ScorerSelfPlay {
 public:
  ScorerSelfPlay(const SelfPlaySettings& settings, int games, std::uint64_t seed);

  bool is_done() const { return running_.empty(); }
  // One ply of a few games.
  void step(const ScorerNet& net);

  std::int64_t plies() const { return plies_; }
  std::size_t ended() const { return slots_.size() - running_.size(); }
  const Game& game(std::size_t number) const { return slots_[number].game; }
  int random_side(std::size_t number) const { return slots_[number].random_side; }
  const SampledGames& sampled() const { return sampled_; }
  SampledGames take() { return std::move(sampled_); }

 private:
  struct Slot {
    Game game;
    Random random;
    int random_side;  // that moves at random: 1 White, -1 Black, 0 none
  };

  bool moves_at_random(const Slot& slot) const;
  Move sample(const ScorerNet& net, std::size_t number, const MoveList& legal, std::size_t row);
  // False when the move ended the game.
  bool play(std::size_t number, Move move);

  const SelfPlaySettings settings_;
  std::vector<Slot> slots_;
  std::vector<std::size_t> running_;  // numbers of games
  std::size_t next_ = 0;              // in `running_`: who moves next
  std::int64_t plies_ = 0;
  SampledGames sampled_;
  CandidateBatch batch_;
  Activations found_;
  std::vector<float> log_probs_;
};

// The index that a uniform number in (0, 1) draws from probabilities exp(log_probs).
std::size_t draw(const Kernels& kernels, std::span<const float> log_probs, double uniform_number);

}  // namespace selfmate
