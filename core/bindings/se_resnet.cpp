#include "nets/se_resnet.h"

#include "bindings/module.h"
#include "nets/wide.h"

namespace selfmate::bindings {
namespace {

using namespace nb::literals;

using Array = nb::ndarray<nb::ro, const float, nb::c_contig, nb::device::cpu>;

void make_net(SeResNet* self, const nb::dict& weights) {
  if (!processor_is_wide()) throw BadInput("this processor lacks AVX2, which nets need here");
  Tensors tensors;
  for (const auto& [name, value] : weights) {
    const std::string text = nb::str(name).c_str();
    Array array;
    if (!nb::try_cast<Array>(value, array, false))
      throw BadInput("the weights " + text + " must be a C-contiguous float32 array");
    Tensor tensor{{}, array.data()};
    for (std::size_t axis = 0; axis < array.ndim(); ++axis)
      tensor.shape.push_back(std::int64_t(array.shape(axis)));
    tensors.emplace(text, std::move(tensor));
  }
  nb::gil_scoped_release release;
  new (self) SeResNet(tensors);
}

nb::object evaluate(const SeResNet& self, nb::handle planes, int threads) {
  check_threads(threads);
  const std::size_t count = extents_of_four(planes, "planes")[0];
  const auto* from = checked_array<float>(planes, "planes", {count, 68, 8, 8});
  const auto values = std::size_t(self.values());
  std::vector<float> logits(count * 64 * 73), value(count * values);
  {
    nb::gil_scoped_release release;
    self.evaluate(from, std::int64_t(count), logits.data(), value.data(), threads);
  }
  return nb::make_tuple(to_numpy(std::move(logits), {count, 64 * 73}),
                        to_numpy(std::move(value), {count, values}));
}

}  // namespace

void bind_se_resnet(nb::module_& module) {
  nb::class_<SeResNet>(module, "SeResNet", "A trained net that only answers.")
      .def("__init__", &make_net, "weights"_a,
           nb::sig("def __init__(self, weights: dict[str, "
                   "numpy.typing.NDArray[numpy.float32]]) -> None"),
           "The weights by their names in torch; they are copied.")
      .def("evaluate", &evaluate, "planes"_a.none(), "threads"_a = 1,
           nb::sig("def evaluate(self, planes: numpy.typing.NDArray[numpy.float32], "
                   "threads: int = 1) -> tuple[numpy.typing.NDArray[numpy.float32], "
                   "numpy.typing.NDArray[numpy.float32]]"),
           "Logits of actions [N, 4672] and of the value [N, 3 or 1] for planes [N, 68, 8, 8].");
}

}  // namespace selfmate::bindings
