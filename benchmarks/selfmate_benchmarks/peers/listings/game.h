// The mini-chess by its tables, which selfmate.minichess.game makes, and the random draws of a
// game, which are those of selfmate.minichess.simulation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace listings {

constexpr int kReplies = 8;   // of the enemy king, at most
constexpr int kFeatures = 6;  // inputs of a net that are 1, the bias among them

enum Ending : std::int8_t { kOngoing, kMate, kDraw };

// States have the agent to move, afterstates the enemy.
struct Tables {
  std::int64_t actions, states;
  const std::int64_t* afterstates;    // [states, actions]
  const std::int64_t* choices;        // [states, actions], the allowed ones first
  const std::int64_t* choice_counts;  // [states]
  const std::int64_t* endings;        // [afterstates]
  const std::int64_t* replies;        // [afterstates, kReplies], states
  const std::int64_t* reply_counts;   // [afterstates]
  const std::int64_t* features;       // [states, kFeatures]
  const double* starts;               // [states], sums of the probabilities

  std::span<const std::int64_t> allowed(std::int64_t state) const {
    return {choices + state * actions, std::size_t(choice_counts[state])};
  }
  const std::int64_t* features_of(std::int64_t state) const { return features + state * kFeatures; }
};

constexpr std::uint64_t mix_bits(std::uint64_t value) {
  value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ value >> 27) * 0x94D049BB133111EBULL;
  return value ^ value >> 31;
}

// Every game has a stream of random numbers: one draw for its start, then five for every move.
class Stream {
 public:
  Stream() = default;
  Stream(std::uint64_t seed, std::uint64_t game) : key_(mixed(game ^ mixed(seed))) {}

  // Uniform in [0, 1).
  double draw(std::uint64_t place) const {
    return double(mixed(place * kGolden + key_) >> 11) * 0x1p-53;
  }

 private:
  static constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;
  static constexpr std::uint64_t mixed(std::uint64_t value) { return mix_bits(value + kGolden); }

  std::uint64_t key_ = 0;
};

struct Transition {
  std::int64_t state, action, next_state;
  float reward;
  bool continues;
};

// Sums over games and updates, of doubles so that Python can read them as an array.
struct Sums {
  double games = 0, moves = 0, mates = 0, reward = 0, squared_errors = 0, updates = 0;
};

// The games of one agent, one after the other.
class Games {
 public:
  Games(const Tables& tables, std::uint64_t seed, float draw_reward)
      : tables_(tables), seed_(seed), draw_reward_(draw_reward) {
    start(0);
  }

  std::int64_t state() const { return state_; }
  std::int64_t number() const { return number_; }

  Sums sums;  // of the games that ended; the learner adds its updates

  // Epsilon-greedy among the allowed actions. `again` uses other draws, for a second choice.
  std::int64_t choose(const float* values, double epsilon, bool again = false) const {
    const auto allowed = tables_.allowed(state_);
    const std::uint64_t place = ply_ * 5 + (again ? 3 : 1);
    if (stream_.draw(place) < epsilon)
      return allowed[std::size_t(stream_.draw(place + 1) * double(allowed.size()))];
    return *std::max_element(allowed.begin(), allowed.end(), [&](auto left, auto right) {
      return values[left] < values[right] || (values[left] == values[right] && left > right);
    });
  }

  // Plays the action and the enemy's reply; starts the next game if this one has ended.
  Transition play(std::int64_t action) {
    const std::int64_t state = state_;
    const std::int64_t after = tables_.afterstates[state * tables_.actions + action];
    const double reply = stream_.draw(ply_ * 5 + 5) * double(tables_.reply_counts[after]);
    const std::int64_t next = tables_.replies[after * kReplies + std::int64_t(reply)];
    const auto ending = Ending(tables_.endings[after]);
    const float reward = ending == kMate ? 1.0f : ending == kDraw ? draw_reward_ : 0.0f;
    state_ = next;
    ++ply_;
    if (ending != kOngoing) {
      sums.games += 1;
      sums.moves += double(ply_);
      sums.mates += ending == kMate;
      sums.reward += double(reward);
      start(number_ + 1);
    }
    return {state, action, next, reward, ending == kOngoing};
  }

 private:
  void start(std::int64_t number) {
    number_ = number;
    ply_ = 0;
    stream_ = Stream(seed_, std::uint64_t(number));
    const double* end = tables_.starts + tables_.states;
    state_ = std::upper_bound(tables_.starts, end, stream_.draw(0) * end[-1]) - tables_.starts;
  }

  const Tables& tables_;
  std::uint64_t seed_;
  float draw_reward_;
  std::int64_t number_ = 0;
  std::uint64_t ply_ = 0;
  Stream stream_;
  std::int64_t state_ = 0;
};

}  // namespace listings
