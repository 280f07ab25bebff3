#include "nets/transformer.h"

#include "bindings/borrowed_games.h"
#include "bindings/borrowed_weights.h"
#include "bindings/module.h"

namespace selfmate::bindings {
namespace {

using namespace nb::literals;

void init(Transformer* net, const nb::dict& weights, int width, int blocks, int heads,
          const nb::str& policy_head, bool square_pair_bias, const nb::str& kernels) {
  const TransformerShape shape{width, blocks, heads, policy_head_named(utf8(policy_head)),
                               square_pair_bias};
  new (net) Transformer(shape, BorrowedWeights(weights).weights(), utf8(kernels));
}

nb::object logits_of(Transformer& net, nb::handle tokens, int threads) {
  check_threads(threads);
  const std::size_t count = checked_extents<2>(tokens, "tokens")[0];
  const auto copy = checked_copy<std::uint8_t>(tokens, "tokens", {count, kTokens});
  std::vector<float> logits(count * kUciActions);
  {
    nb::gil_scoped_release release;
    net.logits(copy.data(), std::int64_t(count), threads, logits.data());
  }
  return to_numpy(std::move(logits), {count, kUciActions});
}

nb::tuple evaluate(Transformer& net, nb::handle holder, int threads) {
  check_threads(threads);
  PositionBatch batch = positions_of(BorrowedGames(holder).games());
  std::vector<float> logits(batch.moves.values.size());
  {
    nb::gil_scoped_release release;
    net.evaluate(batch, threads, logits.data());
  }
  return nb::make_tuple(to_numpy(std::move(batch.moves.values)), to_numpy(std::move(logits)),
                        to_numpy(std::move(batch.moves.offsets)));
}

}  // namespace

void bind_transformer(nb::module_& module) {
  nb::class_<Transformer>(module, "Transformer",
                          "The forward pass of nets.Transformer. For any number of threads at "
                          "once; a position's answer is the same, bit for bit, in any batch.")
      .def("__init__", &init, "weights"_a, nb::kw_only(), "width"_a, "blocks"_a, "heads"_a,
           "policy_head"_a, "square_pair_bias"_a, "kernels"_a = "",
           nb::sig("def __init__(self, weights: dict[str, numpy.typing.NDArray[numpy.float32]], "
                   "*, width: int, blocks: int, heads: int, policy_head: str, "
                   "square_pair_bias: bool, kernels: str = '') -> None"))
      .def("logits", &logits_of, "tokens"_a.none(), "threads"_a = 1,
           nb::sig("def logits(self, tokens: numpy.typing.NDArray[numpy.uint8], "
                   "threads: int = 1) -> numpy.typing.NDArray[numpy.float32]"),
           "Logits of all actions of uci1968 [N, 1968], for tokens78 [N, 78]; both in the view of "
           "the side to move.")
      .def("evaluate", &evaluate, "games"_a.none(), "threads"_a = 1,
           nb::sig("def evaluate(self, games: GameBatch | collections.abc.Sequence[Board], "
                   "threads: int = 1) -> tuple[numpy.typing.NDArray[numpy.uint16], "
                   "numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.int64]]"),
           "All legal moves [N], their logits [N], and where each game's begin [B + 1].");
}

}  // namespace selfmate::bindings
