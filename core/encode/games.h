// Many games, as whoever holds them lends them to the encoders.
#pragma once

#include <algorithm>
#include <span>

#include "chess/game.h"
#include "chess/parallel.h"

namespace selfmate {

using Games = std::span<const Game* const>;

// Calls work(number, game) for each, in order within a thread's share.
template <class Work>
void for_each_game(Games games, int threads, Work&& work) {
  parallel_for(std::int64_t(games.size()), threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) work(std::size_t(i), *games[std::size_t(i)]);
  });
}

}  // namespace selfmate
