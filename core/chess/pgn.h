// Many games from PGN text: streamed in, parsed on several threads, handed out in file order.
#pragma once

#include <mutex>

#include "chess/pgn_parser.h"

namespace selfmate {

// Bounds one game with its tags, or a run of tagless games on one line.
constexpr std::size_t kDefaultGameBytes = 1 << 20;

class PgnReader {
 public:
  // Refuses no thread, and a limit too short to tell what a line is.
  explicit PgnReader(int threads, std::size_t max_game_bytes = kDefaultGameBytes);

  // In pieces of any size. Calls from several threads wait for each other.
  void feed(std::string_view bytes);
  // The end of the text: no more can be fed.
  void finish();

  // The games complete since the last call.
  GameRecords take();
  std::vector<DroppedGame> take_dropped();

 private:
  void parse(const std::vector<PgnUnit>& units);

  const int threads_;
  const std::size_t max_game_bytes_;
  PgnSplitter splitter_;
  ParsedGames games_;
  bool finished_ = false;
  std::mutex mutex_;
};

}  // namespace selfmate
