// Many games, as whoever holds them lends them to the encoders.
#pragma once

#include <span>

#include "chess/game.h"
#include "chess/parallel.h"

namespace selfmate {

constexpr std::int64_t kLeastGamesPerThread = 64;

using Games = std::span<const Game* const>;

// Calls work(number, game) for each, in order within a thread's share.
template <class Work>
void for_each_game(Games games, int threads, Work&& work) {
  parallel_for(std::int64_t(games.size()), threads, kLeastGamesPerThread,
               [&](std::int64_t begin, std::int64_t end) {
                 for (auto i = std::size_t(begin); i < std::size_t(end); ++i) work(i, *games[i]);
               });
}

}  // namespace selfmate
