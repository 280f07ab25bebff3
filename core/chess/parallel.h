// Work over many games on several threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

namespace selfmate {

// Calls work(share) for every share in [0, shares), on this thread and on up to `threads` - 1
// helpers that wait between calls (starting a thread costs as much as stepping hundreds of games).
// Whichever thread is free takes the next share. When the helpers serve another caller, or the
// process was forked, the caller does all shares itself. Returns when all are done, or throws the
// exception of the lowest share that threw one.
void run_shares(int shares, int threads, const std::function<void(int share)>& work);

// Calls work(begin, end) on contiguous shares of [0, count), each of `min_share` items or more:
// fewer are not worth waking a helper for.
template <class Work>
void parallel_for(std::int64_t count, int threads, std::int64_t min_share, Work&& work) {
  const int shares = int(std::clamp<std::int64_t>(count / min_share, 1, threads));
  if (shares == 1) {
    work(std::int64_t(0), count);
    return;
  }
  run_shares(shares, shares,
             [&](int share) { work(count * share / shares, count * (share + 1) / shares); });
}

}  // namespace selfmate
