// SARSA and DDQN as the listings of the mini-chess reference design have them, quirks included: one
// game at a time, and a net with one hidden layer, sigmoid throughout. They play the games that
// selfmate.minichess plays in NumPy, some ten times as fast, with weights that differ by rounding
// alone: tests/oracle/test_listings.py compares them.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "game.h"

namespace listings {

struct Settings {
  double episodes, seed, gamma, epsilon0, beta, learning_rate, draw_reward;
  double redraw, next_hidden, all_outputs, one_row;  // of SARSA
  double adam_epsilon;                               // of SARSA; 0 for plain gradient descent
  double replay_size, batch_size, learning_starts, target_update_every;  // of DDQN
  double vectorized, epsilon_stuck;                                      // of DDQN
};

// An action's value is the sigmoid of its row of `last` times the hidden activations.
struct Net {
  std::int64_t inputs, hidden, actions;  // inputs with the bias
  std::vector<float> first;              // [inputs, hidden]
  std::vector<float> last;               // [actions, hidden + 1], the bias at the end
};

// e^x to a float's precision, of operations that compilers turn into vectors.
inline float exponential(float x) {
  x = std::min(std::max(x, -87.0f), 88.0f) * 1.44269504f;
  const float whole = std::floor(x + 0.5f), rest = (x - whole) * 0.69314718f;
  float sum = 1.0f / 720;
  for (const float factor : {1.0f / 120, 1.0f / 24, 1.0f / 6, 1.0f / 2, 1.0f, 1.0f})
    sum = factor + rest * sum;
  return sum * std::bit_cast<float>((std::int32_t(whole) + 127) << 23);
}

void sigmoid(float* values, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) values[i] = 1 / (1 + exponential(-values[i]));
}

// hidden [net.hidden + 1]: the activations, and 1 for the bias.
void activate(const Net& net, const std::int64_t* rows, float* hidden) {
  const std::int64_t width = net.hidden;
  const float* row = net.first.data() + rows[0] * width;
  std::copy_n(row, width, hidden);
  for (int number = 1; number < kFeatures; ++number) {
    row = net.first.data() + rows[number] * width;
    for (std::int64_t i = 0; i < width; ++i) hidden[i] += row[i];
  }
  sigmoid(hidden, width);
  hidden[width] = 1;
}

float logit(const Net& net, const float* hidden, std::int64_t action) {
  const float* weights = net.last.data() + action * (net.hidden + 1);
  std::array<float, 16> sums{};  // one for each lane of a vector
  std::int64_t i = 0;
  for (; i + 16 <= net.hidden; i += 16)
    for (std::size_t lane = 0; lane < 16; ++lane)
      sums[lane] += weights[i + std::int64_t(lane)] * hidden[i + std::int64_t(lane)];
  float sum = 0;
  for (; i <= net.hidden; ++i) sum += weights[i] * hidden[i];
  for (const float lane : sums) sum += lane;
  return sum;
}

void value_all(const Net& net, const float* hidden, float* values) {
  for (std::int64_t action = 0; action < net.actions; ++action)
    values[action] = logit(net, hidden, action);
  sigmoid(values, net.actions);
}

float value_of(const Net& net, const float* hidden, std::int64_t action) {
  float value = logit(net, hidden, action);
  sigmoid(&value, 1);
  return value;
}

// Adam (Kingma and Ba 2015) as listing 2 has it, for one array of weights.
class Adam {
 public:
  Adam(std::size_t size, double epsilon) : first_(size), second_(size), epsilon_(float(epsilon)) {}

  void observe(const std::vector<float>& gradient) {
    ++count_;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      first_[i] = 0.9f * first_[i] + 0.1f * gradient[i];
      second_[i] = 0.999f * second_[i] + 0.001f * gradient[i] * gradient[i];
    }
    mean_ = float(1 / (1 - std::pow(0.9, count_)));
    square_ = float(1 / (1 - std::pow(0.999, count_)));
  }

  // What to add to a weight for a step against its gradient.
  float step(std::size_t i, float rate) const {
    return -rate * first_[i] * mean_ / (std::sqrt(second_[i] * square_) + epsilon_);
  }

 private:
  std::vector<float> first_, second_;
  float epsilon_, mean_ = 0, square_ = 0;
  std::int64_t count_ = 0;
};

class Learner {
 public:
  virtual ~Learner() = default;
  // Plays and learns until so many games have ended in all.
  virtual void play_until(std::int64_t games) = 0;
  virtual const Net& net() const = 0;
  virtual Sums take_sums() = 0;
};

class Sarsa : public Learner {
 public:
  Sarsa(const Tables& tables, const Settings& settings, Net net)
      : tables_(tables),
        settings_(settings),
        net_(std::move(net)),
        games_(tables, std::uint64_t(settings.seed), float(settings.draw_reward)),
        adam_first_(settings.adam_epsilon > 0 ? net_.first.size() : 0, settings.adam_epsilon),
        adam_last_(settings.adam_epsilon > 0 ? net_.last.size() : 0, settings.adam_epsilon) {
    for (auto* hidden : {&here_, &there_}) hidden->resize(std::size_t(net_.hidden) + 1);
    for (auto* values : {&values_, &next_values_, &steps_})
      values->resize(std::size_t(net_.actions));
    by_hidden_.resize(std::size_t(net_.hidden));
    evaluate(games_.state(), here_, values_);
    action_ = games_.choose(values_.data(), epsilon());
  }

  void play_until(std::int64_t games) override {
    while (games_.number() < games) play_and_learn();
  }
  const Net& net() const override { return net_; }
  Sums take_sums() override { return std::exchange(games_.sums, {}); }

 private:
  double epsilon() const {
    return settings_.epsilon0 / (1 + settings_.beta * double(games_.number()));
  }

  void evaluate(std::int64_t state, std::vector<float>& hidden, std::vector<float>& values) {
    activate(net_, tables_.features_of(state), hidden.data());
    value_all(net_, hidden.data(), values.data());
  }

  void play_and_learn() {
    const Transition move = games_.play(action_);
    evaluate(move.state, here_, values_);
    evaluate(games_.state(), there_, next_values_);
    action_ = games_.choose(next_values_.data(), epsilon());
    float target = move.reward;
    if (move.continues) target += float(settings_.gamma) * next_values_[std::size_t(action_)];
    const float error = values_[std::size_t(move.action)] - target;
    learn(move, error, settings_.next_hidden && move.continues ? there_ : here_);
    games_.sums.squared_errors += double(error * error);
    games_.sums.updates += 1;
    if (!settings_.redraw) return;
    evaluate(games_.state(), there_, next_values_);
    action_ = games_.choose(next_values_.data(), epsilon(), true);
  }

  void learn(const Transition& move, float error, const std::vector<float>& hidden) {
    const auto action = std::size_t(move.action);
    for (std::size_t i = 0; i < steps_.size(); ++i)
      steps_[i] = settings_.all_outputs || i == action ? values_[i] * (1 - values_[i]) * error : 0;
    back_propagate(action, hidden);
    if (settings_.adam_epsilon > 0)
      learn_by_adam(move, hidden);
    else
      learn_by_gradient(move, hidden);
  }

  // The errors at the hidden neurons that learn. Adam's moments follow all of them.
  void back_propagate(std::size_t action, const std::vector<float>& hidden) {
    const bool only_one = settings_.one_row && settings_.adam_epsilon == 0;
    const std::size_t from = only_one ? action : 0, to = only_one ? action + 1 : by_hidden_.size();
    const std::size_t width = hidden.size();
    std::fill(by_hidden_.begin(), by_hidden_.end(), 0.0f);
    for (std::size_t output = 0; output < steps_.size(); ++output) {
      if (steps_[output] == 0) continue;
      const float* weights = net_.last.data() + output * width;
      for (std::size_t i = from; i < to; ++i) by_hidden_[i] += steps_[output] * weights[i];
    }
    for (std::size_t i = from; i < to; ++i) by_hidden_[i] *= hidden[i] * (1 - hidden[i]);
  }

  void learn_by_gradient(const Transition& move, const std::vector<float>& hidden) {
    const auto rate = float(settings_.learning_rate);
    const auto width = std::size_t(net_.hidden), row = std::size_t(move.action);
    const std::size_t from = settings_.one_row ? row : 0, to = settings_.one_row ? row + 1 : width;
    for (const std::int64_t input : std::span(tables_.features_of(move.state), kFeatures)) {
      float* weights = net_.first.data() + std::size_t(input) * width;
      for (std::size_t i = from; i < to; ++i) weights[i] -= rate * by_hidden_[i];
    }
    float* weights = net_.last.data() + row * (width + 1);
    for (std::size_t i = 0; i <= width; ++i) weights[i] -= rate * steps_[row] * hidden[i];
  }

  // Adam is given the whole gradient; the weights that learn are those of the listing.
  void learn_by_adam(const Transition& move, const std::vector<float>& hidden) {
    const auto width = std::size_t(net_.hidden), action = std::size_t(move.action);
    gradient_.assign(net_.first.size(), 0);
    for (const std::int64_t input : std::span(tables_.features_of(move.state), kFeatures))
      std::copy(by_hidden_.begin(), by_hidden_.end(),
                gradient_.begin() + std::ptrdiff_t(std::size_t(input) * width));
    adam_first_.observe(gradient_);
    const auto rate = float(settings_.learning_rate);
    const std::size_t from = settings_.one_row ? action : 0,
                      to = settings_.one_row ? from + 1 : width;
    for (std::size_t row = 0; row < net_.first.size(); row += width)
      for (std::size_t i = row + from; i < row + to; ++i)
        net_.first[i] += adam_first_.step(i, rate);
    gradient_.assign(net_.last.size(), 0);
    for (std::size_t output = 0; output < steps_.size(); ++output)
      for (std::size_t i = 0; i <= width; ++i)
        gradient_[output * (width + 1) + i] = steps_[output] * hidden[i];
    adam_last_.observe(gradient_);
    for (std::size_t i = action * (width + 1); i < (action + 1) * (width + 1); ++i)
      net_.last[i] += adam_last_.step(i, rate);
  }

  const Tables& tables_;
  Settings settings_;
  Net net_;
  Games games_;
  Adam adam_first_, adam_last_;
  std::int64_t action_ = 0;
  std::vector<float> here_, there_, values_, next_values_, steps_, by_hidden_, gradient_;
};

// NumPy's default generator: PCG64 XSL-RR (O'Neill 2014).
class Pcg64 {
 public:
  explicit Pcg64(std::array<std::uint64_t, 4> words)
      : state_(Wide(words[0]) << 64 | words[1]), increment_(Wide(words[2]) << 64 | words[3]) {}

  double uniform() { return double(next() >> 11) * 0x1p-53; }

 private:
  using Wide = unsigned __int128;

  std::uint64_t next() {
    constexpr Wide kFactor = Wide(2549297995355413924ULL) << 64 | 4865540595714422341ULL;
    state_ = state_ * kFactor + increment_;
    const auto folded = std::uint64_t(state_ >> 64) ^ std::uint64_t(state_);
    return std::rotr(folded, int(state_ >> 122));
  }

  Wide state_, increment_;
};

class Ddqn : public Learner {
 public:
  Ddqn(const Tables& tables, const Settings& settings, Net net, std::array<std::uint64_t, 4> pcg64)
      : tables_(tables),
        settings_(settings),
        net_(std::move(net)),
        games_(tables, std::uint64_t(settings.seed), float(settings.draw_reward)),
        rng_(pcg64),
        batch_(std::size_t(settings.batch_size)),
        targets_(batch_.size()),
        hidden_(batch_.size() * std::size_t(net_.hidden + 1)),
        by_hidden_(hidden_.size()),
        steps_(batch_.size()),
        values_(std::size_t(net_.actions)),
        target_(std::size_t(tables.states)),
        playing_(std::size_t(net_.hidden) + 1) {
    refresh_target();
  }

  void play_until(std::int64_t games) override {
    while (games_.number() < games) play_and_learn();
  }
  const Net& net() const override { return net_; }
  Sums take_sums() override { return std::exchange(games_.sums, {}); }

 private:
  double epsilon() const {
    const double game = settings_.epsilon_stuck ? settings_.episodes - 1 : double(games_.number());
    return settings_.epsilon0 / (1 + settings_.beta * game);
  }

  void play_and_learn() {
    if (double(replay_.size()) < settings_.learning_starts) return play();
    for (std::size_t i = 0; i < batch_.size(); ++i) {
      batch_[i] = replay_[std::size_t(rng_.uniform() * double(replay_.size()))];
      targets_[i] = batch_[i].reward;
      if (batch_[i].continues)
        targets_[i] += float(settings_.gamma) * target_[std::size_t(batch_[i].next_state)];
    }
    play();
    if (settings_.vectorized != 0)
      learn_batch();
    else
      learn_one_by_one();
    games_.sums.updates += 1;
    if (++updates_ % std::int64_t(settings_.target_update_every) == 0) refresh_target();
  }

  void play() {
    activate(net_, tables_.features_of(games_.state()), playing_.data());
    value_all(net_, playing_.data(), values_.data());
    const Transition move = games_.play(games_.choose(values_.data(), epsilon()));
    if (double(replay_.size()) < settings_.replay_size)
      replay_.push_back(move);
    else
      replay_[std::size_t(stored_) % replay_.size()] = move;
    ++stored_;
  }

  // The steps of the action's output and of the hidden neurons of one transition.
  void differentiate(std::size_t i, double rate) {
    const auto width = std::size_t(net_.hidden);
    float* hidden = hidden_.data() + i * (width + 1);
    float* by_hidden = by_hidden_.data() + i * (width + 1);
    activate(net_, tables_.features_of(batch_[i].state), hidden);
    const float value = value_of(net_, hidden, batch_[i].action);
    const float error = value - targets_[i];
    games_.sums.squared_errors += double(error * error) / double(batch_.size());
    const float step = steps_[i] = float(-rate) * error * value * (1 - value);
    const float* weights = net_.last.data() + std::size_t(batch_[i].action) * (width + 1);
    for (std::size_t j = 0; j < width; ++j)
      by_hidden[j] = step * weights[j] * hidden[j] * (1 - hidden[j]);
  }

  void apply(std::size_t i) {
    const auto width = std::size_t(net_.hidden);
    const float* hidden = hidden_.data() + i * (width + 1);
    const float* by_hidden = by_hidden_.data() + i * (width + 1);
    float* weights = net_.last.data() + std::size_t(batch_[i].action) * (width + 1);
    for (std::size_t j = 0; j <= width; ++j) weights[j] += steps_[i] * hidden[j];
    for (const std::int64_t input : std::span(tables_.features_of(batch_[i].state), kFeatures)) {
      float* row = net_.first.data() + std::size_t(input) * width;
      for (std::size_t j = 0; j < width; ++j) row[j] += by_hidden[j];
    }
  }

  void learn_batch() {
    const double rate = settings_.learning_rate / double(batch_.size());
    for (std::size_t i = 0; i < batch_.size(); ++i) differentiate(i, rate);
    for (std::size_t i = 0; i < batch_.size(); ++i) apply(i);
  }

  void learn_one_by_one() {
    for (std::size_t i = 0; i < batch_.size(); ++i) {
      differentiate(i, settings_.learning_rate);
      apply(i);
    }
  }

  // The highest value of every state, over all actions, allowed or not: listing 3 is not double.
  void refresh_target() {
    for (std::int64_t state = 0; state < tables_.states; ++state) {
      activate(net_, tables_.features_of(state), playing_.data());
      float highest = logit(net_, playing_.data(), 0);
      for (std::int64_t action = 1; action < net_.actions; ++action)
        highest = std::max(highest, logit(net_, playing_.data(), action));
      target_[std::size_t(state)] = highest;
    }
    sigmoid(target_.data(), std::int64_t(target_.size()));
  }

  const Tables& tables_;
  Settings settings_;
  Net net_;
  Games games_;
  Pcg64 rng_;
  std::vector<Transition> replay_, batch_;
  std::int64_t stored_ = 0, updates_ = 0;
  std::vector<float> targets_, hidden_, by_hidden_, steps_, values_, target_, playing_;
};

}  // namespace listings

// Trains from the weights `first` and `last`, which it overwrites. `pcg64` is state and increment
// of the generator, high half first. `sums` gets a row for every `every` games.
extern "C" void train_listing(bool is_ddqn, const listings::Tables* tables,
                              const listings::Settings* settings, std::int64_t inputs,
                              std::int64_t hidden, float* first, float* last,
                              const std::uint64_t* pcg64, std::int64_t games, std::int64_t every,
                              listings::Sums* sums) {
  using namespace listings;
  const std::int64_t actions = tables->actions;
  Net net{inputs,
          hidden,
          actions,
          {first, first + inputs * hidden},
          {last, last + actions * (hidden + 1)}};
  std::unique_ptr<Learner> learner;
  if (is_ddqn)
    learner = std::make_unique<Ddqn>(*tables, *settings, std::move(net),
                                     std::array{pcg64[0], pcg64[1], pcg64[2], pcg64[3]});
  else
    learner = std::make_unique<Sarsa>(*tables, *settings, std::move(net));
  for (std::int64_t done = every; done <= games; done += every) {
    learner->play_until(done);
    *sums++ = learner->take_sums();
  }
  std::copy(learner->net().first.begin(), learner->net().first.end(), first);
  std::copy(learner->net().last.begin(), learner->net().last.end(), last);
}
