// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

#include <cstdint>
#include <source_location>

namespace tactor::model {

/// The sleepers on one word, like the system's futex: it compares and registers the sleeper in one
/// step. Without spurious wake-ups, so a lost wake-up is a deadlock.
class model_futex {
public:
  void open() { woken_.init(false, here()); }
  void close() { woken_.deinit(here()); }

  void sleep(const port::atomic<std::uint32_t>& word, std::uint32_t seen) {
    lock_.lock(here());
    if (word.load(relaxed) == seen) (void)woken_.wait(lock_, false, here());
    lock_.unlock(here());
  }
  void wake_one() {
    lock_.lock(here());
    woken_.notify_one(here());
    lock_.unlock(here());
  }
  void wake_all() {
    lock_.lock(here());
    woken_.notify_all(here());
    lock_.unlock(here());
  }

private:
  struct tag;
  static rl::debug_info here() { return port::internal::info(std::source_location::current()); }

  rl::mutex lock_;
  rl::condvar<tag> woken_;
};

}  // namespace tactor::model
