#include <nanobind/stl/vector.h>

#include "bindings/borrowed_games.h"
#include "bindings/borrowed_weights.h"
#include "bindings/module.h"
#include "nets/move_scorer.h"
#include "nets/q_net.h"
#include "nets/sparse_net.h"

namespace selfmate::bindings {
namespace {

using namespace nb::literals;

void check_hidden(const std::vector<int>& hidden) {
  constexpr int kWidest = 1 << 20;
  if (hidden.empty()) throw BadInput("hidden must name at least one layer");
  for (const int width : hidden)
    if (width < 1 || width > kWidest)
      throw BadInput("a hidden layer has 1 to " + std::to_string(kWidest) + " neurons, not " +
                     std::to_string(width));
}

void init_q_net(QNet* net, const nb::dict& weights, const nb::str& inputs,
                const std::vector<int>& hidden, bool dueling, bool move_kinds, float temperature) {
  check_hidden(hidden);
  if (!(temperature > 0)) throw BadInput("temperature must be above 0");
  new (net) QNet({input_features_named(utf8(inputs)), hidden, dueling, move_kinds, temperature},
                 BorrowedWeights(weights).weights());
}

void init_move_scorer(MoveScorer* net, const nb::dict& weights, const std::vector<int>& hidden,
                      const std::string& encoding, bool value_head) {
  check_hidden(hidden);
  new (net) MoveScorer({position_encoding_named(encoding), hidden, value_head},
                       BorrowedWeights(weights).weights());
}

void init_sparse_net(SparseNet* net, const nb::dict& weights, int king_buckets, bool attacks,
                     int accumulator, int policy_width, int value_width, const nb::str& kernels) {
  const SparseNetShape shape{{king_buckets, attacks}, accumulator, policy_width, value_width};
  new (net) SparseNet(shape, BorrowedWeights(weights).weights(), utf8(kernels));
}

template <class Net>
void load(Net& net, const nb::dict& weights) {
  net.load(BorrowedWeights(weights).weights());
}

// Positions and moves are copied, so the games may change once the batch is made.
PositionBatch batch_of(nb::handle holder) {
  return positions_of(BorrowedGames(holder).games());
}

nb::tuple evaluate(PositionEvaluator& net, nb::handle holder, int threads) {
  check_threads(threads);
  PositionBatch batch = batch_of(holder);
  const std::size_t count = batch.positions.size();
  std::vector<float> wdl(3 * count), logits(batch.moves.values.size());
  {
    nb::gil_scoped_release release;
    net.evaluate(batch, threads, wdl.data(), logits.data());
  }
  return nb::make_tuple(to_numpy(std::move(wdl), {count, 3}),
                        to_numpy(std::move(batch.moves.values)), to_numpy(std::move(logits)),
                        to_numpy(std::move(batch.moves.offsets)));
}

nb::tuple q_values(QNet& net, nb::handle holder, int threads) {
  check_threads(threads);
  PositionBatch batch = batch_of(holder);
  std::vector<float> values(batch.positions.size()), q(batch.moves.values.size());
  {
    nb::gil_scoped_release release;
    net.q_values(batch, threads, values.data(), q.data());
  }
  return nb::make_tuple(to_numpy(std::move(values)), to_numpy(std::move(batch.moves.values)),
                        to_numpy(std::move(q)), to_numpy(std::move(batch.moves.offsets)));
}

}  // namespace

void bind_position_evaluators(nb::module_& module) {
  nb::class_<PositionEvaluator>(module, "PositionEvaluator",
                                "A net that evaluates positions in the core. For any number of "
                                "threads at once; a position's answer is the same, bit for bit, in "
                                "any batch.")
      .def("evaluate", &evaluate, "games"_a.none(), "threads"_a = 1,
           nb::sig("def evaluate(self, games: GameBatch | collections.abc.Sequence[Board], "
                   "threads: int = 1) -> tuple[numpy.typing.NDArray[numpy.float32], "
                   "numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.float32], "
                   "numpy.typing.NDArray[numpy.int64]]"),
           "WDL of the side to move [B, 3], all legal moves [N], their logits [N], and where each "
           "game's begin [B + 1].");
  nb::class_<QNet, PositionEvaluator>(module, "QNet", "The forward pass of nets.QNet.")
      .def("__init__", &init_q_net, "weights"_a, nb::kw_only(), "inputs"_a, "hidden"_a, "dueling"_a,
           "move_kinds"_a, "temperature"_a,
           nb::sig("def __init__(self, weights: dict[str, numpy.typing.NDArray[numpy.float32]], "
                   "*, inputs: str, hidden: collections.abc.Sequence[int], dueling: bool, "
                   "move_kinds: bool, temperature: float) "
                   "-> None"))
      .def("load", &load<QNet>, "weights"_a,
           nb::sig("def load(self, weights: dict[str, numpy.typing.NDArray[numpy.float32]]) "
                   "-> None"),
           "Takes over other weights of the same shapes.")
      .def("q_values", &q_values, "games"_a.none(), "threads"_a = 1,
           nb::sig("def q_values(self, games: GameBatch | collections.abc.Sequence[Board], "
                   "threads: int = 1) -> tuple[numpy.typing.NDArray[numpy.float32], "
                   "numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.float32], "
                   "numpy.typing.NDArray[numpy.int64]]"),
           "Values of the side to move [B], all legal moves [N], their Q [N], and where each "
           "game's begin [B + 1].");
  nb::class_<MoveScorer, PositionEvaluator>(module, "MoveScorer",
                                            "The forward pass of nets.MoveScorer. Without a "
                                            "value head WDL say that nothing is known.")
      .def("__init__", &init_move_scorer, "weights"_a, nb::kw_only(), "hidden"_a, "encoding"_a,
           "value_head"_a,
           nb::sig("def __init__(self, weights: dict[str, numpy.typing.NDArray[numpy.float32]], "
                   "*, hidden: collections.abc.Sequence[int], encoding: str, value_head: bool) "
                   "-> None"))
      .def("load", &load<MoveScorer>, "weights"_a,
           nb::sig("def load(self, weights: dict[str, numpy.typing.NDArray[numpy.float32]]) "
                   "-> None"),
           "Takes over other weights of the same shapes.");
  nb::class_<SparseNet, PositionEvaluator>(module, "SparseNet",
                                           "The forward pass of nets.SparseNet in whole numbers: "
                                           "the same bits on every processor.")
      .def("__init__", &init_sparse_net, "weights"_a, nb::kw_only(), "king_buckets"_a, "attacks"_a,
           "accumulator"_a, "policy_width"_a, "value_width"_a, "kernels"_a = "",
           nb::sig("def __init__(self, weights: dict[str, numpy.typing.NDArray[numpy.float32]], "
                   "*, king_buckets: int, attacks: bool, accumulator: int, policy_width: int, "
                   "value_width: int, kernels: str = '') -> None"))
      .def("load", &load<SparseNet>, "weights"_a,
           nb::sig("def load(self, weights: dict[str, numpy.typing.NDArray[numpy.float32]]) "
                   "-> None"),
           "Takes over other weights of the same shapes.");
}

}  // namespace selfmate::bindings
