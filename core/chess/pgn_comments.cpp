#include "chess/pgn_comments.h"

#include <algorithm>

#include "chess/pgn_text.h"

namespace selfmate {
namespace {

constexpr CharSet kAfterScore = char_set(" \t\v\f\n\r,;/]");
constexpr CharSet kScoreStarts = char_set("+-0123456789.M#");
constexpr CharSet kMateMarks = char_set("M#");

// Reads numbers from the front of a text.
class ScoreReader {
 public:
  explicit ScoreReader(std::string_view text) : text_(text) {}

  // -0.31, M12, #-3, -M12, -#3; kNoEvaluation if it is none, or a mate in 0, which says not whose.
  std::int16_t score() {
    bool negative = sign();
    if (at(kMateMarks)) {
      text_.remove_prefix(1);
      negative |= sign();
      return signed_score(negative, digits() > 0 ? kMaxEvaluation : kNone);
    }
    return signed_score(negative, pawns());
  }
  // At the end of the text, or before something that may follow a score.
  bool at_boundary() const { return text_.empty() || at(kAfterScore); }
  // What follows the score and its slash, if a depth does.
  bool at_depth() const {
    return text_.size() > 1 && text_[0] == '/' && contains(kDigits, text_[1]);
  }

 private:
  static constexpr int kNone = -1;

  static std::int16_t signed_score(bool negative, int centipawns) {
    if (centipawns == kNone) return kNoEvaluation;
    return std::int16_t(negative ? -centipawns : centipawns);
  }
  bool at(const CharSet& set) const { return !text_.empty() && contains(set, text_[0]); }
  bool sign() {
    const bool negative = text_.starts_with('-');
    if (negative || text_.starts_with('+')) text_.remove_prefix(1);
    return negative;
  }
  // Clipped, so that no number is too long; kNone without a digit.
  int digits() {
    if (!at(kDigits)) return kNone;
    int value = 0;
    for (; at(kDigits); text_.remove_prefix(1))
      value = std::min(10 * value + (text_[0] - '0'), int(kMaxEvaluation));
    return value;
  }
  // In centipawns, clipped; further decimals are rounded.
  int pawns() {
    const int whole = digits();
    if (!text_.starts_with('.')) return whole == kNone ? kNone : clipped(1000 * whole);
    text_.remove_prefix(1);
    if (whole == kNone && !at(kDigits)) return kNone;
    int thousandths = 0;
    for (int scale = 100; at(kDigits); text_.remove_prefix(1), scale /= 10)
      thousandths += scale * (text_[0] - '0');
    return clipped(1000 * std::max(whole, 0) + thousandths);
  }
  static int clipped(int thousandths) {
    return std::min((thousandths + 5) / 10, int(kMaxEvaluation));
  }

  std::string_view text_;
};

// The text behind "[%name " up to the end of the comment; empty if there is no such command.
std::string_view command(std::string_view text, std::string_view name) {
  const std::size_t at = text.find(name);
  if (at == text.npos) return {};
  std::string_view rest = text.substr(at + name.size());
  if (rest.empty() || !contains(kBlanks, rest[0])) return {};
  while (!rest.empty() && contains(kBlanks, rest[0])) rest.remove_prefix(1);
  return rest;
}

std::int16_t bounded_score(std::string_view text) {
  ScoreReader reader(text);
  const std::int16_t score = reader.score();
  return reader.at_boundary() ? score : kNoEvaluation;
}

std::int16_t white_view(std::string_view text) {
  for (std::size_t at = text.find("wv="); at != text.npos; at = text.find("wv=", at + 1))
    if (at == 0 || contains(kBlanks, text[at - 1]) || text[at - 1] == ',')
      return bounded_score(text.substr(at + 3));
  return kNoEvaluation;
}

std::int16_t mover_view(std::string_view text) {
  while (!text.empty() && contains(kBlanks, text[0])) text.remove_prefix(1);
  if (text.empty() || !contains(kScoreStarts, text[0])) return kNoEvaluation;
  // Programs write decimals; "1/2" is a result, and no score of one pawn.
  if (text.substr(0, text.find('/')).find_first_of(".M#") == text.npos) return kNoEvaluation;
  ScoreReader reader(text);
  const std::int16_t score = reader.score();
  return reader.at_depth() ? score : kNoEvaluation;
}

}  // namespace

CommentNotes read_comment(std::string_view text) {
  CommentNotes notes;
  if (text.find('[') != text.npos) {
    notes.after_white = bounded_score(command(text, "[%eval"));
    notes.best_after = command(text, "[%best");
    notes.best_after = notes.best_after.substr(0, notes.best_after.find(']'));
  }
  notes.before_white = white_view(text);
  notes.before_mover = mover_view(text);
  return notes;
}

}  // namespace selfmate
