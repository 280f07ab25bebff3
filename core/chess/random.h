// A small seeded generator (SplitMix64), one stream per game so that results do not depend on
// how games are shared among threads.
#pragma once

#include <cstdint>

namespace selfmate {

constexpr std::uint64_t mix_bits(std::uint64_t value) {
  value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ value >> 27) * 0x94D049BB133111EBULL;
  return value ^ value >> 31;
}

class Random {
 public:
  constexpr explicit Random(std::uint64_t seed, std::uint64_t stream = 0)
      : state_(mix_bits(seed + 0x9E3779B97F4A7C15ULL) ^ mix_bits(~stream)) {}

  constexpr std::uint64_t next() { return mix_bits(state_ += 0x9E3779B97F4A7C15ULL); }

  // Uniform in [0, bound) up to a bias of bound / 2^64.
  constexpr std::uint32_t below(std::uint32_t bound) {
    return std::uint32_t((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }

 private:
  std::uint64_t state_;
};

}  // namespace selfmate
