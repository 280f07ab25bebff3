// A place in PGN text, and the steps over what is no move: comments, variations, escaped lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "chess/pgn_text.h"

namespace selfmate {

constexpr int kMaxVariationDepth = 64;

// What is wrong with a game, and where it was seen.
struct BadGame {
  const char* where;
  std::string reason;
};

// The text must end with a line end, so that a token's end is always found.
class PgnCursor {
 public:
  PgnCursor() = default;
  PgnCursor(std::string_view text, std::int64_t first_line)
      : at(text.data()),
        begin_(text.data()),
        end_(text.data() + text.size()),
        counted_to_(text.data()),
        counted_line_(first_line) {}

  bool at_end() const { return at >= end_; }
  void skip_blanks() { at = skip_in(kBlanks, at); }
  void skip_line() { at = find_in(kLineEnds, at); }
  // Throws, and stands at the text's end, when the comment or variation is not closed.
  std::string_view take_comment();  // without its braces
  void skip_variation();
  // Over all that may stand between two games; false at the end of the text.
  bool find_game();
  // To just past the next result outside comments and variations, or to the end of the text.
  void skip_game();

  std::string_view take_token();
  bool at_escaped_line() const { return *at == '%' && follows_line_end(at); }
  // Only blanks between here and the line's start.
  bool at_line_start() const;
  // The last character that is not blank.
  const char* last_written() const;
  // Asked for places in rising order, so that lines are counted once.
  std::int64_t line_of(const char* where);

  const char* at = nullptr;

 private:
  bool follows_line_end(const char* place) const {
    return place == begin_ || contains(kLineEnds, place[-1]);
  }
  bool close_comment();
  bool skip_tag();

  const char *begin_ = nullptr, *end_ = nullptr;
  const char* counted_to_ = nullptr;
  std::int64_t counted_line_ = 1;
};

}  // namespace selfmate
