// Games that Python owns and the core reads.
#pragma once

#include "bindings/arrays.h"
#include "chess/game_batch.h"
#include "encode/games.h"

namespace selfmate::bindings {

// The games of a GameBatch or of a sequence of Boards, kept alive while other threads may run.
class BorrowedGames {
 public:
  explicit BorrowedGames(nb::handle holder) {
    if (nb::isinstance<GameBatch>(holder)) {
      owners_.push_back(nb::borrow(holder));
      games_ = nb::inst_ptr<GameBatch>(holder)->games();
      return;
    }
    if (!nb::isinstance<nb::sequence>(holder)) refuse();
    for (nb::handle board : nb::borrow<nb::sequence>(holder)) {
      if (!nb::isinstance<Game>(board)) refuse();
      owners_.push_back(nb::borrow(board));
      games_.push_back(nb::inst_ptr<Game>(board));
    }
  }
  Games games() const { return games_; }

 private:
  [[noreturn]] static void refuse() {
    throw BadInput("games must be a GameBatch or a sequence of Board");
  }

  std::vector<nb::object> owners_;
  std::vector<const Game*> games_;
};

}  // namespace selfmate::bindings
