#include "search/labelled_games.h"

#include "bindings/borrowed_games.h"
#include "bindings/module.h"
#include "encode/packed_features.h"

namespace selfmate::bindings {
namespace {

using namespace nb::literals;

void check(const LabelPlan& plan) {
  if (plan.depth < 1 || plan.depth > kMaxTeacherDepth)
    throw BadInput("depth " + std::to_string(plan.depth) + " is not in 1.." +
                   std::to_string(kMaxTeacherDepth));
  if (plan.top_k < 1) throw BadInput("top_k must be at least 1");
  if (!(plan.tau > 0) || !(plan.net_tau > 0)) throw BadInput("tau and net_tau must be above 0");
  if (plan.max_plies < 1 || plan.max_plies > 100'000)
    throw BadInput("max_plies must be from 1 to 100000");
}

std::vector<Mover> movers_of(nb::handle movers, std::size_t games, bool has_net) {
  std::vector<Mover> seats;
  for (const std::uint8_t number : checked_copy<std::uint8_t>(movers, "movers", {games, 2})) {
    if (number > std::uint8_t(Mover::kRandom))
      throw BadInput("movers are 0 (teacher), 1 (net) and 2 (random)");
    seats.push_back(Mover(number));
    if (seats.back() == Mover::kNet && !has_net) throw BadInput("there is no net to move");
  }
  return seats;
}

nb::tuple play(nb::handle holder, nb::handle seed_array, nb::handle mover_array,
               PositionEvaluator* net, int depth, int top_k, double tau, double net_tau,
               int max_plies, std::size_t max_positions) {
  const LabelPlan plan{depth, top_k, tau, net_tau, max_plies, max_positions};
  check(plan);
  const BorrowedGames borrowed(holder);
  const Games games = borrowed.games();
  const Array<const std::uint64_t> seeds(seed_array, "seeds", {games.size()});
  const auto movers = movers_of(mover_array, games.size(), net != nullptr);
  LabelledGames found;
  {
    nb::gil_scoped_release release;
    found = play_labelled_games(games, {seeds.data(), seeds.size()}, movers, plan, net);
  }
  const std::size_t count = found.games.size();
  return nb::make_tuple(to_numpy(std::move(found.packed), {count, kPackedFeaturesSize}),
                        to_numpy(std::move(found.games)), to_numpy(std::move(found.actions)),
                        to_numpy(std::move(found.scores)), to_numpy(std::move(found.offsets)),
                        to_numpy(std::move(found.results)));
}

}  // namespace

void bind_labelled_games(nb::module_& module) {
  module.def(
      "play_labelled_games", &play, "games"_a.none(), "seeds"_a.none(), "movers"_a.none(),
      "net"_a.none() = nb::none(), nb::kw_only(), "depth"_a, "top_k"_a, "tau"_a, "net_tau"_a,
      "max_plies"_a, "max_positions"_a,
      nb::sig("def play_labelled_games(games: GameBatch | collections.abc.Sequence[Board], "
              "seeds: numpy.typing.NDArray[numpy.uint64], "
              "movers: numpy.typing.NDArray[numpy.uint8], net: PositionEvaluator | None = None, *, "
              "depth: int, top_k: int, tau: float, net_tau: float, max_plies: int, "
              "max_positions: int) -> tuple[numpy.typing.NDArray[numpy.uint8], "
              "numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int16], "
              "numpy.typing.NDArray[numpy.int16], numpy.typing.NDArray[numpy.int64], "
              "numpy.typing.NDArray[numpy.int8]]"),
      "Plays games from these starts, one after the other until there are so many positions, with "
      "the teacher's scores of every move. Movers [G, 2] are "
      "White's and Black's: 0 the teacher, 1 the net, 2 random. Returns packed features [N, 107], "
      "games [N], legal actions [L] in the view of the side to move, their scores in centipawns "
      "[L], offsets [N + 1] and White's results [G].");
}

}  // namespace selfmate::bindings
