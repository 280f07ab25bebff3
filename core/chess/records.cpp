#include "chess/records.h"

#include <iterator>

namespace selfmate {
namespace {

template <class T>
void extend(std::vector<T>& to, std::vector<T>&& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

void GameRecords::append(GameRecords later) {
  const std::int64_t base = offsets.back();
  for (std::size_t i = 1; i < later.offsets.size(); ++i) offsets.push_back(base + later.offsets[i]);
  extend(moves, std::move(later.moves));
  extend(evaluations, std::move(later.evaluations));
  extend(best_moves, std::move(later.best_moves));
  extend(results, std::move(later.results));
  extend(reasons, std::move(later.reasons));
  extend(white_elo, std::move(later.white_elo));
  extend(black_elo, std::move(later.black_elo));
  extend(start_fens, std::move(later.start_fens));
  extend(tag_sections, std::move(later.tag_sections));
  extend(lines, std::move(later.lines));
}

}  // namespace selfmate
