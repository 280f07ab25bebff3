#include "chess/pgn_parser.h"

#include <algorithm>
#include <charconv>

namespace selfmate {
namespace {

constexpr CharSet kLetters = char_set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
constexpr CharSet kDots = char_set(".");
constexpr CharSet kMarks = char_set("!?");

std::uint16_t rating(std::string_view text) {
  std::uint16_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool good = error == std::errc() && end == text.data() + text.size() && value <= 9999;
  return good ? value : 0;
}

std::int8_t result_value(std::string_view result) {
  if (result == "1-0") return 1;
  if (result == "0-1") return -1;
  return result == "1/2-1/2" ? 0 : kUnknownResult;
}

std::string lowered(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = char(c + 32);
  return lower;
}

bool is_standard_chess(std::string_view variant) {
  return variant.empty() || variant == "standard" || variant == "chess" ||
         variant == "from position";
}

// The names that python-chess knows.
bool is_chess960(std::string_view variant) {
  return variant == "chess960" || variant == "chess 960" || variant == "fischerandom" ||
         variant == "fischerrandom" || variant == "fischer random";
}

std::string_view without_check_marks(std::string_view san) {
  while (!san.empty() && (san.back() == '+' || san.back() == '#')) san.remove_suffix(1);
  return san;
}

// Most games have no comments: the arrays grow only as far as there are notes.
template <class T>
T& entry(std::vector<T>& values, std::size_t index, T none) {
  if (values.size() <= index) values.resize(index + 1, none);
  return values[index];
}

// Comments are not worth a game: a move that is not legal here is none.
Move legal_or_none(const Position& position, std::string_view uci) {
  try {
    return parse_uci(position, uci);
  } catch (const BadInput&) {
    return kNoMove;
  }
}

}  // namespace

void ParsedGames::append(ParsedGames&& later) {
  for (DroppedGame& game : later.dropped) {
    game.game += seen;
    dropped.push_back(std::move(game));
  }
  seen += later.seen;
  records.append(std::move(later.records));
}

std::string_view* PgnParser::Header::field(std::string_view name) {
  if (name == "FEN") return &fen;
  if (name == "Variant") return &variant;
  if (name == "Result") return &result;
  if (name == "WhiteElo") return &white_elo;
  return name == "BlackElo" ? &black_elo : nullptr;
}

void PgnParser::parse(const PgnUnit& unit) {
  cursor_ = PgnCursor(unit.text, unit.first_line);
  if (unit.too_long) {
    ++out_.seen;
    drop({cursor_.at, "the game is longer than " + std::to_string(max_game_bytes_) + " bytes"});
    return;
  }
  while (cursor_.find_game()) {
    ++out_.seen;
    try {
      parse_game();
    } catch (const BadGame& bad) {
      drop(bad);
      if (result_.empty()) cursor_.skip_game();
    }
  }
}

void PgnParser::drop(const BadGame& bad) {
  out_.dropped.push_back({out_.seen, cursor_.line_of(bad.where), bad.reason});
}

void PgnParser::parse_game() {
  header_ = {};
  moves_.clear();
  notes_.evaluations.clear();
  notes_.best_moves.clear();
  result_ = {};
  first_line_ = cursor_.line_of(cursor_.at);
  read_tags();
  set_up();
  read_movetext();
  end_game();
}

void PgnParser::read_tags() {
  while (!cursor_.at_end() &&
         (*cursor_.at == '[' || *cursor_.at == ';' || cursor_.at_escaped_line())) {
    if (*cursor_.at == '[')
      read_one_tag();
    else
      cursor_.skip_line();
    cursor_.skip_blanks();
  }
}

void PgnParser::read_one_tag() {
  const char* const begin = cursor_.at;
  TagPair tag;
  if (!read_tag(begin, tag)) {
    cursor_.skip_line();
    throw BadGame{begin, "unreadable tag " + quoted({begin, std::size_t(cursor_.at - begin)})};
  }
  cursor_.at = tag.end;
  if (tag.end - begin > std::ptrdiff_t(kMaxTagBytes))
    throw BadGame{begin, "a tag is longer than " + std::to_string(kMaxTagBytes) + " bytes"};
  note_tag(tag);
  if (!header_.begin) header_.begin = begin;
  header_.end = tag.end;
}

void PgnParser::note_tag(const TagPair& tag) {
  if (++header_.tag_count > kMaxTags)
    throw BadGame{tag.name.data(), "more than " + std::to_string(kMaxTags) + " tags"};
  std::string_view* const field = header_.field(tag.name);
  if (!field) return;
  if (field->data())
    throw BadGame{tag.name.data(), "the tag " + quoted(tag.name) + " is given twice"};
  *field = tag.raw_value;
}

void PgnParser::set_up() {
  const std::string variant = lowered(header_.variant);
  const bool chess960 = is_chess960(variant);
  if (!chess960 && !is_standard_chess(variant))
    throw BadGame{header_.variant.data(), "the variant " + quoted(header_.variant) +
                                              " is neither standard chess nor Chess960"};
  start_fen_.clear();
  if (!header_.fen.data() && !chess960) {
    game_.restart(Position::start());
    return;
  }
  try {
    game_.restart(parse_fen(header_.fen.data() ? header_.fen : kStartFen, chess960));
  } catch (const BadInput& error) {
    throw BadGame{header_.fen.data(), error.what()};
  }
  if (!(game_.position() == Position::start())) start_fen_ = to_fen(game_.position());
}

void PgnParser::read_movetext() {
  while (result_.empty()) {
    cursor_.skip_blanks();
    if (cursor_.at_end())
      throw BadGame{cursor_.last_written(), "the game is cut off: no result ends its moves"};
    if (contains(kLetters, *cursor_.at))
      read_move(cursor_.take_token());
    else if (contains(kDigits, *cursor_.at))
      read_number_or_result();
    else
      read_other();
  }
}

void PgnParser::read_number_or_result() {
  if (const char* const digits_end = skip_in(kDigits, cursor_.at); *digits_end == '.') {
    cursor_.at = skip_in(kDots, digits_end);
    return;
  }
  const std::string_view token = cursor_.take_token();
  if (is_result(token))
    result_ = token;
  else if (token == "0000" || token.find_first_not_of("0123456789") != token.npos)
    read_move(token);
}

void PgnParser::read_other() {
  const char* const begin = cursor_.at;
  switch (*begin) {
    case '{':
      return note_comment(read_comment(cursor_.take_comment()));
    case '(':
      return cursor_.skip_variation();
    case ';':
      return cursor_.skip_line();
    case '*':
      result_ = {cursor_.at++, 1};
      return;
    case '.':
      cursor_.at = skip_in(kDots, begin);
      return;
    case '!':
    case '?':
      cursor_.at = skip_in(kMarks, begin);
      return;
    case '$':
      cursor_.at = skip_in(kDigits, begin + 1);
      if (cursor_.at > begin + 1) return;
      break;
    case '%':
      if (cursor_.at_escaped_line()) return cursor_.skip_line();
      break;
    case '-':
    case '@':
      return read_move(cursor_.take_token());
    case ')':
      ++cursor_.at;
      throw BadGame{begin, "a closing parenthesis has no opening one"};
  }
  const char* const end = std::max(begin + 1, find_in(kBlanks, begin));
  cursor_.at = begin + 1;
  throw BadGame{begin, "unreadable text " + quoted({begin, std::size_t(end - begin)})};
}

void PgnParser::read_move(std::string_view san) {
  Move move = kNoMove;
  const SanError error = read_san(game_.position(), san, move);
  if (error == SanError::kNone)
    play(move);
  else if (error == SanError::kSyntax)
    read_odd_move(san);
  else
    refuse_move(san, error);
}

// Two or more check marks, and "e.p." behind a capture, joined to it or apart.
void PgnParser::read_odd_move(std::string_view san) {
  const char* end = cursor_.at;
  while (*end == '.' || contains(kTokenChars, *end)) ++end;
  const std::string_view whole(san.data(), std::size_t(end - san.data()));
  std::string_view bare = without_check_marks(whole);
  if (bare.ends_with("e.p.")) bare.remove_suffix(4);
  bare = without_check_marks(bare);
  if (bare.empty() && san.front() == 'e' && !moves_.empty()) {
    cursor_.at = end;
    return;
  }
  Move move = kNoMove;
  if (const SanError error = read_san(game_.position(), bare, move); error != SanError::kNone)
    refuse_move(whole, error);
  cursor_.at = end;
  play(move);
}

void PgnParser::play(Move move) {
  if (moves_.size() == kMaxPlies)
    throw BadGame{cursor_.at, "more than " + std::to_string(kMaxPlies) + " half-moves"};
  moves_.push_back(move);
  game_.push(move);
}

void PgnParser::note_comment(const CommentNotes& notes) {
  const std::size_t ply = moves_.size();
  const int white = game_.position().turn() == kWhite ? 1 : -1;
  note_evaluation(ply, notes.after_white, white);
  if (ply > 0) {
    note_evaluation(ply - 1, notes.before_white, -white);
    note_evaluation(ply - 1, notes.before_mover, 1);
  }
  if (notes.best_after.empty()) return;
  if (Move& noted = entry(notes_.best_moves, ply, kNoMove); noted == kNoMove)
    noted = legal_or_none(game_.position(), notes.best_after);
}

// The first evaluation of a position counts.
void PgnParser::note_evaluation(std::size_t ply, std::int16_t centipawns, int view) {
  if (centipawns == kNoEvaluation) return;
  std::int16_t& noted = entry(notes_.evaluations, ply, kNoEvaluation);
  if (noted == kNoEvaluation) noted = std::int16_t(view * centipawns);
}

void PgnParser::refuse_move(std::string_view san, SanError error) const {
  const Position& position = game_.position();
  const std::string move = quoted(san) + " (" + std::to_string(position.fullmove_number()) +
                           (position.turn() == kWhite ? ".)" : "...)");
  switch (error) {
    case SanError::kSyntax:
      throw BadGame{san.data(), "unreadable move " + move};
    case SanError::kAmbiguous:
      throw BadGame{san.data(), "ambiguous move " + move};
    case SanError::kNullMove:
      throw BadGame{san.data(), "null move " + move};
    default:
      throw BadGame{san.data(), "illegal move " + move};
  }
}

void PgnParser::end_game() {
  const std::int8_t tagged = result_value(header_.result), written = result_value(result_);
  const bool both = tagged != kUnknownResult && written != kUnknownResult;
  if (both && tagged != written)
    throw BadGame{result_.data(), "the Result tag says " + std::string(header_.result) +
                                      ", the moves end with " + std::string(result_)};
  const std::int8_t result = written != kUnknownResult ? written : tagged;
  const auto outcome = game_.outcome();
  const bool agrees = outcome && result == result_of(*outcome);
  const bool final =
      outcome && (outcome->reason == Reason::kCheckmate || outcome->reason == Reason::kStalemate);
  if (final && !agrees && result != kUnknownResult)
    throw BadGame{result_.data(), "the result contradicts the " +
                                      std::string(kReasonNames[std::size_t(outcome->reason)]) +
                                      " on the board"};
  out_.records.add(moves_, result, agrees ? outcome->reason : Reason::kUnknown, start_fen_,
                   rating(header_.white_elo), rating(header_.black_elo),
                   std::string(header_.begin, header_.end), first_line_, notes_);
}

}  // namespace selfmate
