// Many games, borrowed from their owner by encoders and searches.
#pragma once

#include <span>

#include "chess/game.h"
#include "chess/parallel.h"

namespace selfmate {

constexpr std::int64_t kMinGamesPerThread = 64;

using Games = std::span<const Game* const>;

// Calls work(number, game) for each, in order within a thread's share.
template <class Work>
void for_each_game(Games games, int threads, Work&& work) {
  parallel_for(std::int64_t(games.size()), threads, kMinGamesPerThread,
               [&](std::int64_t begin, std::int64_t end) {
                 for (auto i = std::size_t(begin); i < std::size_t(end); ++i) work(i, *games[i]);
               });
}

// Rows are counted first, so that threads know where to write theirs.
template <class Count>
std::vector<std::int64_t> row_offsets(Games games, int threads, Count&& count) {
  std::vector<std::int64_t> offsets(games.size() + 1, 0);
  for_each_game(games, threads,
                [&](std::size_t i, const Game& game) { offsets[i + 1] = count(game.position()); });
  for (std::size_t i = 0; i < games.size(); ++i) offsets[i + 1] += offsets[i];
  return offsets;
}

}  // namespace selfmate
