#include "nets/convolution.h"
#include "bindings/module.h"
#include "nets/dispatch.h"

namespace selfmate::bindings {
namespace {

using namespace nb::literals;

// Of wider layers the result, or the memory on the way to it, would take gigabytes.
constexpr std::size_t kMaxChannels = 2048;

std::size_t checked_channels(std::size_t channels) {
  if (channels < 1 || channels > kMaxChannels)
    throw BadInput("a convolution has 1 to " + std::to_string(kMaxChannels) + " channels, not " +
                   std::to_string(channels));
  return channels;
}

nb::list kernel_names() {
  nb::list names;
  for (const Kernels* kernels : available_kernels()) names.append(kernels->name);
  return names;
}

nb::object transform_weights(nb::handle weights, bool back) {
  const auto extents = checked_extents<4>(weights, "weights");
  const int outputs = int(checked_channels(extents[0])), inputs = int(checked_channels(extents[1]));
  const Array<const float> numbers(weights, "weights", {extents[0], extents[1], 3, 3});
  return to_numpy(back ? packed_filters({numbers.data(), inputs, outputs, true})
                       : packed_filters({numbers.data(), outputs, inputs}));
}

void convolve_boards(nb::handle boards, nb::handle weights, nb::handle out, int threads) {
  check_threads(threads);
  const std::size_t count = checked_extents<4>(boards, "boards")[0];
  const std::size_t inputs = checked_channels(checked_extents<4>(boards, "boards")[3]);
  const std::size_t outputs = checked_channels(checked_extents<4>(out, "out")[3]);
  const auto size = packed_filters_size(std::int64_t(outputs), std::int64_t(inputs));
  const Array<const float> from(boards, "boards", {count, 8, 8, inputs});
  const Array<const float> numbers(weights, "weights", {std::size_t(size)});
  const Array<float> to(out, "out", {count, 8, 8, outputs});
  nb::gil_scoped_release release;
  convolve(from.data(), std::int64_t(count), std::int64_t(inputs), numbers.data(),
           std::int64_t(outputs), to.data(), threads);
}

nb::object gradient_of_weights(nb::handle boards, nb::handle gradients, int threads) {
  check_threads(threads);
  const std::size_t count = checked_extents<4>(boards, "boards")[0];
  const std::size_t inputs = checked_channels(checked_extents<4>(boards, "boards")[3]);
  const std::size_t outputs = checked_channels(checked_extents<4>(gradients, "gradients")[3]);
  const Array<const float> from(boards, "boards", {count, 8, 8, inputs});
  const Array<const float> back(gradients, "gradients", {count, 8, 8, outputs});
  std::vector<float> out(outputs * inputs * 9);
  {
    nb::gil_scoped_release release;
    filter_gradient(from.data(), std::int64_t(count), std::int64_t(inputs), back.data(),
                    std::int64_t(outputs), out.data(), threads);
  }
  return to_numpy(std::move(out), {outputs, inputs, 3, 3});
}

}  // namespace

void bind_convolution(nb::module_& module) {
  module.def("processor_is_wide", &has_fast_kernels,
             "Whether the processor has what makes the core's convolutions faster than torch's.");
  module.def("kernel_names", &kernel_names, nb::sig("def kernel_names() -> list[str]"),
             "The kernels that this processor can run, the fastest first.");
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
