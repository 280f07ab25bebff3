#include "chess/records.h"

namespace selfmate {
namespace {

template <class T>
void extend(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

void GameRecords::append(const GameRecords& other) {
  const std::int64_t base = offsets.back();
  for (std::size_t i = 1; i < other.offsets.size(); ++i) offsets.push_back(base + other.offsets[i]);
  extend(moves, other.moves);
  extend(results, other.results);
  extend(reasons, other.reasons);
  extend(white_elo, other.white_elo);
  extend(black_elo, other.black_elo);
  extend(start_fens, other.start_fens);
  extend(tag_sections, other.tag_sections);
}

}  // namespace selfmate
