// The teacher's search: fixed depth, every move at the root with its exact score.
#pragma once

#include <atomic>
#include <vector>

#include "chess/game.h"
#include "search/evaluate.h"

namespace selfmate {

constexpr int kMostTeacherDepth = 6;
// A mate in n plies is worth kMateScore - n.
constexpr int kMateScore = 10000;

// Thrown out of a search that was told to stop or has used up its nodes.
struct SearchStopped {};

class AlphaBeta {
 public:
  // Searches the game's present position; draws by repetition count its history. `stop` may be set
  // by another thread; `most_nodes` of 0 sets no limit.
  explicit AlphaBeta(const Game& game, const std::atomic<bool>* stop = nullptr,
                     std::int64_t most_nodes = 0);

  // The exact score of a legal move for the side that plays it, looking `depth` plies ahead.
  int score(Move move, int depth);

  std::int64_t nodes() const { return nodes_; }
  // What follows the move scored last when both sides play as the search would.
  std::vector<Move> line() const;

 private:
  struct Line {
    std::array<Move, kMostTeacherDepth> moves;
    int length = 0;
  };
  // A move and what its child is worth to the mover at most, unless it ends the game; one number,
  // so that the best can be found without branches.
  class Candidate {
   public:
    Candidate() = default;
    Candidate(Move move, bool may_check, int limit)
        : key_(std::int64_t(limit) * (1LL << 32) + (may_check << 16) + move) {}
    Move move() const { return Move(key_); }
    bool may_check() const { return key_ >> 16 & 1; }
    int limit() const { return int(key_ >> 32); }
    auto operator<=>(const Candidate&) const = default;

   private:
    std::int64_t key_;
  };
  struct Candidates {
    std::array<Candidate, kMoveListCapacity> items;
    int size = 0;
  };

  // Scores for the side to move. Outside (alpha, beta) they are bounds: at most, at least so much.
  int search(int depth, int alpha, int beta);
  int child_search(Move move, int depth, int alpha, int beta);
  int search_moves(const MoveList& moves, int depth, int alpha, int beta);
  int search_last_ply(const MoveList& moves, int alpha, int beta);
  int last_child(const Candidate& candidate, bool may_draw, int alpha);
  bool is_drawn(bool has_moves) const;
  void list_candidates(const MoveList& moves, Candidates& out) const;
  // Whether the game can be drawn one ply on; false is certain.
  bool may_draw_next() const;

  Undo make(Move move);
  void unmake(const Undo& undo, Tally before);
  int earlier_occurrences() const;
  // Begins this node's line with the move, followed by the child's.
  void take_line(Move move);

  Position position_;
  Tally tally_;
  int ply_ = 0;
  // Hashes of positions that may come back: of the game, then of the path searched.
  std::array<std::uint64_t, 100 + kMostTeacherDepth + 1> hashes_;
  int hash_count_ = 0;
  bool history_repeats_;
  bool may_repeat_ = true;
  std::array<Line, kMostTeacherDepth + 2> lines_;
  std::int64_t nodes_ = 0;
  std::int64_t most_nodes_;
  const std::atomic<bool>* stop_;
};

}  // namespace selfmate
