#include "nets/se_resnet.h"

#include "bindings/borrowed_weights.h"
#include "bindings/module.h"

namespace selfmate::bindings {
namespace {

using namespace nb::literals;

void init(SeResNet* net, const nb::dict& weights, int blocks, int filters, int attention,
          bool squeeze, bool wdl, int planes, bool pairs, const nb::str& kernels) {
  const SeResNetShape shape{blocks, filters, attention, squeeze, wdl, planes, pairs};
  new (net) SeResNet(shape, BorrowedWeights(weights).weights(), utf8(kernels));
}

nb::tuple evaluate(SeResNet& net, nb::handle planes, int threads) {
  check_threads(threads);
  const std::size_t count = checked_extents<4>(planes, "planes")[0];
  const Array<const float> numbers(planes, "planes", {count, kPlanes, 8, 8});
  const std::size_t outputs = net.outputs(), actions = kSquares * kMoveTypes;
  std::vector<float> values(count * outputs), logits(count * actions);
  {
    nb::gil_scoped_release release;
    net.evaluate(numbers.data(), std::int64_t(count), threads, values.data(), logits.data());
  }
  return nb::make_tuple(to_numpy(std::move(values), {count, outputs}),
                        to_numpy(std::move(logits), {count, actions}));
}

}  // namespace

void bind_se_resnet(nb::module_& module) {
  nb::class_<SeResNet>(module, "SeResNet",
                       "The forward pass of nets.SeResNet. For any number of threads at once; a "
                       "row's answer is the same, bit for bit, in any batch.")
      .def("__init__", &init, "weights"_a, nb::kw_only(), "blocks"_a, "filters"_a, "attention"_a,
           "squeeze"_a, "wdl"_a, "planes"_a, "pairs"_a, "kernels"_a = "",
           nb::sig("def __init__(self, weights: dict[str, numpy.typing.NDArray[numpy.float32]], "
                   "*, blocks: int, filters: int, attention: int, squeeze: bool, wdl: bool, "
                   "planes: int, pairs: bool, kernels: str = '') -> None"))
      .def(
          "load",
          [](SeResNet& net, const nb::dict& weights) {
            net.load(BorrowedWeights(weights).weights());
          },
          "weights"_a,
          nb::sig("def load(self, weights: dict[str, numpy.typing.NDArray[numpy.float32]]) "
                  "-> None"),
          "Takes over other weights of the same shapes.")
      .def("evaluate", &evaluate, "planes"_a.none(), "threads"_a = 1,
           nb::sig("def evaluate(self, planes: numpy.typing.NDArray[numpy.float32], "
                   "threads: int = 1) -> tuple[numpy.typing.NDArray[numpy.float32], "
                   "numpy.typing.NDArray[numpy.float32]]"),
           "Values before softmax [N, 3] (or one number before tanh [N, 1]) and logits of az4672 "
           "[N, 4672], for planes [N, 96, 8, 8].");
}

}  // namespace selfmate::bindings
