#include "nets/token_attention.h"

#include <optional>

#include "bindings/module.h"

namespace selfmate::bindings {
namespace {

using namespace nb::literals;

// The memory for the scores of all heads stays below a gigabyte.
constexpr std::size_t kMaxTokens = 1024, kMaxWidth = 1 << 16;
constexpr int kMaxHeads = 64;

// Queries, keys and values of some sequences, and the bias of their scores.
class Attention {
 public:
  Attention(nb::handle looks, nb::handle geometry, int heads)
      : extents_(checked_extents<3>(looks, "looks")),
        heads_(heads),
        qkv_(looks, "looks", {count(), tokens(), extents_[2]}) {
    check();
    if (!geometry.is_none()) bias_.emplace(geometry, "geometry", bias_extents());
  }

  std::size_t count() const { return extents_[0]; }
  std::size_t tokens() const { return extents_[1]; }
  std::size_t width() const { return extents_[2] / 3; }
  Extents bias_extents() const { return {std::size_t(heads_), tokens(), tokens()}; }
  const float* qkv() const { return qkv_.data(); }
  TokenAttention layer() const {
    return {int(tokens()), heads_, int(width()) / heads_, bias_ ? bias_->data() : nullptr};
  }

 private:
  void check() const {
    if (extents_[2] % 3)
      throw BadInput("looks must have queries, keys and values of one width, not " +
                     std::to_string(extents_[2]) + " numbers a token");
    if (tokens() < 1 || tokens() > kMaxTokens || width() > kMaxWidth)
      throw BadInput("attention is among 1 to " + std::to_string(kMaxTokens) + " tokens of up to " +
                     std::to_string(kMaxWidth) + " numbers, not among " + std::to_string(tokens()) +
                     " of " + std::to_string(width()));
    const bool share = heads_ >= 1 && heads_ <= kMaxHeads && width() % std::size_t(heads_) == 0 &&
                       width() / std::size_t(heads_) % kHeadGrain == 0;
    if (!share)
      throw BadInput(std::to_string(heads_) + " heads cannot share a width of " +
                     std::to_string(width()) + ": each takes a multiple of " +
                     std::to_string(kHeadGrain) + ", and " + std::to_string(kMaxHeads) +
                     " are the most");
  }

  std::array<std::size_t, 3> extents_;
  int heads_;
  Array<const float> qkv_;
  std::optional<Array<const float>> bias_;
};

void forward(nb::handle looks, nb::handle geometry, int heads, nb::handle seen) {
  const Attention of(looks, geometry, heads);
  const Array<float> to(seen, "seen", {of.count(), of.tokens(), of.width()});
  nb::gil_scoped_release release;
  attend(of.layer(), std::int64_t(of.count()), of.qkv(), to.data());
}

void backward(nb::handle looks, nb::handle geometry, int heads, nb::handle seen_gradient,
              nb::handle looks_gradient, nb::handle geometry_gradient) {
  const Attention of(looks, geometry, heads);
  const Array<const float> from(seen_gradient, "seen_gradient",
                                {of.count(), of.tokens(), of.width()});
  const Array<float> to(looks_gradient, "looks_gradient",
                        {of.count(), of.tokens(), 3 * of.width()});
  std::optional<Array<float>> of_bias;
  if (!geometry_gradient.is_none())
    of_bias.emplace(geometry_gradient, "geometry_gradient", of.bias_extents());
  nb::gil_scoped_release release;
  attend_backward(of.layer(), std::int64_t(of.count()), of.qkv(), from.data(), to.data(),
                  of_bias ? of_bias->data() : nullptr);
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
