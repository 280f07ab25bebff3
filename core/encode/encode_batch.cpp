#include "encode/encode_batch.h"

namespace selfmate {
namespace {

using EncodeFloats = void (*)(const Game&, float*);
using EncodeBytes = void (*)(const Game&, std::uint8_t*);

EncodeFloats float_encoder(Encoding encoding) {
  switch (encoding) {
    case Encoding::kPlanes68:
      return encode_planes68;
    case Encoding::kPlanes96:
      return encode_planes96;
    default:
      return encode_features839;
  }
}

EncodeBytes byte_encoder(Encoding encoding) {
  return encoding == Encoding::kTokens78 ? EncodeBytes(encode_tokens78)
                                         : EncodeBytes(encode_onehot768);
}

template <class T, class Encode>
void encode_each(Games games, std::size_t size, void* out, int threads, Encode encode) {
  for_each_game(games, threads, [&](std::size_t i, const Game& game) {
    encode(game, static_cast<T*>(out) + i * size);
  });
}

void encode_as_floats(Encoding encoding, Games games, void* out, int threads) {
  const std::size_t size = layout_of(encoding).size();
  const EncodeBytes encode = byte_encoder(encoding);
  encode_each<float>(games, size, out, threads, [&](const Game& game, float* block) {
    std::array<std::uint8_t, kOnehot768Size> bytes;
    encode(game, bytes.data());
    std::copy_n(bytes.data(), size, block);
  });
}

}  // namespace

Encoding encoding_named(std::string_view name) {
  std::string allowed;
  for (std::size_t i = 0; i < std::size(kEncodings); ++i) {
    if (kEncodings[i].name == name) return Encoding(i);
    allowed += (i ? ", " : "") + std::string(kEncodings[i].name);
  }
  throw BadInput("unknown encoding " + quoted(name) + "; known are " + allowed);
}

void encode_batch(Encoding encoding, Games games, void* out, Number number, int threads) {
  const EncodingLayout& layout = layout_of(encoding);
  if (layout.number == Number::kFloat32) {
    if (number != Number::kFloat32)
      throw BadInput(std::string(layout.name) + " holds fractions and needs float32");
    encode_each<float>(games, layout.size(), out, threads, float_encoder(encoding));
  } else if (number == Number::kUint8) {
    encode_each<std::uint8_t>(games, layout.size(), out, threads, byte_encoder(encoding));
  } else {
    encode_as_floats(encoding, games, out, threads);
  }
}

}  // namespace selfmate
