// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

#include <pthread.h>
#include <unistd.h>

#include <cstdint>

namespace tactor::inline v0::internal {

/// Stands for the threads of one system, which a forked process does not have. There, a lock that
/// is taken is so for ever, and whoever waits for it ends the program: see `port::mutex`. Context:
/// any thread.
class process_threads {
public:
  process_threads() noexcept : process_(::getpid()) {
    static const int watches_forks = ::pthread_atfork(nullptr, nullptr, note_fork);
    (void)watches_forks;             // without memory for it, a lost lock is waited for
    owner.store(process_, relaxed);  // relaxed: a number
    all.fetch_add(1, relaxed);       // relaxed: a number
  }
  ~process_threads() { all.fetch_sub(1, relaxed); }  // relaxed: a number
  process_threads(const process_threads&) = delete;
  process_threads& operator=(const process_threads&) = delete;

  /// Returns true if the calling process has started them.
  [[nodiscard]] bool exist() const noexcept { return process_ == ::getpid(); }

  /// Returns true if the calling process was forked while another had such threads: what they were
  /// changing stays half changed for ever.
  [[nodiscard]] static bool lost_by_fork() noexcept {
    return all.load(relaxed) != 0 && owner.load(relaxed) != ::getpid();  // relaxed: numbers
  }

private:
  /// Context: the thread of a process that was forked just now.
  static void note_fork() noexcept {
    if (all.load(relaxed) != 0) port::locks_may_be_lost.store(true, relaxed);  // relaxed: numbers
  }

  // Written by: constructor, destructor. Read by: lost_by_fork. Publishes: nothing.
  static inline constinit port::atomic<std::uint32_t> all;
  // Written by: constructor. Read by: lost_by_fork. Publishes: nothing.
  static inline constinit port::atomic<int> owner;

  int process_;
};

}  // namespace tactor::inline v0::internal
