#include "learn/policy_gradient.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <numeric>

#include "bindings/borrowed_weights.h"
#include "bindings/module.h"
#include "bindings/named_arrays.h"

namespace selfmate::bindings {
namespace {

using namespace nb::literals;

constexpr std::size_t kChunkPlies = 4;  // go through the net together: they stay in the cache

template <class T>
std::vector<T> column(const nb::dict& columns, const char* name) {
  if (!columns.contains(name)) throw BadInput(std::string("the games lack ") + name);
  return checked_list<T>(columns[name], name);
}

// Where each row begins, from how long the rows are.
std::vector<std::int64_t> offsets_of(const nb::dict& columns, const char* name, std::size_t size) {
  const auto counts = column<std::uint8_t>(columns, name);
  std::vector<std::int64_t> offsets{0};
  for (const std::uint8_t count : counts) offsets.push_back(offsets.back() + count);
  if (offsets.back() != std::int64_t(size))
    throw BadInput(std::string(name) + " must sum to " + std::to_string(size) + ", not " +
                   std::to_string(offsets.back()));
  return offsets;
}

template <class T>
void check_below(const std::vector<T>& numbers, std::size_t bound, const char* name) {
  for (const T number : numbers)
    if (number < 0 || std::size_t(number) >= bound)
      throw BadInput(std::string(name) + " must be below " + std::to_string(bound) + ", not " +
                     std::to_string(number));
}

void check_plies(const SampledGames& games) {
  const std::size_t plies = games.plies();
  if (games.is_white.size() != plies || games.chosen.size() != plies ||
      games.log_probs.size() != plies || games.position_offsets.size() != plies + 1 ||
      games.legal_offsets.size() != plies + 1 ||
      games.position_values.size() != games.position_columns.size())
    throw BadInput("the columns of these games are not of matching lengths");
  for (std::size_t ply = 0; ply < plies; ++ply)
    if (games.chosen[ply] >= games.legal_count(ply))
      throw BadInput("these games name a move that does not exist");
}

// The columns of selfmate.data.trajectories.SampledGames.
SampledGames read_games(const nb::dict& columns, PositionEncoding encoding) {
  SampledGames games;
  games.results = column<std::int8_t>(columns, "results");
  games.games = column<std::int32_t>(columns, "games");
  games.is_white = column<std::uint8_t>(columns, "is_white");
  games.chosen = column<std::uint8_t>(columns, "chosen");
  games.log_probs = column<float>(columns, "log_probs");
  games.position_columns = column<std::int16_t>(columns, "position_columns");
  games.position_values = column<std::uint8_t>(columns, "position_values");
  games.move_columns = column<std::uint8_t>(columns, "move_columns");
  games.position_offsets = offsets_of(columns, "position_counts", games.position_columns.size());
  games.move_offsets = offsets_of(columns, "move_counts", games.move_columns.size());
  games.legal_offsets = offsets_of(columns, "legal_counts", games.move_offsets.size() - 1);
  check_plies(games);
  check_below(games.games, games.results.size(), "games");
  check_below(games.position_columns, std::size_t(position_input_count(encoding)),
              "position_columns");
  check_below(games.move_columns, kMove136Size, "move_columns");
  return games;
}

// Positive and finite.
template <class T>
T checked_positive(T number, const char* name) {
  if (!(number > 0) || !std::isfinite(number))
    throw BadInput(std::string(name) + " must be above 0 and finite");
  return number;
}

nb::tuple gradient_of(const nb::dict& weights, const nb::dict& games, nb::handle rows,
                      const nb::str& encoding, const std::vector<int>& hidden, bool value_head,
                      float temperature, float baseline, float value_weight, float entropy_bonus,
                      float max_importance_weight, double divisor, bool portable) {
  const ScorerShape shape{position_encoding_named(utf8(encoding)), hidden, value_head};
  const LossSettings settings{baseline, value_weight, entropy_bonus,
                              checked_positive(max_importance_weight, "max_importance_weight")};
  checked_positive(divisor, "divisor");
  const ScorerNet net(shape, ScorerLayout(shape).read(BorrowedWeights(weights).weights()),
                      portable);
  SampledGames read = read_games(games, shape.encoding);
  read.temperature = checked_positive(temperature, "temperature");
  const auto plies = checked_list<std::int64_t>(rows, "rows");
  check_below(plies, read.plies(), "rows");
  std::vector<float> gradient(net.layout().size());
  LossSums sums;
  {
    nb::gil_scoped_release release;
    PolicyGradient policy_gradient;
    for (std::size_t at = 0; at < plies.size(); at += kChunkPlies)
      policy_gradient.add(net, read,
                          std::span(plies).subspan(at, std::min(kChunkPlies, plies.size() - at)),
                          settings, divisor, sums, gradient);
  }
  return nb::make_tuple(sums.policy, sums.value, sums.total, to_dict(net.layout().named(gradient)));
}

}  // namespace

void bind_policy_gradient(nb::module_& module) {
  module.def(
      "policy_gradient", &gradient_of, "weights"_a, "games"_a, "rows"_a.none(), nb::kw_only(),
      "encoding"_a, "hidden"_a, "value_head"_a, "temperature"_a, "baseline"_a, "value_weight"_a,
      "entropy_bonus"_a, "max_importance_weight"_a, "divisor"_a, "portable"_a = false,
      nb::sig("def policy_gradient(weights: dict[str, numpy.typing.NDArray[numpy.float32]], "
              "games: dict[str, numpy.typing.NDArray[typing.Any]], "
              "rows: numpy.typing.NDArray[numpy.int64], *, encoding: str, "
              "hidden: collections.abc.Sequence[int], value_head: bool, temperature: float, "
              "baseline: float, value_weight: float, entropy_bonus: float, "
              "max_importance_weight: float, divisor: float, portable: bool = False) "
              "-> tuple[float, float, float, dict[str, numpy.typing.NDArray[numpy.float32]]]"),
      "The loss of REINFORCE on some plies of sampled games: the sums of the policy loss and of "
      "the "
      "value head's squared error, and the gradient of the total loss, divided by `divisor`, by "
      "each weight of a move scorer.");
}

}  // namespace selfmate::bindings
