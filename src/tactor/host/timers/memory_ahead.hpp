// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/scheduler/job/timer_store.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>
#include <thread>

namespace tactor::inline v0::internal {

/// Prepares the memory of records before jobs use them, in large pages where the system has them, on a
/// thread of its own, `tactor-memory`. A schedule call then waits for no new page, and the processor
/// translates the addresses of five hundred times fewer pages.
///
/// A store asks for it when it has used more than `first_records`: until then there is no thread, and a
/// program with few timers needs no memory for it. From then on between a half and one and a half of
/// a large page are ready in advance. The thread sleeps until a job has reached the middle of what is
/// ready. Where the system needs so long for a large page that the jobs have gone on by more than
/// a half of one, the next page to be prepared is as much further on: a call that reaches a page while
/// it is being made waits for all of it.
///
/// Context: one owner, the driver's thread.
class memory_ahead {
public:
  static constexpr std::uint32_t first_records = 32'768;
  static constexpr std::size_t large_page = std::size_t{2} << 20;

  /// Makes a store ask. Requires: it has just been made.
  static void watch(timer_store& store) noexcept { store.growth.watch(first_records); }

  memory_ahead() noexcept = default;
  memory_ahead(const memory_ahead&) = delete;
  memory_ahead& operator=(const memory_ahead&) = delete;
  ~memory_ahead() { stop(); }

  /// Starts the thread if the store asks for memory and there is no thread. If none can be started,
  /// the callers touch their pages first, as without it. Requires: always the same store, which is
  /// never destroyed.
  void look(timer_store& store) noexcept;
  /// Ends the thread.
  void stop() noexcept;

private:
  void run(timer_store& store) noexcept;
  [[nodiscard]] bool prepare(timer_store& store) noexcept;

  timer_store* store_ = nullptr;  // null: no thread
  std::thread thread_;
  // Written by: stop. Read by: the thread. Publishes: nothing; the bell orders it.
  port::atomic<bool> stopping_;
  // the thread's
  std::uintptr_t ready_to_ = 0;          // an address: the pages before it are ready, or in use
  std::uintptr_t pages_in_between_ = 0;  // how many large pages jobs use while one is made
};

}  // namespace tactor::inline v0::internal
