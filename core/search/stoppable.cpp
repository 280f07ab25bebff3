#include "search/stoppable.h"

namespace selfmate {

std::optional<std::vector<RootMove>> TeacherSearch::scores(const Game& game, int depth,
                                                           std::int64_t most_nodes) {
  AlphaBeta search(game, &stop_, most_nodes);
  std::optional<std::vector<RootMove>> found(std::in_place);
  try {
    for (const Move move : legal_moves(game.position())) {
      const int score = search.score(move, depth);
      found->push_back({move, score, search.line()});
    }
  } catch (const SearchStopped&) {
    found.reset();
  }
  nodes_ += search.nodes();
  return found;
}

}  // namespace selfmate
