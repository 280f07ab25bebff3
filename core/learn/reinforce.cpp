#include "learn/reinforce.h"

#include <algorithm>
#include <cmath>

#include "learn/exact_math.h"

namespace selfmate {
namespace {

constexpr std::string_view kBaselineNames[] = {"none", "moving_average", "value_head"};
constexpr std::size_t kChunkPlies = 4;       // of one piece of work: their layers stay in the cache
constexpr std::size_t kComparedPlies = 256;  // per iteration, with the untrained policy
constexpr double kAverageWeight = 0.05;  // of the newest iteration in the moving average of results
constexpr double kMaxGradientNorm = 10;
constexpr double kExplosion = 1e4;  // a gradient norm beyond this is noise
constexpr int kMaxGames = 65536;

void check_range(const char* name, double value, double low, double high) {
  if (value >= low && value <= high) return;
  const auto text = [](double number) {
    std::string digits = std::to_string(number);
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.back() == '.') digits.pop_back();
    return digits;
  };
  throw BadInput(std::string(name) + " must be in " + text(low) + ".." + text(high) + ", not " +
                 text(value));
}

const ReinforceSettings& checked(const ReinforceSettings& settings) {
  settings.check();
  return settings;
}

// Names of arrays with a prefix, and back.
void add_named(std::vector<NamedArray> arrays, const std::string& prefix,
               std::vector<NamedArray>& to) {
  for (NamedArray& array : arrays) {
    array.name = prefix + array.name;
    to.push_back(std::move(array));
  }
}

Weights with_prefix(const Weights& arrays, const std::string& prefix) {
  Weights found;
  for (const auto& [name, array] : arrays)
    if (name.starts_with(prefix)) found[name.substr(prefix.size())] = array;
  return found;
}

}  // namespace

Baseline baseline_named(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kBaselineNames); ++i)
    if (name == kBaselineNames[i]) return Baseline(i);
  throw BadInput("the baseline must be none, moving_average or value_head, not " + quoted(name));
}

std::string_view baseline_name(Baseline baseline) {
  return kBaselineNames[std::size_t(baseline)];
}

void ReinforceSettings::check() const {
  check_range("learning_rate", learning_rate, 1e-9, 1);
  check_range("max_plies", max_plies, 1, 10'000);
  check_range("temperature_train", temperature_train, 1e-3, 10);
  check_range("temperature_play", temperature_play, 0, 10);
  check_range("value_weight", value_weight, 0, 1000);
  check_range("entropy_bonus", entropy_bonus, 0, 10);
  check_range("replay_iterations", replay_iterations, 0, 100);
  check_range("vs_random", vs_random, 0, 1);
  check_range("updates", updates, 1, 1000);
}

std::vector<std::pair<const char*, double>> named_metrics(const ReinforceMetrics& metrics) {
  return {{"games", metrics.games},
          {"white_wins", metrics.white_wins},
          {"black_wins", metrics.black_wins},
          {"draws", metrics.draws},
          {"truncated_games", metrics.truncated_games},
          {"plies", metrics.plies},
          {"entropy", metrics.entropy},
          {"ln_legal", metrics.ln_legal},
          {"loss", metrics.loss},
          {"value_loss", metrics.value_loss},
          {"gradient_norm", metrics.gradient_norm},
          {"kl", metrics.kl},
          {"baseline", metrics.baseline}};
}

Reinforce::Reinforce(const ReinforceSettings& settings, bool portable)
    : settings_(checked(settings)),
      net_(settings.shape(), ScorerLayout(settings.shape()).initial(settings.seed), portable),
      untrained_(settings.shape(), {net_.parameters().begin(), net_.parameters().end()}, portable),
      adam_(net_.layout().size()),
      gradient_(net_.layout().size()) {}

void Reinforce::change(const ReinforceSettings& settings) {
  settings.check();
  if (settings.shape() != net_.shape())
    throw BadInput(
        "encoding, hidden and a value head are parts of the net: reset it to change them");
  settings_ = settings;
}

void Reinforce::load(const Weights& weights) {
  std::vector<float> parameters = net_.layout().read(weights);
  untrained_.set(parameters);
  net_.set(std::move(parameters));
  adam_ = Adam(net_.layout().size());
  counters_ = {};
  replay_.clear();
  iteration_.reset();
}

std::vector<NamedArray> Reinforce::state() const {
  const ScorerLayout& layout = net_.layout();
  std::vector<NamedArray> arrays;
  add_named(layout.named(net_.parameters()), "net.", arrays);
  add_named(layout.named(untrained_.parameters()), "untrained.", arrays);
  add_named(layout.named(adam_.exp_avg), "exp_avg.", arrays);
  add_named(layout.named(adam_.exp_avg_sq), "exp_avg_sq.", arrays);
  return arrays;
}

void Reinforce::restore(const Weights& state, const ReinforceCounters& counters) {
  const auto read = [&](const char* prefix) {
    return net_.layout().read(with_prefix(state, prefix));
  };
  std::vector<float> parameters = read("net."), untrained = read("untrained.");
  Adam adam(0);
  adam.exp_avg = read("exp_avg.");
  adam.exp_avg_sq = read("exp_avg_sq.");
  adam.steps = counters.adam_steps;
  net_.set(std::move(parameters));
  untrained_.set(std::move(untrained));
  adam_ = std::move(adam);
  counters_ = counters;
  replay_.clear();
  iteration_.reset();
}

void Reinforce::begin_iteration(int games) {
  check_range("games", games, 1, kMaxGames);
  const SelfPlaySettings play{float(settings_.temperature_train), settings_.max_plies,
                              settings_.vs_random, settings_.plays_mate_in_one};
  const auto number = std::uint64_t(counters_.iterations);
  iteration_ = std::make_unique<Iteration>(play, games, Random(settings_.seed, number).next());
}

bool Reinforce::work() {
  if (!iteration_) return false;
  Iteration& now = *iteration_;
  if (!now.play.is_done()) {
    now.play.step(net_);
    if (now.play.is_done()) plan_learning();
  } else if (now.update < now.chunks.size()) {
    if (now.chunk < now.chunks[now.update].size())
      add_chunk();
    else
      finish_update();
  } else if (now.compared_count < now.compared.size()) {
    compare_some();
  } else {
    finish();
  }
  return iteration_ != nullptr;
}

void Reinforce::plan_learning() {
  Iteration& now = *iteration_;
  now.chunks.resize(std::size_t(settings_.updates));
  now.orders.reserve(1 + replay_.size());  // chunks point into them
  double plies = 0;
  plan_shard(now.play.sampled());
  plies += double(now.play.sampled().plies());
  for (const SampledGames& games : replay_) {
    plan_shard(games);
    plies += double(games.plies());
  }
  now.plies_per_update = plies / double(settings_.updates);
  const std::size_t count = now.play.sampled().plies();
  const std::size_t step = (count + kComparedPlies - 1) / kComparedPlies;
  for (std::size_t ply = 0; ply < count; ply += step) now.compared.push_back(std::int64_t(ply));
  std::fill(gradient_.begin(), gradient_.end(), 0.0f);
}

// Divides the plies with a gradient among the updates, in random order.
void Reinforce::plan_shard(const SampledGames& games) {
  Iteration& now = *iteration_;
  std::vector<std::int64_t>& order = now.orders.emplace_back();
  for (std::size_t ply = 0; ply < games.plies(); ++ply)
    if (is_informative(games, ply)) order.push_back(std::int64_t(ply));
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[now.random.below(std::uint32_t(i))]);
  const std::size_t updates = now.chunks.size();
  for (std::size_t update = 0; update < updates; ++update) {
    const std::size_t end = order.size() * (update + 1) / updates;
    for (std::size_t at = order.size() * update / updates; at < end; at += kChunkPlies)
      now.chunks[update].push_back(
          {&games, std::span(order).subspan(at, std::min(kChunkPlies, end - at))});
  }
}

// Where the result equals the baseline there is no gradient.
bool Reinforce::is_informative(const SampledGames& games, std::size_t ply) const {
  if (net_.shape().value_head || settings_.entropy_bonus != 0) return true;
  return float(games.result_of_ply(ply)) != loss_settings().baseline;
}

LossSettings Reinforce::loss_settings() const {
  LossSettings loss;
  if (settings_.baseline == Baseline::kMovingAverage) loss.baseline = float(counters_.average);
  loss.value_weight = float(settings_.value_weight);
  loss.entropy_bonus = float(settings_.entropy_bonus);
  return loss;
}

void Reinforce::add_chunk() {
  Iteration& now = *iteration_;
  const Chunk& chunk = now.chunks[now.update][now.chunk++];
  policy_gradient_.add(net_, *chunk.games, chunk.plies, loss_settings(), now.plies_per_update,
                       now.sums, gradient_);
}

// An exploded gradient is dropped.
void Reinforce::finish_update() {
  Iteration& now = *iteration_;
  const auto updates = double(now.chunks.size());
  const double norm = clip_gradient(gradient_, kMaxGradientNorm);
  if (!now.chunks[now.update].empty() && std::isfinite(norm) && norm < kExplosion) {
    std::vector<float> parameters(net_.parameters().begin(), net_.parameters().end());
    adam_.step(gradient_, settings_.learning_rate, parameters);
    net_.set(std::move(parameters));
    counters_.adam_steps = adam_.steps;
  }
  now.metrics.loss += now.sums.policy / now.plies_per_update / updates;
  now.metrics.value_loss += now.sums.value / now.plies_per_update / updates;
  now.metrics.gradient_norm += norm / updates;
  std::fill(gradient_.begin(), gradient_.end(), 0.0f);
  now.sums = {};
  now.chunk = 0;
  ++now.update;
}

void Reinforce::compare_some() {
  Iteration& now = *iteration_;
  const std::size_t count = std::min(2 * kChunkPlies, now.compared.size() - now.compared_count);
  now.divergence_sum += divergence(net_, untrained_, now.play.sampled(),
                                   std::span(now.compared).subspan(now.compared_count, count));
  now.compared_count += count;
}

void Reinforce::finish() {
  Iteration& now = *iteration_;
  SampledGames games = now.play.take();
  ReinforceMetrics& metrics = now.metrics;
  const auto count = double(games.results.size()), plies = double(games.plies());
  double result_sum = 0;
  for (std::size_t i = 0; i < games.results.size(); ++i) {
    metrics.white_wins += (games.results[i] > 0) / count;
    metrics.black_wins += (games.results[i] < 0) / count;
    metrics.truncated_games += games.is_truncated[i] / count;
    metrics.draws += (games.results[i] == 0 && !games.is_truncated[i]) / count;
    result_sum += games.results[i];
  }
  for (std::size_t ply = 0; ply < games.plies(); ++ply) {
    metrics.entropy += double(games.entropies[ply]) / plies;
    metrics.ln_legal += natural_log(double(games.legal_count(ply))) / plies;
  }
  metrics.games = int(count);
  metrics.plies = plies / count;
  metrics.kl = now.divergence_sum / double(now.compared.size());
  metrics.baseline = counters_.average;
  metrics_ = metrics;

  const std::size_t shown = std::size_t(counters_.iterations) % games.results.size();
  sample_ = {now.play.game(shown).moves(), now.play.random_side(shown), games.results[shown],
             games.is_truncated[shown] != 0};
  counters_.average += kAverageWeight * (result_sum / count - counters_.average);
  ++counters_.iterations;
  counters_.games += std::int64_t(count);
  replay_.push_back(std::move(games));
  while (replay_.size() > std::size_t(settings_.replay_iterations)) replay_.pop_front();
  iteration_.reset();
}

}  // namespace selfmate
