#include "search/tree_search.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>

#include "bindings/module.h"
#include "encode/actions.h"
#include "encode/planes.h"

namespace selfmate::bindings {
namespace {

using namespace nb::literals;

// Gumbel's sequential halving lists them all.
constexpr std::int64_t kMaxSimulations = 100'000'000;

template <class T>
std::string range_text(double low, double high) {
  if (high < kAny) return "from " + std::to_string(int(low)) + " to " + std::to_string(int(high));
  return "at least " + std::to_string(T(low)) + (std::is_integral_v<T> ? "" : " and finite");
}

// A number of the configuration, finite and within its bounds.
template <class T>
T read_number(const char* name, nb::handle value, double low, double high) {
  T number{};
  const bool is_number = nb::try_cast(value, number) && std::isfinite(double(number));
  if (is_number && double(number) >= low && double(number) <= high) return number;
  throw BadInput(std::string(name) + " must be " + range_text<T>(low, high) + ", not " +
                 nb::repr(value).c_str());
}

void read_field(SearchConfig& config, const std::string& key, nb::handle value) {
#define SELFMATE_READ(type, name, usual, low, high)           \
  if (key == #name) {                                         \
    config.name = read_number<type>(#name, value, low, high); \
    return;                                                   \
  }
  SELFMATE_SEARCH_CONFIG(SELFMATE_READ)
#undef SELFMATE_READ
  throw BadInput("a tree search has no setting '" + key + "'");
}

// Keyword arguments by the names of SearchConfig; the others keep their defaults.
void init(TreeSearch* search, const nb::kwargs& numbers) {
  SearchConfig config;
  for (const auto& [key, value] : numbers)
    read_field(config, std::string(utf8(nb::borrow<nb::str>(key))), value);
  new (search) TreeSearch(config);
}

// Slots as NumPy gives them; negative ones would be huge.
std::vector<std::int64_t> slots_of(nb::handle slots) {
  std::vector<std::int64_t> numbers = checked_list<std::int64_t>(slots, "slots");
  for (const std::int64_t number : numbers)
    if (number < 0) throw BadInput("slot " + std::to_string(number) + " is below 0");
  return numbers;
}

void set(TreeSearch& search, std::int64_t slot, const Game& game) {
  const InUse in_use(search, InUse::kChange);
  if (slot < 0 || slot > 1'000'000)
    throw BadInput("slot " + std::to_string(slot) + " is not in 0..1000000");
  search.set(std::size_t(slot), game);
}

void clear(TreeSearch& search, std::size_t slot) {
  const InUse in_use(search, InUse::kChange);
  search.clear(slot);
}

void restrict_root(TreeSearch& search, std::int64_t slot, nb::handle moves) {
  const InUse in_use(search, InUse::kChange);
  const std::size_t count = checked_length(moves, "moves");
  const Array<const Move> codes(moves, "moves", {count});
  search.restrict_root(std::size_t(slot), {codes.data(), count});
}

std::size_t cached(const TreeSearch& search) {
  const InUse in_use(search, InUse::kRead);
  return search.cached();
}

std::size_t leaf_count(const TreeSearch& search) {
  const InUse in_use(search, InUse::kRead);
  return search.leaf_count();
}

void start(TreeSearch& search, nb::handle slots, std::int64_t simulations, bool noise,
           nb::handle seeds) {
  const InUse in_use(search, InUse::kChange);
  const auto numbers = slots_of(slots);
  const Array<const std::uint64_t> seed_numbers(seeds, "seeds", {numbers.size()});
  if (simulations < 0 || simulations > kMaxSimulations)
    throw BadInput("simulations must be at least 0 and at most " + std::to_string(kMaxSimulations) +
                   ", not " + std::to_string(simulations));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    search.start(std::size_t(numbers[i]), int(simulations), noise, seed_numbers.data()[i]);
}

void advance(TreeSearch& search, nb::handle slots, nb::handle moves) {
  const InUse in_use(search, InUse::kChange);
  const auto numbers = slots_of(slots);
  const auto codes = checked_copy<Move>(moves, "moves", {numbers.size()});
  nb::gil_scoped_release release;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    search.advance(std::size_t(numbers[i]), codes[i]);
}

std::size_t gather(TreeSearch& search, std::int64_t most, nb::handle planes) {
  const InUse in_use(search, InUse::kChange);
  if (most < 1) throw BadInput("most must be at least 1, not " + std::to_string(most));
  std::optional<Array<float>> out;
  if (!planes.is_none())
    out.emplace(planes, "planes", Extents{std::size_t(most), kPlanes96Count, 8, 8});
  nb::gil_scoped_release release;
  return search.gather(std::size_t(most), [&](std::size_t row, const Game& game) {
    if (out) encode_planes96(game, out->data() + row * kPlanes96Size);
  });
}

// NaN would mislead the selection. The loop does not stop at the first bad number, so that the
// compiler can vectorise it.
void check_finite(const char* name, const Array<const float>& numbers) {
  std::size_t bad = 0;
  for (const float number : numbers) bad += !std::isfinite(number);
  if (bad) throw BadInput(std::string(name) + " must be finite numbers");
}

void receive(TreeSearch& search, nb::handle wdl, nb::handle logits) {
  const InUse in_use(search, InUse::kChange);
  const std::size_t count = search.waiting();
  const auto actions = std::size_t(action_count(ActionEncoding::kAz4672));
  const Array<const float> wdl_numbers(wdl, "wdl", {count, 3});
  check_finite("wdl", wdl_numbers);
  if (logits.is_none()) {
    nb::gil_scoped_release release;
    return search.receive_uniform(wdl_numbers.data());
  }
  const Array<const float> numbers(logits, "logits", {count, actions});
  check_finite("logits", numbers);
  nb::gil_scoped_release release;
  search.receive(wdl_numbers.data(), numbers.data());
}

std::size_t run(TreeSearch& search, PositionEvaluator& net, std::int64_t most, std::int64_t enough,
                int threads) {
  const InUse in_use(search, InUse::kChange);
  check_threads(threads);
  if (most < 1 || enough < 1) throw BadInput("most and enough must be at least 1");
  nb::gil_scoped_release release;
  return search.run(net, std::size_t(most), std::size_t(enough), threads);
}

nb::object is_done(const TreeSearch& search, nb::handle slots) {
  const InUse in_use(search, InUse::kRead);
  std::vector<std::uint8_t> done;
  for (const std::int64_t slot : slots_of(slots))
    done.push_back(search.tree(std::size_t(slot)).is_done());
  return to_numpy<bool>(std::move(done));
}

// Every legal move of some slots, end to end.
nb::tuple moves(const TreeSearch& search, nb::handle slots) {
  const InUse in_use(search, InUse::kRead);
  std::vector<Move> codes;
  std::vector<std::int32_t> actions, visits;
  std::vector<float> priors, values, policy;
  std::vector<std::int64_t> offsets{0};
  for (const std::int64_t slot : slots_of(slots)) {
    const Tree& tree = search.tree(std::size_t(slot));
    for (const Edge& edge : tree.root_edges()) {
      codes.push_back(edge.move);
      actions.push_back(
          encode_action(ActionEncoding::kAz4672, edge.move, tree.game().position().turn()));
      visits.push_back(edge.visits);
      priors.push_back(edge.prior);
      values.push_back(edge.proven ? float(edge.proven) : edge.value());
    }
    const std::vector<float> shares = tree.policy();
    policy.insert(policy.end(), shares.begin(), shares.end());
    offsets.push_back(std::int64_t(codes.size()));
  }
  return nb::make_tuple(to_numpy(std::move(codes)), to_numpy(std::move(actions)),
                        to_numpy(std::move(visits)), to_numpy(std::move(priors)),
                        to_numpy(std::move(values)), to_numpy(std::move(policy)),
                        to_numpy(std::move(offsets)));
}

nb::tuple roots(const TreeSearch& search, nb::handle slots) {
  const InUse in_use(search, InUse::kRead);
  std::vector<Move> best;
  std::vector<float> wdl, best_wdl;
  std::vector<std::int32_t> visits, mates;
  for (const std::int64_t slot : slots_of(slots)) {
    const Tree& tree = search.tree(std::size_t(slot));
    const Node& root = tree.root();
    const Edge* edge = tree.best_edge();
    best.push_back(edge ? edge->move : kNoMove);
    const Wdl mean = root.wdl(), played = edge ? tree.wdl_of(*edge).value_or(mean) : mean;
    wdl.insert(wdl.end(), {mean.win, mean.draw, mean.loss});
    best_wdl.insert(best_wdl.end(), {played.win, played.draw, played.loss});
    visits.push_back(root.visits);
    mates.push_back(root.proven * root.plies_to_mate);
  }
  const std::size_t count = best.size();
  return nb::make_tuple(to_numpy(std::move(best)), to_numpy(std::move(wdl), {count, 3}),
                        to_numpy(std::move(best_wdl), {count, 3}), to_numpy(std::move(visits)),
                        to_numpy(std::move(mates)));
}

nb::tuple outlooks(const TreeSearch& search, std::size_t slot) {
  const InUse in_use(search, InUse::kRead);
  std::vector<float> wdl;
  std::vector<std::int32_t> mates;
  std::vector<std::vector<Move>> lines;
  for (MoveAnalysis& found : search.tree(slot).analyses()) {
    wdl.insert(wdl.end(), {found.wdl.win, found.wdl.draw, found.wdl.loss});
    mates.push_back(found.plies_to_mate);
    lines.push_back(std::move(found.line));
  }
  const std::size_t count = mates.size();
  return nb::make_tuple(to_numpy(std::move(wdl), {count, 3}), to_numpy(std::move(mates)),
                        std::move(lines));
}

}  // namespace

void bind_tree_search(nb::module_& module) {
  nb::class_<TreeSearch>(module, "TreeSearch",
                         "Batched tree search of many games: leaves go out in batches, evaluations "
                         "come back. For one thread at a time.")
      .def("__init__", &init, "numbers"_a, nb::sig("def __init__(self, **numbers: float) -> None"),
           "Takes the fields of SearchConfig by their names.")
      .def("set", &set, "slot"_a, "board"_a, "Puts a game into a slot, in place of what was there.")
      .def("clear", &clear, "slot"_a, "Empties a slot.")
      .def("restrict_root", &restrict_root, "slot"_a, "moves"_a.none(),
           nb::sig("def restrict_root(self, slot: int, "
                   "moves: numpy.typing.NDArray[numpy.uint16]) -> None"),
           "Searches only these legal moves of a game that was not searched yet.")
      .def("start", &start, "slots"_a.none(), "simulations"_a, nb::kw_only(), "noise"_a,
           "seeds"_a.none(),
           nb::sig("def start(self, slots: numpy.typing.NDArray[numpy.int64], simulations: int, *, "
                   "noise: bool, seeds: numpy.typing.NDArray[numpy.uint64]) -> None"),
           "Starts a search in each slot; without noise the seeds do not matter.")
      .def("advance", &advance, "slots"_a.none(), "moves"_a.none(),
           nb::sig("def advance(self, slots: numpy.typing.NDArray[numpy.int64], "
                   "moves: numpy.typing.NDArray[numpy.uint16]) -> None"),
           "Plays a move in each slot and keeps the subtree below it. A search by sequential "
           "halving "
           "ends with that.")
      .def("gather", &gather, "most"_a, "planes"_a.none() = nb::none(),
           nb::sig("def gather(self, most: int, "
                   "planes: numpy.typing.NDArray[numpy.float32] | None = None) -> int"),
           "Simulates until there are `most` leaves, or no game has another: returns how many, 0 "
           "when all searches are done. Their planes96 are written to the first rows of `planes`.")
      .def("receive", &receive, "wdl"_a.none(), "logits"_a.none() = nb::none(),
           nb::sig("def receive(self, wdl: numpy.typing.NDArray[numpy.float32], "
                   "logits: numpy.typing.NDArray[numpy.float32] | None = None) -> None"),
           "For the leaves that were gathered, in order: WDL for the side to move [N, 3], and "
           "logits of az4672 [N, 4672]; without these the priors are uniform.")
      .def("run", &run, "net"_a, nb::kw_only(), "most"_a, "enough"_a, "threads"_a = 1,
           nb::sig("def run(self, net: PositionEvaluator, *, most: int, enough: int, "
                   "threads: int = 1) -> int"),
           "Gathers, evaluates and receives batches of at most `most` leaves, until `enough` were "
           "evaluated or all searches are done; returns how many were.")
      .def("is_done", &is_done, "slots"_a.none(),
           nb::sig("def is_done(self, slots: numpy.typing.NDArray[numpy.int64]) -> "
                   "numpy.typing.NDArray[numpy.bool_]"),
           "Whether the search of each slot has started all its simulations.")
      .def_prop_ro("cached", &cached, "The number of evaluations in the cache.")
      .def_prop_ro("leaf_count", &leaf_count,
                   "Leaves so far, evaluated or found in the cache, of all games.")
      .def("moves", &moves, "slots"_a.none(),
           nb::sig("def moves(self, slots: numpy.typing.NDArray[numpy.int64]) -> "
                   "tuple[numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.int32], "
                   "numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float32], "
                   "numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32], "
                   "numpy.typing.NDArray[numpy.int64]]"),
           "All legal moves of the slots, with actions of az4672, visits, priors, values for the "
           "side to move, the search policy, and offsets: slot i has rows offsets[i] up to "
           "offsets[i + 1].")
      .def("roots", &roots, "slots"_a.none(),
           nb::sig("def roots(self, slots: numpy.typing.NDArray[numpy.int64]) -> "
                   "tuple[numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.float32], "
                   "numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.int32], "
                   "numpy.typing.NDArray[numpy.int32]]"),
           "Of each slot: the best move (0: none), WDL for the side to move [N, 3] as the mean "
           "of all simulations and as the mean of the best move's, visits, and plies to a proven "
           "mate (negative: against the side to move; 0: none is proven).")
      .def("outlooks", &outlooks, "slot"_a,
           nb::sig("def outlooks(self, slot: int) -> tuple[numpy.typing.NDArray[numpy.float32], "
                   "numpy.typing.NDArray[numpy.int32], list[list[int]]]"),
           "Of each legal move, in the order of `moves`: WDL for the side that plays it [M, 3] "
           "(all 0 without visits), plies to a proven mate as in `roots`, and its principal "
           "variation.");
}

}  // namespace selfmate::bindings
