#include "nets/token_attention.h"

#include "bindings/module.h"

namespace selfmate::bindings {
namespace {

using namespace nb::literals;

// The extents of an array that has three dimensions.
std::vector<std::size_t> extents_of_three(nb::handle value, const char* name) {
  nb::ndarray<nb::ro, nb::ndim<3>, nb::device::cpu> array;
  if (!nb::ndarray_check(value) || !nb::try_cast(value, array, false))
    throw BadInput(std::string(name) + " must be an array of three dimensions");
  return {array.shape(0), array.shape(1), array.shape(2)};
}

struct Sentences {
  std::size_t count, tokens, width;
  const float* looks;
};

Sentences checked_looks(nb::handle looks) {
  const auto extents = extents_of_three(looks, "looks");
  if (extents[2] % 3)
    throw BadInput("looks must have queries, keys and values of one width, not " +
                   std::to_string(extents[2]) + " numbers a token");
  return {extents[0], extents[1], extents[2] / 3, checked_array<float>(looks, "looks", extents)};
}

TokenAttention checked_attention(const Sentences& of, int heads, nb::handle geometry) {
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

void attend_forward(nb::handle looks, nb::handle geometry, int heads, nb::handle seen) {
  const Sentences of = checked_looks(looks);
  const TokenAttention attention = checked_attention(of, heads, geometry);
  auto* to = checked_array<float>(seen, "seen", {of.count, of.tokens, of.width}, true);
  nb::gil_scoped_release release;
  attend(attention, std::int64_t(of.count), of.looks, to);
}

void attend_backward(nb::handle looks, nb::handle geometry, int heads, nb::handle seen_gradient,
                     nb::handle looks_gradient, nb::handle geometry_gradient) {
  const Sentences of = checked_looks(looks);
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
  attend_back(attention, std::int64_t(of.count), of.looks, from, to, of_geometry);
}

}  // namespace

void bind_token_attention(nb::module_& module) {
  module.def("attend", &attend_forward, "looks"_a.none(), "geometry"_a.none(), "heads"_a,
             "seen"_a.none(),
             nb::sig("def attend(looks: numpy.typing.NDArray[numpy.float32], "
                     "geometry: numpy.typing.NDArray[numpy.float32] | None, heads: int, "
                     "seen: numpy.typing.NDArray[numpy.float32]) -> None"),
             "Writes what tokens see, [B, T, W], of their queries, keys and values [B, T, 3 W].");
  module.def("attend_back", &attend_backward, "looks"_a.none(), "geometry"_a.none(), "heads"_a,
             "seen_gradient"_a.none(), "looks_gradient"_a.none(), "geometry_gradient"_a.none(),
             nb::sig("def attend_back(looks: numpy.typing.NDArray[numpy.float32], "
                     "geometry: numpy.typing.NDArray[numpy.float32] | None, heads: int, "
                     "seen_gradient: numpy.typing.NDArray[numpy.float32], "
                     "looks_gradient: numpy.typing.NDArray[numpy.float32], "
                     "geometry_gradient: numpy.typing.NDArray[numpy.float32] | None) -> None"),
             "Writes the gradients of `attend`.");
}

}  // namespace selfmate::bindings
