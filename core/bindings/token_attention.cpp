#include "nets/token_attention.h"

#include "bindings/module.h"

namespace selfmate::bindings {
namespace {

using namespace nb::literals;

struct Sequences {
  std::size_t count, tokens, width;
  const float* qkv;
};

Sequences checked_looks(nb::handle looks) {
  const auto [count, tokens, width] = checked_extents<3>(looks, "looks");
  if (width % 3)
    throw BadInput("looks must have queries, keys and values of one width, not " +
                   std::to_string(width) + " numbers a token");
  return {count, tokens, width / 3, checked_array<float>(looks, "looks", {count, tokens, width})};
}

TokenAttention checked_attention(const Sequences& of, int heads, nb::handle geometry) {
  if (heads < 1 || of.width % std::size_t(heads) || of.width / std::size_t(heads) % kHeadGrain)
    throw BadInput(std::to_string(heads) + " heads cannot share a width of " +
                   std::to_string(of.width) + ": each takes a multiple of " +
                   std::to_string(kHeadGrain));
  const float* numbers = nullptr;
  if (!geometry.is_none())
    numbers =
        checked_array<float>(geometry, "geometry", {std::size_t(heads), of.tokens, of.tokens});
  return {int(of.tokens), heads, int(of.width) / heads, numbers};
}

void forward(nb::handle looks, nb::handle geometry, int heads, nb::handle seen) {
  const Sequences of = checked_looks(looks);
  const TokenAttention attention = checked_attention(of, heads, geometry);
  auto* to = checked_array<float>(seen, "seen", {of.count, of.tokens, of.width}, true);
  nb::gil_scoped_release release;
  attend(attention, std::int64_t(of.count), of.qkv, to);
}

void backward(nb::handle looks, nb::handle geometry, int heads, nb::handle seen_gradient,
              nb::handle looks_gradient, nb::handle geometry_gradient) {
  const Sequences of = checked_looks(looks);
  const TokenAttention attention = checked_attention(of, heads, geometry);
  const auto* from =
      checked_array<float>(seen_gradient, "seen_gradient", {of.count, of.tokens, of.width});
  auto* to = checked_array<float>(looks_gradient, "looks_gradient",
                                  {of.count, of.tokens, 3 * of.width}, true);
  float* of_geometry = nullptr;
  if (!geometry_gradient.is_none())
    of_geometry = checked_array<float>(geometry_gradient, "geometry_gradient",
                                       {std::size_t(heads), of.tokens, of.tokens}, true);
  nb::gil_scoped_release release;
  attend_backward(attention, std::int64_t(of.count), of.qkv, from, to, of_geometry);
}

}  // namespace

void bind_token_attention(nb::module_& module) {
  module.def("attend", &forward, "looks"_a.none(), "geometry"_a.none(), "heads"_a, "seen"_a.none(),
             nb::sig("def attend(looks: numpy.typing.NDArray[numpy.float32], "
                     "geometry: numpy.typing.NDArray[numpy.float32] | None, heads: int, "
                     "seen: numpy.typing.NDArray[numpy.float32]) -> None"),
             "Attention [B, T, W] of queries, keys and values [B, T, 3 W], written to `seen`.");
  module.def("attend_back", &backward, "looks"_a.none(), "geometry"_a.none(), "heads"_a,
             "seen_gradient"_a.none(), "looks_gradient"_a.none(), "geometry_gradient"_a.none(),
             nb::sig("def attend_back(looks: numpy.typing.NDArray[numpy.float32], "
                     "geometry: numpy.typing.NDArray[numpy.float32] | None, heads: int, "
                     "seen_gradient: numpy.typing.NDArray[numpy.float32], "
                     "looks_gradient: numpy.typing.NDArray[numpy.float32], "
                     "geometry_gradient: numpy.typing.NDArray[numpy.float32] | None) -> None"),
             "Writes the gradients of `attend`.");
}

}  // namespace selfmate::bindings
