// The tag pairs of PGN: [Name "value"].
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace selfmate {

struct TagPair {
  std::string_view name;
  std::string_view raw_value;  // with its escapes \" and \\ still in
  const char* end = nullptr;   // just past the closing bracket
};

// Reads the tag pair whose '[' is at `at`; false when it is not complete on its line. A quote
// inside the value is forgiven unless a bracket follows it. A line end must follow somewhere.
bool read_tag(const char* at, TagPair& tag);

std::string unescaped(std::string_view raw_value);

// Names and values of a whole section as GameRecords keeps it.
std::vector<std::pair<std::string, std::string>> read_tag_section(const std::string& section);

}  // namespace selfmate
