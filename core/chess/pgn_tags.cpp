#include "chess/pgn_tags.h"

#include "chess/pgn_text.h"

namespace selfmate {
namespace {

constexpr CharSet kValueStops = char_set("\n\r\\\"");

// The quote that ends a value: blanks and a bracket follow it. Null when the line ends first.
const char* closing_quote(const char* at) {
  for (;; ++at) {
    at = find_in(kValueStops, at);
    if (contains(kLineEnds, *at)) return nullptr;
    if (*at == '"' && *skip_in(kLineBlanks, at + 1) == ']') return at;
    if (*at == '\\' && (at[1] == '"' || at[1] == '\\')) ++at;
  }
}

}  // namespace

bool read_tag(const char* at, TagPair& tag) {
  const char* name = skip_in(kLineBlanks, at + 1);
  const char* name_end = skip_in(kTagNameChars, name);
  const char* quote = skip_in(kLineBlanks, name_end);
  if (name == name_end || *quote != '"') return false;
  const char* end = closing_quote(quote + 1);
  if (!end) return false;
  tag.name = {name, std::size_t(name_end - name)};
  tag.raw_value = {quote + 1, std::size_t(end - quote - 1)};
  tag.end = skip_in(kLineBlanks, end + 1) + 1;
  return true;
}

std::string unescaped(std::string_view raw_value) {
  std::string value;
  for (std::size_t i = 0; i < raw_value.size(); ++i) {
    const bool escape = raw_value[i] == '\\' && i + 1 < raw_value.size() &&
                        (raw_value[i + 1] == '"' || raw_value[i + 1] == '\\');
    value += raw_value[escape ? ++i : i];
  }
  return value;
}

std::vector<std::pair<std::string, std::string>> read_tag_section(const std::string& section) {
  std::vector<std::pair<std::string, std::string>> tags;
  const std::string text = section + '\n';
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); (at = skip_in(kBlanks, at)) < end;) {
    TagPair tag;
    if (*at == '[' && read_tag(at, tag)) {
      tags.emplace_back(tag.name, unescaped(tag.raw_value));
      at = tag.end;
    } else {
      at = find_in(kLineEnds, at);
    }
  }
  return tags;
}

}  // namespace selfmate
