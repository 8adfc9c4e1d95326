// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

#include <unistd.h>

#include <cstdint>

namespace tactor::inline v0::internal {

/// Stands for the threads of one system, which a forked process does not have. Context: any thread.
class process_threads {
public:
  process_threads() noexcept : process_(::getpid()) {
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
  // Written by: constructor, destructor. Read by: lost_by_fork. Publishes: nothing.
  static inline constinit port::atomic<std::uint32_t> all;
  // Written by: constructor. Read by: lost_by_fork. Publishes: nothing.
  static inline constinit port::atomic<int> owner;

  int process_;
};

}  // namespace tactor::inline v0::internal
