// PGN's alphabet: the classes of characters that splitter and parser both go by.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace selfmate {

using CharSet = std::array<bool, 256>;

constexpr CharSet char_set(std::string_view members) {
  CharSet set{};
  for (const char c : members) set[static_cast<unsigned char>(c)] = true;
  return set;
}

constexpr bool contains(const CharSet& set, char c) {
  return set[static_cast<unsigned char>(c)];
}

inline constexpr CharSet kLineEnds = char_set("\n\r");
inline constexpr CharSet kLineBlanks = char_set(" \t\v\f");
inline constexpr CharSet kBlanks = char_set(" \t\v\f\n\r");
inline constexpr CharSet kDigits = char_set("0123456789");
inline constexpr CharSet kTagNameChars =
    char_set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+#=:-");
// What moves, move numbers and results are written with, dots and annotation marks aside.
inline constexpr CharSet kTokenChars =
    char_set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+#=:-/@");

// The first character at or after `at` that is in the set, or is not. There must be one: texts
// are handed over with a line end as their last character.
inline const char* find_in(const CharSet& set, const char* at) {
  while (!contains(set, *at)) ++at;
  return at;
}
inline const char* skip_in(const CharSet& set, const char* at) {
  while (contains(set, *at)) ++at;
  return at;
}

constexpr bool is_result(std::string_view token) {
  return token == "1-0" || token == "0-1" || token == "1/2-1/2" || token == "*";
}

}  // namespace selfmate
