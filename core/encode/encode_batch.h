// Many games' positions encoded at once.
#pragma once

#include "encode/features.h"
#include "encode/games.h"
#include "encode/planes.h"
#include "encode/tokens.h"

namespace selfmate {

enum class Encoding : std::uint8_t { kFeatures839, kOnehot768, kTokens78, kPlanes68, kPlanes96 };
enum class Number : std::uint8_t { kUint8, kFloat32 };

struct EncodingLayout {
  std::string_view name;
  std::span<const std::size_t> shape;  // of one position
  Number number;                       // the smallest type that holds every value
  int version;                         // raised whenever a value changes its meaning

  constexpr std::size_t size() const {
    std::size_t product = 1;
    for (const std::size_t extent : shape) product *= extent;
    return product;
  }
};

inline constexpr std::size_t kFeatures839Shape[] = {kFeatures839Size};
inline constexpr std::size_t kOnehot768Shape[] = {kOnehot768Size};
inline constexpr std::size_t kTokens78Shape[] = {kTokens78Size};
inline constexpr std::size_t kPlanes68Shape[] = {kPlanes68Count, 8, 8};
inline constexpr std::size_t kPlanes96Shape[] = {kPlanes96Count, 8, 8};
inline constexpr EncodingLayout kEncodings[] = {
    {"features839", kFeatures839Shape, Number::kFloat32, 1},
    {"onehot768", kOnehot768Shape, Number::kUint8, 1},
    {"tokens78", kTokens78Shape, Number::kUint8, 1},
    {"planes68", kPlanes68Shape, Number::kFloat32, 1},
    {"planes96", kPlanes96Shape, Number::kFloat32, 1}};
inline constexpr int kMove136Version = 1;

constexpr const EncodingLayout& layout_of(Encoding encoding) {
  return kEncodings[std::size_t(encoding)];
}
// BadInput for an unknown name.
Encoding encoding_named(std::string_view name);

// Writes one block per game. Every encoding can be had as float32; uint8 only where it is exact,
// else BadInput.
void encode_batch(Encoding encoding, Games games, void* out, Number number, int threads);

}  // namespace selfmate
