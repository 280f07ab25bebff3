#include "chess/pgn_cursor.h"

#include <algorithm>
#include <cstring>

#include "chess/pgn_tags.h"

namespace selfmate {
namespace {

constexpr CharSet kVariationStops = char_set("\n\r{();");

}  // namespace

bool PgnCursor::close_comment() {
  const void* brace = std::memchr(at, '}', std::size_t(end_ - at));
  at = brace ? static_cast<const char*>(brace) + 1 : end_;
  return brace != nullptr;
}

std::string_view PgnCursor::take_comment() {
  const char* const begin = at;
  if (!close_comment()) throw BadGame{begin, "a comment is never closed"};
  return {begin + 1, std::size_t(at - begin - 2)};
}

void PgnCursor::skip_variation() {
  const char* const begin = at++;
  int deepest = 1;
  for (int depth = 1; depth > 0;) {
    if (!follows_line_end(at)) at = find_in(kVariationStops, at);
    if (at_end()) throw BadGame{begin, "a variation is never closed"};
    if (*at == ';' || at_escaped_line()) {
      skip_line();
    } else if (*at == '{') {
      take_comment();
    } else {
      depth += *at == '(' ? 1 : *at == ')' ? -1 : 0;
      deepest = std::max(deepest, depth);
      ++at;
    }
  }
  if (deepest > kMaxVariationDepth)
    throw BadGame{begin, "variations are nested " + std::to_string(deepest) + " deep, at most " +
                             std::to_string(kMaxVariationDepth) + " are allowed"};
}

bool PgnCursor::find_game() {
  for (skip_blanks(); !at_end(); skip_blanks()) {
    if (*at == ';' || at_escaped_line()) {
      skip_line();
    } else if (*at != '{') {
      return true;
    } else if (const char* const begin = at; !close_comment()) {
      at = begin;
      return true;
    }
  }
  return false;
}

bool PgnCursor::skip_tag() {
  if (*at != '[' || !at_line_start()) return false;
  TagPair tag;
  at = read_tag(at, tag) ? tag.end : find_in(kLineEnds, at);
  return true;
}

void PgnCursor::skip_game() {
  int depth = 0;
  for (skip_blanks(); !at_end(); skip_blanks()) {
    if (*at == ';' || at_escaped_line()) {
      skip_line();
    } else if (*at == '{') {
      close_comment();
    } else if (contains(kTokenChars, *at)) {
      if (is_result(take_token()) && depth == 0) return;
    } else if (!skip_tag()) {
      depth += *at == '(' ? 1 : *at == ')' && depth > 0 ? -1 : 0;
      if (*at++ == '*' && depth == 0) return;
    }
  }
}

std::string_view PgnCursor::take_token() {
  const char* const begin = at;
  at = skip_in(kTokenChars, at);
  return {begin, std::size_t(at - begin)};
}

bool PgnCursor::at_line_start() const {
  const char* place = at;
  while (place > begin_ && contains(kLineBlanks, place[-1])) --place;
  return follows_line_end(place);
}

const char* PgnCursor::last_written() const {
  const char* place = end_ - 1;
  while (place > begin_ && contains(kBlanks, *place)) --place;
  return place;
}

std::int64_t PgnCursor::line_of(const char* where) {
  for (; counted_to_ < where; ++counted_to_) {
    const bool second_half =
        *counted_to_ == '\n' && counted_to_ > begin_ && counted_to_[-1] == '\r';
    counted_line_ += contains(kLineEnds, *counted_to_) && !second_half;
  }
  return counted_line_;
}

}  // namespace selfmate
