#include "chess/parallel.h"

#include <unistd.h>

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace selfmate {
namespace {

// One call's shares. Helpers hold it by shared_ptr, so a late one finds nothing to do, not a ghost.
struct Job {
  Job(int share_count, int thread_count, const std::function<void(int)>& share_work)
      : shares(share_count),
        helpers_wanted(std::min(share_count, thread_count) - 1),
        work(&share_work),
        unfinished(share_count),
        errors(std::size_t(share_count)) {}

  void do_shares() {
    for (int share; (share = next.fetch_add(1)) < shares;) {
      try {
        (*work)(share);
      } catch (...) {
        errors[std::size_t(share)] = std::current_exception();
      }
      if (unfinished.fetch_sub(1) == 1) unfinished.notify_all();
    }
  }

  void wait() {
    for (int left; (left = unfinished.load()) > 0;) unfinished.wait(left);
  }

  const int shares;
  std::atomic<int> helpers_wanted;
  const std::function<void(int)>* work;  // alive while any share is unfinished
  std::atomic<int> next{0}, unfinished;
  std::vector<std::exception_ptr> errors;
};

class Helpers {
 public:
  void run(const std::shared_ptr<Job>& job) {
    for (const int wanted = job->helpers_wanted; count_ < wanted; ++count_)
      std::thread([this] { serve(); }).detach();
    {
      const std::lock_guard lock(job_mutex_);
      job_ = job;
    }
    calls_.fetch_add(1);
    calls_.notify_all();
    job->do_shares();
    job->wait();
  }

 private:
  void serve() {
    for (std::uint32_t seen = 0;;) {
      calls_.wait(seen);
      seen = calls_.load();
      std::shared_ptr<Job> job;
      {
        const std::lock_guard lock(job_mutex_);
        job = job_;
      }
      if (job && job->helpers_wanted.fetch_sub(1) > 0) job->do_shares();
    }
  }

  int count_ = 0;
  std::atomic<std::uint32_t> calls_{0};
  std::mutex job_mutex_;
  std::shared_ptr<Job> job_;
};

std::mutex caller_mutex;
Helpers* helpers = nullptr;  // never destroyed: its threads wait until the process ends
pid_t owner = 0;

}  // namespace

void run_shares(int shares, int threads, const std::function<void(int)>& work) {
  const auto job = std::make_shared<Job>(shares, threads, work);
  if (const std::unique_lock lock(caller_mutex, std::try_to_lock); lock) {
    if (owner != getpid()) {  // a fork leaves the helpers behind
      helpers = new Helpers;
      owner = getpid();
    }
    helpers->run(job);
  } else {
    job->do_shares();
  }
  for (const std::exception_ptr& error : job->errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace selfmate
