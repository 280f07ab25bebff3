#include "chess/pgn_splitter.h"

#include <array>
#include <bit>
#include <cstring>

#include "chess/pgn_tags.h"
#include "chess/pgn_text.h"

namespace selfmate {
namespace {

// Tagless games are cut apart only when together they are longer than this.
constexpr std::size_t kTaglessUnitBytes = 1 << 16;
// A tag may stand this far from the line's start. A bound, so that the beginning of an over-long
// line is judged as the whole would be.
constexpr int kMaxIndent = 100;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kEventTag = "[Event ";
constexpr CharSet kTextStops = char_set("\n\r{();");
constexpr CharSet kCommentStops = char_set("\n\r}");

using Block [[gnu::vector_size(16)]] = signed char;

// The next of kTextStops, by blocks of sixteen characters as far as they go: the skim is the one
// part of reading that threads cannot share, and most of its time goes here.
const char* find_text_stop(const char* at, const char* end) {
  static_assert(std::endian::native == std::endian::little, "lower bytes come first in a block");
  for (; end - at >= std::ptrdiff_t(sizeof(Block)); at += sizeof(Block)) {
    Block block;
    std::memcpy(&block, at, sizeof block);
    const auto met = (block == '\n') | (block == '\r') | (block == '{') | (block == '(') |
                     (block == ')') | (block == ';');
    const auto halves = std::bit_cast<std::array<std::uint64_t, 2>>(met);
    if (halves[0]) return at + std::countr_zero(halves[0]) / 8;
    if (halves[1]) return at + 8 + std::countr_zero(halves[1]) / 8;
  }
  return find_in(kTextStops, at);
}

bool starts_with_tag(const char* line) {
  for (int indent = 0; indent < kMaxIndent && contains(kLineBlanks, *line); ++indent) ++line;
  return *line == '[';
}

bool ends_with_result(std::string_view text) {
  while (!text.empty() && contains(kLineBlanks, text.back())) text.remove_suffix(1);
  if (text.ends_with('*')) return true;
  std::size_t begin = text.size();
  while (begin > 0 && contains(kTokenChars, text[begin - 1])) --begin;
  return (begin == 0 || contains(kBlanks, text[begin - 1])) && is_result(text.substr(begin));
}

}  // namespace

std::vector<PgnUnit> PgnSplitter::feed(std::string_view bytes) {
  forget_taken();
  const std::size_t line_end = bytes.find_last_of("\n\r");
  const std::size_t complete = buffer_.size() + line_end + 1;
  buffer_.append(bytes);
  if (line_end != std::string_view::npos) skim(complete);
  if (buffer_.size() - skimmed_ > unit_limit_) skim_part_of_overlong_line();
  return take_units();
}

std::vector<PgnUnit> PgnSplitter::finish() {
  forget_taken();
  buffer_ += '\n';
  skim(buffer_.size());
  start_unit();
  return take_units();
}

void PgnSplitter::forget_taken() {
  const std::size_t taken = given_up_ ? skimmed_ : unit_begin_;
  buffer_.erase(0, taken);
  skimmed_ -= taken;
  unit_begin_ = 0;
}

std::vector<PgnUnit> PgnSplitter::take_units() {
  std::vector<PgnUnit> units;
  units.reserve(units_.size());
  const std::string_view text = buffer_;
  for (const Span& span : units_)
    units.push_back(
        {text.substr(span.begin, span.end - span.begin), span.first_line, span.too_long});
  units_.clear();
  return units;
}

void PgnSplitter::skim(std::size_t until) {
  while (skimmed_ < until) {
    if (after_carriage_return_ && *at() == '\n') {
      ++skimmed_;
      after_carriage_return_ = false;
      continue;
    }
    skim_line();
    after_carriage_return_ = buffer_[skimmed_ - 1] == '\r';
    ++line_;
  }
}

void PgnSplitter::skim_line() {
  if (!inside_overlong_line_) begin_line();
  const bool read = !inside_overlong_line_ && !given_up_;
  const char* const line_end = read ? skim_text(skim_tags(at())) : find_in(kLineEnds, at());
  skimmed_ = index_of(line_end) + 1;
  inside_overlong_line_ = false;
  if (skimmed_ - unit_begin_ > unit_limit_) give_up_unit();
}

void PgnSplitter::skim_part_of_overlong_line() {
  if (!inside_overlong_line_) begin_line();
  give_up_unit();
  inside_overlong_line_ = true;
  skimmed_ = buffer_.size();
}

void PgnSplitter::begin_line() {
  if (line_ == 1 && buffer_.starts_with(kByteOrderMark))
    unit_begin_ = skimmed_ = kByteOrderMark.size();
  if (starts_unit()) start_unit();
  state_.tagless_game_ended = false;
}

bool PgnSplitter::starts_unit() const {
  const bool event = std::string_view(buffer_).substr(skimmed_).starts_with(kEventTag);
  if (given_up_) return event;
  if (event && (state_.in_comment || state_.event_seen)) return true;
  if (state_.in_comment) return false;
  return state_.tagless_game_ended || (state_.movetext_seen && starts_with_tag(at()));
}

void PgnSplitter::start_unit() {
  if (!given_up_ && skimmed_ > unit_begin_)
    units_.push_back({unit_begin_, skimmed_, unit_line_, false});
  given_up_ = false;
  unit_begin_ = skimmed_;
  unit_line_ = line_;
  state_ = {};
}

void PgnSplitter::give_up_unit() {
  if (!given_up_) units_.push_back({0, 0, unit_line_, true});
  given_up_ = true;
}

// Steps over the tags at a line's start, and over a whole line that is broken or escaped.
const char* PgnSplitter::skim_tags(const char* at) {
  if (state_.in_comment) return at;
  if (*at == '%') return find_in(kLineEnds, at);
  at = skip_in(kLineBlanks, at);
  while (*at == '[') {
    TagPair tag;
    if (!read_tag(at, tag)) return find_in(kLineEnds, at);
    state_.event_seen |= tag.name == "Event";
    at = skip_in(kLineBlanks, tag.end);
  }
  if (!contains(kLineEnds, *at) && *at != ';') state_.movetext_seen = true;
  return at;
}

const char* PgnSplitter::skim_text(const char* at) {
  for (;; ++at) {
    const char* const end = buffer_.data() + buffer_.size();
    at = state_.in_comment ? find_in(kCommentStops, at) : find_text_stop(at, end);
    if (*at == ';') return find_in(kLineEnds, at);
    if (contains(kLineEnds, *at)) break;
    if (*at == '{' || *at == '}') state_.in_comment = *at == '{';
    if (*at == '(') ++state_.variation_depth;
    if (*at == ')' && state_.variation_depth > 0) --state_.variation_depth;
  }
  const std::size_t length = index_of(at) - unit_begin_;
  if (length > kTaglessUnitBytes && !state_.in_comment && state_.variation_depth == 0)
    state_.tagless_game_ended = ends_with_result({buffer_.data() + unit_begin_, length});
  return at;
}

}  // namespace selfmate
