// Work over many games on several threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

namespace selfmate {

// Calls work(share) for every share in [0, shares), on this thread and on up to `threads` - 1
// helpers that wait between calls (starting a thread costs as much as stepping hundreds of games).
// Who is free takes the next share. When the helpers serve another caller, or the process was
// forked, all shares still get done. Returns when all are; then the exception of the lowest share
// that threw one, if any, is thrown.
void run_shares(int shares, int threads, const std::function<void(int share)>& work);

// Calls work(begin, end) on contiguous shares of [0, count), each of `least_share` items or more:
// what is worth waking a helper for.
template <class Work>
void parallel_for(std::int64_t count, int threads, std::int64_t least_share, Work&& work) {
  const int shares = int(std::clamp<std::int64_t>(count / least_share, 1, threads));
  if (shares == 1) {
    work(std::int64_t(0), count);
    return;
  }
  run_shares(shares, shares,
             [&](int share) { work(count * share / shares, count * (share + 1) / shares); });
}

}  // namespace selfmate
