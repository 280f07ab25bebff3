// Cuts a stream of PGN text into units that can be parsed apart from each other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace selfmate {

// One game with its tags, and the tagless games that follow it. The text ends with a line end.
struct PgnUnit {
  std::string_view text;
  std::int64_t first_line;  // counted from 1
  bool too_long;            // then the text is empty
};

// A quick sequential skim by whole lines, so that results cannot depend on how the stream was
// chopped up. A unit starts where a line starts with a tag after movetext was seen. A line that
// starts with "[Event " also starts a unit inside a comment, or after an Event tag that no
// movetext followed: a comment left open costs one game, not the rest of the file.
class PgnSplitter {
 public:
  // A longer unit is given up, and with it what follows up to the next "[Event " line.
  explicit PgnSplitter(std::size_t unit_limit) : unit_limit_(unit_limit) {}

  // The units complete so far; their texts live until the next call.
  std::vector<PgnUnit> feed(std::string_view bytes);
  std::vector<PgnUnit> finish();

 private:
  struct Span {
    std::size_t begin, end;
    std::int64_t first_line;
    bool too_long;
  };

  void forget_taken();
  std::vector<PgnUnit> take_units();
  void skim(std::size_t until);
  void skim_line();
  void skim_part_of_overlong_line();
  void begin_line();
  const char* skim_tags(const char* at);
  const char* skim_text(const char* at);
  bool starts_unit() const;
  void start_unit();
  void give_up_unit();
  const char* at() const { return buffer_.data() + skimmed_; }
  std::size_t index_of(const char* at) const { return std::size_t(at - buffer_.data()); }

  const std::size_t unit_limit_;
  std::string buffer_;
  std::size_t skimmed_ = 0;     // the next line to skim, or more of an over-long line
  std::size_t unit_begin_ = 0;  // where the present unit begins
  std::vector<Span> units_;
  std::int64_t line_ = 1, unit_line_ = 1;
  bool after_carriage_return_ = false;
  bool inside_overlong_line_ = false;
  bool given_up_ = false;  // looking for the next "[Event " line

  struct UnitState {
    bool event_seen = false, movetext_seen = false;
    bool in_comment = false;
    bool tagless_game_ended = false;
    int variation_depth = 0;
  } state_;
};

}  // namespace selfmate
