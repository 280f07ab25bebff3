// Parses the units that PgnSplitter cuts: tags, moves, results.
#pragma once

#include <string>
#include <vector>

#include "chess/pgn_comments.h"
#include "chess/pgn_cursor.h"
#include "chess/pgn_splitter.h"
#include "chess/pgn_tags.h"
#include "chess/records.h"

namespace selfmate {

constexpr std::size_t kMaxTags = 128;
constexpr std::size_t kMaxTagBytes = 4096;
// The seventy-five-move rule ends every game within 17,697 plies.
constexpr std::size_t kMaxPlies = 20'000;

struct DroppedGame {
  std::int64_t game;  // counted from 1, good and dropped games alike
  std::int64_t line;
  std::string reason;
};

struct ParsedGames {
  GameRecords records;
  std::vector<DroppedGame> dropped;
  std::int64_t seen = 0;

  void append(ParsedGames&& later);
};

// A game is its tags and the movetext up to a result. Whatever is wrong in a game drops all of
// it, and reading goes on behind its result, or with the next unit if it has none.
class PgnParser {
 public:
  PgnParser(ParsedGames& out, std::size_t max_game_bytes)
      : out_(out), max_game_bytes_(max_game_bytes) {}

  void parse(const PgnUnit& unit);

 private:
  // The tags that matter here; a tag that is missing has no text.
  struct Header {
    const char *begin = nullptr, *end = nullptr;
    std::size_t tag_count = 0;
    std::string_view fen, variant, result, white_elo, black_elo;
    std::string_view* field(std::string_view name);  // null for tags that only tell
  };

  void parse_game();
  void drop(const BadGame& bad);
  void read_tags();
  void read_one_tag();
  void note_tag(const TagPair& tag);
  void set_up();
  void read_movetext();
  void read_number_or_result();
  void read_other();
  void read_move(std::string_view san);
  void read_odd_move(std::string_view san);
  void play(Move move);
  void note_comment(const CommentNotes& notes);
  void note_evaluation(std::size_t ply, std::int16_t centipawns, int view);
  [[noreturn]] void refuse_move(std::string_view san, SanError error) const;
  void end_game();

  ParsedGames& out_;
  const std::size_t max_game_bytes_;
  PgnCursor cursor_;
  Header header_;
  Game game_;
  std::vector<Move> moves_;
  Annotations notes_;  // up to the last position that has any, be it the final one
  std::string start_fen_;
  std::string_view result_;  // empty until the game's end is read
  std::int64_t first_line_ = 0;
};

}  // namespace selfmate
