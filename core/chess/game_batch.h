// Many games stepped together. A finished game is handed out and its slot starts anew at once, so
// every slot always shows a position with moves to play.
#pragma once

#include <span>

#include "chess/ragged.h"
#include "chess/random.h"
#include "chess/records.h"

namespace selfmate {

struct Finished {
  std::vector<std::int32_t> slots;  // ascending
  GameRecords games;                // one per slot named
};

class GameBatch {
 public:
  // Games start from `starts` in turn: the n-th game begun takes starts[n % size]. A game that
  // reaches `max_plies` ends there with its own reason; 0 sets no limit. Results do not depend on
  // `threads`.
  GameBatch(int size, std::vector<Position> starts, std::uint64_t seed, int max_plies, int threads);

  int size() const { return int(slots_.size()); }
  int threads() const { return threads_; }
  const Game& game(int slot) const { return slots_[std::size_t(slot)].game; }
  const MoveList& legal(int slot) const { return slots_[std::size_t(slot)].legal; }
  std::vector<const Game*> games() const;

  Ragged<Move> legal_moves_of_all() const;
  // A uniformly random legal move for every slot, from the slot's own stream.
  void random_moves(std::span<Move> out);
  // Plays one move in every slot. When any is illegal, throws and leaves all games as they were.
  Finished step(std::span<const Move> moves);

 private:
  struct Slot {
    Game game;
    MoveList legal;
    Random random;
  };
  struct Start {
    Position position;
    MoveList legal;
    std::string fen;  // empty for the standard start
  };

  // False, with nothing changed, when the move is illegal.
  bool advance(Slot& slot, Move move, std::optional<Outcome>& outcome);
  void take_back(std::span<const std::uint8_t> advanced);
  Finished collect(std::span<const std::optional<Outcome>> outcomes);
  void begin_game(Slot& slot);
  // Calls work(slot number) for every slot, on all threads.
  template <class Work>
  void for_each_slot(Work&& work) const;
  const Start& start_of(std::int64_t game_number) const {
    return starts_[std::size_t(game_number) % starts_.size()];
  }

  std::vector<Start> starts_;
  std::vector<Slot> slots_;
  std::vector<std::int64_t> game_numbers_;  // of the game in each slot
  std::int64_t games_begun_ = 0;
  int max_plies_;
  int threads_;
};

// Complete games of uniformly random moves; game i has its own stream of the seed.
GameRecords random_games(std::int64_t count, std::uint64_t seed, int max_plies, int threads);

}  // namespace selfmate
