// Games that Python owns and the core reads.
#pragma once

#include <optional>

#include "bindings/arguments.h"
#include "chess/game_batch.h"

namespace selfmate::bindings {

// The games of a GameBatch or of a sequence of Boards, kept alive and unchanged while other threads
// may run.
class BorrowedGames {
 public:
  explicit BorrowedGames(nb::handle holder) {
    if (const auto* batch = instance_of<GameBatch>(holder)) {
      owners_.push_back(nb::borrow(holder));
      games_ = batch->games();
      in_use_.emplace(*batch, InUse::kRead);
      return;
    }
    if (!nb::isinstance<nb::sequence>(holder)) refuse();
    for (nb::handle board : nb::borrow<nb::sequence>(holder)) {
      const Game* game = instance_of<Game>(board);
      if (!game) refuse();
      owners_.push_back(nb::borrow(board));
      games_.push_back(game);
    }
    in_use_.emplace(games_);
  }
  Games games() const { return games_; }

 private:
  [[noreturn]] static void refuse() {
    throw BadInput("games must be a GameBatch or a sequence of Board");
  }

  std::vector<nb::object> owners_;
  std::vector<const Game*> games_;
  std::optional<InUse> in_use_;
};

}  // namespace selfmate::bindings
