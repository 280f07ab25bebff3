#include "bindings/module.h"
#include "nets/wide.h"
#include "nets/winograd.h"

namespace selfmate::bindings {
namespace {

using namespace nb::literals;

void check_processor() {
  if (!processor_is_wide())
    throw BadInput("this processor lacks AVX2, which convolutions need here");
}

nb::object transform_weights(nb::handle weights, bool back) {
  check_processor();
  const auto extents = extents_of_four(weights, "weights");
  const auto outputs = std::int64_t(extents[0]), inputs = std::int64_t(extents[1]);
  const auto* numbers = checked_array<float>(weights, "weights", {extents[0], extents[1], 3, 3});
  return to_numpy(back ? winograd_weights_back(numbers, outputs, inputs)
                       : winograd_weights(numbers, outputs, inputs));
}

void convolve_boards(nb::handle boards, nb::handle weights, nb::handle out, int threads) {
  check_processor();
  check_threads(threads);
  const std::size_t count = extents_of_four(boards, "boards")[0];
  const std::size_t inputs = extents_of_four(boards, "boards")[3];
  const std::size_t outputs = extents_of_four(out, "out")[3];
  const auto size = winograd_size(std::int64_t(outputs), std::int64_t(inputs));
  const auto* from = checked_array<float>(boards, "boards", {count, 8, 8, inputs});
  const auto* numbers = checked_array<float>(weights, "weights", {std::size_t(size)});
  auto* to = checked_array<float>(out, "out", {count, 8, 8, outputs}, true);
  nb::gil_scoped_release release;
  convolve(from, std::int64_t(count), std::int64_t(inputs), numbers, std::int64_t(outputs), to,
           threads);
}

nb::object gradient_of_weights(nb::handle boards, nb::handle gradients, int threads) {
  check_processor();
  check_threads(threads);
  const std::size_t count = extents_of_four(boards, "boards")[0];
  const std::size_t inputs = extents_of_four(boards, "boards")[3];
  const std::size_t outputs = extents_of_four(gradients, "gradients")[3];
  const auto* from = checked_array<float>(boards, "boards", {count, 8, 8, inputs});
  const auto* back = checked_array<float>(gradients, "gradients", {count, 8, 8, outputs});
  std::vector<float> out(outputs * inputs * 9);
  {
    nb::gil_scoped_release release;
    convolution_gradient(from, std::int64_t(count), std::int64_t(inputs), back,
                         std::int64_t(outputs), out.data(), threads);
  }
  return to_numpy(std::move(out), {outputs, inputs, 3, 3});
}

}  // namespace

void bind_convolution(nb::module_& module) {
  module.def("processor_is_wide", &processor_is_wide,
             "Whether the processor has what learning convolutions need.");
  module.def("winograd_weights", &transform_weights, "weights"_a.none(), "back"_a = false,
             nb::sig("def winograd_weights(weights: numpy.typing.NDArray[numpy.float32], "
                     "back: bool = False) -> numpy.typing.NDArray[numpy.float32]"),
             "Weights [O, I, 3, 3] as `convolve` takes them; those of the way back, from gradients "
             "of outputs to those of inputs.");
  module.def("convolve", &convolve_boards, "boards"_a.none(), "weights"_a.none(), "out"_a.none(),
             "threads"_a = 1,
             nb::sig("def convolve(boards: numpy.typing.NDArray[numpy.float32], "
                     "weights: numpy.typing.NDArray[numpy.float32], "
                     "out: numpy.typing.NDArray[numpy.float32], threads: int = 1) -> None"),
             "Boards [B, 8, 8, I] to [B, 8, 8, O]: 3x3, zero beyond the edges.");
  module.def("convolution_gradient", &gradient_of_weights, "boards"_a.none(), "gradients"_a.none(),
             "threads"_a = 1,
             nb::sig("def convolution_gradient(boards: numpy.typing.NDArray[numpy.float32], "
                     "gradients: numpy.typing.NDArray[numpy.float32], threads: int = 1) "
                     "-> numpy.typing.NDArray[numpy.float32]"),
             "The gradient [O, I, 3, 3] of the weights, from that of `convolve`'s boards.");
}

}  // namespace selfmate::bindings
