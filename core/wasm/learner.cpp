// REINFORCE in slices of time, so that a worker can answer messages between them.
#include <emscripten/bind.h>

#include "learn/reinforce.h"
#include "wasm/errors.h"
#include "wasm/values.h"

namespace selfmate::wasm {
namespace {

struct Learner {
  Reinforce reinforce;
  std::optional<RandomOpponentMatch> match;  // that is being played
  Random random;                             // for `choose`

  ScorerPlayerSettings player(bool exact_endings) const {
    const ReinforceSettings& settings = reinforce.settings();
    return {float(settings.temperature_play), settings.plays_mate_in_one, exact_endings};
  }
};

ReinforceSettings settings_of(const val& from) {
  const auto number = [&](const char* name) { return from[name].as<double>(); };
  ReinforceSettings settings;
  settings.seed = std::uint64_t(number("seed"));
  settings.encoding = position_encoding_named(from["encoding"].as<std::string>());
  settings.hidden = emscripten::convertJSArrayToNumberVector<int>(from["hidden"]);
  settings.learning_rate = number("learning_rate");
  settings.max_plies = int(number("max_plies"));
  settings.temperature_train = number("temperature_train");
  settings.temperature_play = number("temperature_play");
  settings.baseline = baseline_named(from["baseline"].as<std::string>());
  settings.value_weight = number("value_weight");
  settings.entropy_bonus = number("entropy_bonus");
  settings.replay_iterations = int(number("replay_iterations"));
  settings.plays_mate_in_one = from["plays_mate_in_one"].as<bool>();
  settings.vs_random = number("vs_random");
  settings.updates = int(number("updates"));
  return settings;
}

Learner* new_learner(val settings) {
  const ReinforceSettings read = settings_of(settings);
  return new Learner{Reinforce(read), std::nullopt, Random(read.seed, 1)};
}

void change(Learner& learner, val settings) {
  learner.reinforce.change(settings_of(settings));
}

void begin_iteration(Learner& learner, int games) {
  learner.reinforce.begin_iteration(games);
}

val advance(Learner& learner, double milliseconds) {
  const Deadline deadline(milliseconds);
  Reinforce& reinforce = learner.reinforce;
  val progress = val::object();
  bool goes_on = reinforce.work();
  while (goes_on && !deadline.is_over()) goes_on = reinforce.work();
  const bool is_playing = reinforce.is_playing();
  progress.set("part", std::string(is_playing ? "self-play" : "learning"));
  progress.set("games", double(reinforce.games_ended()));
  progress.set("plies", double(reinforce.plies_played()));
  progress.set("done", !goes_on);
  if (goes_on) return progress;
  val metrics = val::object();
  for (const auto& [name, value] : named_metrics(reinforce.metrics())) metrics.set(name, value);
  progress.set("metrics", metrics);
  return progress;
}

val sample(const Learner& learner) {
  const SampleGame& game = learner.reinforce.sample();
  val found = val::object();
  found.set("moves", uci_texts(game.moves));
  found.set("whiteIsRandom", game.random_side > 0);
  found.set("blackIsRandom", game.random_side < 0);
  const auto winner =
      game.result_white ? std::optional(game.result_white > 0 ? kWhite : kBlack) : std::nullopt;
  found.set("result", game.is_truncated ? std::string("*") : result_text(winner));
  return found;
}

// Starts a match unless one is being played; null until it is done.
val evaluate(Learner& learner, int games, double seed, double milliseconds) {
  if (games < 1 || games > 100'000)
    throw BadInput("an evaluation has 1 to 100000 games, not " + std::to_string(games));
  const Deadline deadline(milliseconds);
  if (!learner.match) learner.match.emplace(learner.player(false), games, std::uint64_t(seed));
  RandomOpponentMatch& match = *learner.match;
  while (!match.is_done()) {
    match.step(learner.reinforce.net());
    if (!match.is_done() && deadline.is_over()) return val::null();
  }
  val found = val::object();
  found.set("games", games);
  found.set("won", match.won);
  found.set("drawn", match.drawn);
  found.set("lost", match.lost);
  found.set("score", (match.won + 0.5 * match.drawn) / games);
  learner.match.reset();
  return found;
}

val policy(const Learner& learner, const Game& game) {
  const ScoredMoves scored =
      scored_moves(learner.reinforce.net(), game, learner.player(true).temperature);
  val found = val::array();
  for (std::size_t i = 0; i < scored.moves.size(); ++i) {
    val move = val::object();
    move.set("uci", to_uci(scored.moves[i]));
    move.set("probability", scored.probabilities[i]);
    found.call<void>("push", move);
  }
  return found;
}

std::string choose(Learner& learner, const Game& game) {
  return to_uci(choose_move(learner.reinforce.net(), game, learner.player(true), learner.random));
}

val weights(const Learner& learner) {
  const ScorerNet& net = learner.reinforce.net();
  return to_javascript(net.layout().named(net.parameters()));
}

val state(const Learner& learner) {
  return to_javascript(learner.reinforce.state());
}

val counters(const Learner& learner) {
  const ReinforceCounters& now = learner.reinforce.counters();
  val found = val::object();
  found.set("iterations", double(now.iterations));
  found.set("games", double(now.games));
  found.set("adam_steps", double(now.adam_steps));
  found.set("average", now.average);
  return found;
}

void load(Learner& learner, val arrays) {
  learner.reinforce.load(ReadArrays(arrays).weights());
  learner.match.reset();
}

void restore(Learner& learner, val arrays, val counters) {
  const auto number = [&](const char* name) { return counters[name].as<double>(); };
  learner.reinforce.restore(ReadArrays(arrays).weights(),
                            {std::int64_t(number("iterations")), std::int64_t(number("games")),
                             std::int64_t(number("adam_steps")), number("average")});
  learner.match.reset();
}

EMSCRIPTEN_BINDINGS(learner) {
  emscripten::class_<Learner>("Learner")
      .constructor(guarded<&new_learner>, emscripten::allow_raw_pointers())
      .function("change", guarded<&change>)
      .function("beginIteration", guarded<&begin_iteration>)
      .function("advance", guarded<&advance>)
      .function("sample", &sample)
      .function("evaluate", guarded<&evaluate>)
      .function("policy", guarded<&policy>)
      .function("choose", guarded<&choose>)
      .function("weights", guarded<&weights>)
      .function("state", guarded<&state>)
      .function("counters", &counters)
      .function("load", guarded<&load>)
      .function("restore", guarded<&restore>);
}

}  // namespace
}  // namespace selfmate::wasm
