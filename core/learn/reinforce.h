// REINFORCE for chess (Williams 1992): self-play, then the winners' moves become likelier. The
// learner of selfmate.learners.reinforce, in pieces of work of a few milliseconds each.
#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "learn/scorer_player.h"

namespace selfmate {

enum class Baseline : std::uint8_t { kNone, kMovingAverage, kValueHead };
// BadInput for an unknown name.
Baseline baseline_named(std::string_view name);
std::string_view baseline_name(Baseline baseline);

// The settings of `selfmate train reinforce`, with the same names and defaults.
struct ReinforceSettings {
  std::uint64_t seed = 0;
  PositionEncoding encoding = PositionEncoding::kOnehot768;
  std::vector<int> hidden{256, 128};
  double learning_rate = 1e-3;
  int max_plies = 200;
  double temperature_train = 1.2, temperature_play = 0.7;
  Baseline baseline = Baseline::kNone;
  double value_weight = 0.5, entropy_bonus = 0;
  int replay_iterations = 0;
  bool plays_mate_in_one = false;
  double vs_random = 0;
  int updates = 1;

  ScorerShape shape() const { return {encoding, hidden, baseline == Baseline::kValueHead}; }
  // BadInput for a number that is out of bounds.
  void check() const;
};

// Fractions are of the games, `plies` are those the net chose, per game. Truncated games count as
// draws in the loss, but not here.
struct ReinforceMetrics {
  int games = 0;
  double white_wins = 0, black_wins = 0, draws = 0, truncated_games = 0, plies = 0;
  double entropy = 0, ln_legal = 0;
  double loss = 0, value_loss = 0, gradient_norm = 0;  // means over the updates
  double kl = 0;                                       // from the untrained policy
  double baseline = 0;                                 // the moving average of results
};

// All of them, by the names of the Python learner's.
std::vector<std::pair<const char*, double>> named_metrics(const ReinforceMetrics& metrics);

// One game of an iteration.
struct SampleGame {
  std::vector<Move> moves;
  int random_side = 0;   // that moved at random: 1 White, -1 Black, 0 none
  int result_white = 0;  // 1, 0, -1
  bool is_truncated = false;
};

// What a run needs to go on, beside the net's weights.
struct ReinforceCounters {
  std::int64_t iterations = 0, games = 0, adam_steps = 0;
  double average = 0;  // moving average of results, White's view
};

class Reinforce {
 public:
  // A net that knows nothing, from the seed. `portable`: the kernels for any processor.
  explicit Reinforce(const ReinforceSettings& settings, bool portable = false);

  const ReinforceSettings& settings() const { return settings_; }
  // BadInput when the net would have another shape. Takes effect with the next iteration.
  void change(const ReinforceSettings& settings);
  const ScorerNet& net() const { return net_; }
  const ReinforceCounters& counters() const { return counters_; }

  // Starts an iteration, in place of one that is not complete.
  void begin_iteration(int games);
  // The next piece of work; false when the iteration is complete.
  bool work();
  bool is_playing() const { return iteration_ && !iteration_->play.is_done(); }
  // Of the iteration that was begun last.
  std::size_t games_ended() const { return iteration_ ? iteration_->play.ended() : 0; }
  std::int64_t plies_played() const { return iteration_ ? iteration_->play.plies() : 0; }
  // Of the last complete iteration.
  const ReinforceMetrics& metrics() const { return metrics_; }
  const SampleGame& sample() const { return sample_; }

  // Takes over weights, as if the learner had begun with them.
  void load(const Weights& weights);
  // Adam's moments and the weights of the untrained net.
  std::vector<NamedArray> state() const;
  // Goes on from there. BadInput, with nothing changed, when something is missing.
  void restore(const Weights& state, const ReinforceCounters& counters);

 private:
  struct Chunk {
    const SampledGames* games;
    std::span<const std::int64_t> plies;
  };
  struct Iteration {
    Iteration(const SelfPlaySettings& settings, int games, std::uint64_t seed)
        : play(settings, games, seed), random(seed, std::uint64_t(games)) {}
    ScorerSelfPlay play;
    Random random;
    std::vector<std::vector<std::int64_t>> orders;  // of each shard's plies
    std::vector<std::vector<Chunk>> chunks;         // of each update
    double plies_per_update = 0;
    std::size_t update = 0, chunk = 0;   // to do next
    LossSums sums;                       // of this update
    std::vector<std::int64_t> compared;  // plies for the divergence
    double divergence_sum = 0;
    std::size_t compared_count = 0;
    ReinforceMetrics metrics;
  };

  void plan_learning();
  void plan_shard(const SampledGames& games);
  bool is_informative(const SampledGames& games, std::size_t ply) const;
  void add_chunk();
  void finish_update();
  void compare_some();
  void finish();
  LossSettings loss_settings() const;

  ReinforceSettings settings_;
  ScorerNet net_, untrained_;
  Adam adam_;
  std::vector<float> gradient_;
  PolicyGradient policy_gradient_;
  ReinforceCounters counters_;
  std::deque<SampledGames> replay_;
  std::unique_ptr<Iteration> iteration_;
  ReinforceMetrics metrics_;
  SampleGame sample_;
};

}  // namespace selfmate
