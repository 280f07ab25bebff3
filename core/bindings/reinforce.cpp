#include "learn/reinforce.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/borrowed_weights.h"
#include "bindings/module.h"
#include "bindings/named_arrays.h"

namespace selfmate::bindings {
namespace {

using namespace nb::literals;

// The learner has some ten arrays of this size.
constexpr std::size_t kMaxParameters = std::size_t(1) << 23;

void init(Reinforce* learner, std::uint64_t seed, const nb::str& encoding,
          const std::vector<int>& hidden, double learning_rate, int max_plies,
          double temperature_train, const nb::str& baseline, double entropy_bonus,
          int replay_iterations, bool plays_mate_in_one, double vs_random, int updates,
          bool portable) {
  ReinforceSettings settings;
  settings.seed = seed;
  settings.encoding = position_encoding_named(utf8(encoding));
  settings.hidden = hidden;
  if (ScorerLayout(settings.shape()).size() > kMaxParameters)
    throw BadInput("a net of more than " + std::to_string(kMaxParameters) +
                   " parameters is too large for this learner");
  settings.learning_rate = learning_rate;
  settings.max_plies = max_plies;
  settings.temperature_train = temperature_train;
  settings.baseline = baseline_named(utf8(baseline));
  settings.entropy_bonus = entropy_bonus;
  settings.replay_iterations = replay_iterations;
  settings.plays_mate_in_one = plays_mate_in_one;
  settings.vs_random = vs_random;
  settings.updates = updates;
  new (learner) Reinforce(settings, portable);
}

nb::dict metrics_of(const Reinforce& learner) {
  nb::dict found;
  for (const auto& [name, value] : named_metrics(learner.metrics())) found[name] = value;
  return found;
}

nb::dict iterate(Reinforce& learner, int games) {
  const InUse in_use(learner, InUse::kChange);
  {
    nb::gil_scoped_release release;
    learner.begin_iteration(games);
    while (learner.work()) {
    }
  }
  return metrics_of(learner);
}

std::vector<std::string> sample_of(const Reinforce& learner) {
  const InUse in_use(learner, InUse::kRead);
  std::vector<std::string> moves;
  for (const Move move : learner.sample().moves) moves.push_back(to_uci(move));
  return moves;
}

nb::dict weights_of(const Reinforce& learner) {
  const InUse in_use(learner, InUse::kRead);
  return to_dict(learner.net().layout().named(learner.net().parameters()));
}

}  // namespace

void bind_reinforce(nb::module_& module) {
  nb::class_<Reinforce>(module, "Reinforce",
                        "REINFORCE as a browser runs it, on one thread, with the settings of the "
                        "learner of that name.")
      .def("__init__", &init, nb::kw_only(), "seed"_a = 0, "encoding"_a = "onehot768",
           "hidden"_a = std::vector<int>{256, 128}, "learning_rate"_a = 1e-3, "max_plies"_a = 200,
           "temperature_train"_a = 1.2, "baseline"_a = "none", "entropy_bonus"_a = 0.0,
           "replay_iterations"_a = 0, "plays_mate_in_one"_a = false, "vs_random"_a = 0.0,
           "updates"_a = 1, "portable"_a = false,
           nb::sig("def __init__(self, *, seed: int = 0, encoding: str = 'onehot768', "
                   "hidden: collections.abc.Sequence[int] = (256, 128), "
                   "learning_rate: float = 0.001, max_plies: int = 200, "
                   "temperature_train: float = 1.2, baseline: str = 'none', "
                   "entropy_bonus: float = 0.0, replay_iterations: int = 0, "
                   "plays_mate_in_one: bool = False, vs_random: float = 0.0, updates: int = 1, "
                   "portable: bool = False) -> None"))
      .def("iterate", &iterate, "games"_a,
           nb::sig("def iterate(self, games: int) -> dict[str, float]"),
           "Plays so many games and learns from them; returns the metrics.")
      .def("sample", &sample_of, "The moves of one game of the last iteration as UCI texts.")
      .def("weights", &weights_of,
           nb::sig("def weights(self) -> dict[str, numpy.typing.NDArray[numpy.float32]]"),
           "The net's weights by name.");
}

}  // namespace selfmate::bindings
