// Finished games, compactly: what random play, batches and PGN files all hand out.
#pragma once

#include <string>
#include <vector>

#include "chess/game.h"

namespace selfmate {

constexpr std::int8_t kUnknownResult = -128;
constexpr std::int16_t kNoEvaluation = -32768;
// Centipawns; mates, and whatever is higher, count as this.
constexpr std::int16_t kMaxEvaluation = 10'000;

// Result from White's view: 1, 0, -1.
inline std::int8_t result_of(const Outcome& outcome) {
  if (!outcome.winner) return 0;
  return *outcome.winner == kWhite ? 1 : -1;
}

// What somebody said about the positions of a game, by the number of moves played. Entries may be
// missing at the end.
struct Annotations {
  std::vector<std::int16_t> evaluations;  // centipawns for the side to move, or kNoEvaluation
  std::vector<Move> best_moves;           // kNoMove where not known
};

// One entry per game in every array but the first three, which hold all games end to end: game i
// owns moves[offsets[i]] up to moves[offsets[i + 1]].
struct GameRecords {
  std::vector<Move> moves;
  std::vector<std::int16_t> evaluations;  // before each move; as in Annotations
  std::vector<Move> best_moves;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int8_t> results;
  std::vector<Reason> reasons;
  std::vector<std::uint16_t> white_elo, black_elo;  // 0 where not known
  std::vector<std::string> start_fens;              // empty for the standard start
  std::vector<std::string> tag_sections;            // PGN tag lines as read; empty if none
  std::vector<std::int64_t> lines;                  // of the file; 0 for games from elsewhere

  std::int64_t size() const { return std::int64_t(results.size()); }
  void add(const std::vector<Move>& line, std::int8_t result, Reason reason, std::string start_fen,
           std::uint16_t white = 0, std::uint16_t black = 0, std::string tags = {},
           std::int64_t line_number = 0, const Annotations& notes = {}) {
    moves.insert(moves.end(), line.begin(), line.end());
    evaluations.insert(evaluations.end(), notes.evaluations.begin(), notes.evaluations.end());
    evaluations.resize(moves.size(), kNoEvaluation);
    best_moves.insert(best_moves.end(), notes.best_moves.begin(), notes.best_moves.end());
    best_moves.resize(moves.size(), kNoMove);
    offsets.push_back(std::int64_t(moves.size()));
    results.push_back(result);
    reasons.push_back(reason);
    white_elo.push_back(white);
    black_elo.push_back(black);
    start_fens.push_back(std::move(start_fen));
    tag_sections.push_back(std::move(tags));
    lines.push_back(line_number);
  }
  void append(GameRecords later);
};

}  // namespace selfmate
