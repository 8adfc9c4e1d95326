// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/host/workers/pool_settings.hpp"
#include "tactor/host/workers/work_stealing_coordinator.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace tactor::inline v0::internal {

/// What a worker was doing when somebody looked.
struct worker_activity {
  mailbox_index who;                         // generation 0: it waited
  const message_operations* what = nullptr;  // null: the actor was starting
  std::uint64_t turn = 0;                    // goes up with every turn
};

/// Threads that run the cells of one coordinator: `tactor-ROLE-0` and on, or from another number.
///
/// The coordinator is type-stable and goes back to where it came from when the last thread has ended.
/// A thread that does not come back in time is left to itself: it goes on when its handler returns,
/// and ends when nothing is left to run; `keep` lives until then.
///
/// Thread safety: `activity` and `dismiss` from any thread; the rest by the owner.
class worker_threads {
public:
  /// A coordinator for `threads` workers. Throws: std::bad_alloc if there is no memory.
  worker_threads(std::uint32_t threads, pool_kind kind, std::string_view role,
                 std::uint32_t first_number = 0);
  worker_threads(const worker_threads&) = delete;
  worker_threads& operator=(const worker_threads&) = delete;
  /// Requires: dismissed and joined, or never started.
  ~worker_threads();

  [[nodiscard]] work_stealing_coordinator& coordinator() const noexcept;

  /// Starts the threads. `keep` is what they need besides. Throws: std::system_error if there are not
  /// so many.
  void start(system_core& system, std::shared_ptr<const void> keep, bool on_one_processor_each);
  /// The threads end when nothing is left to run.
  void dismiss() noexcept;
  /// Waits for the threads. Returns: whether all have ended; those that have not are left to
  /// themselves.
  bool join(std::chrono::steady_clock::time_point until) noexcept;
  /// Whether all threads have ended.
  [[nodiscard]] bool ended() const noexcept;
  /// Runs what became ready when the threads had ended already, on the calling one.
  /// Returns: whether there was something. Requires: all threads of `system` have ended.
  bool run_what_is_left(system_core& system) noexcept;

  /// Whether all threads sleep, or have ended. Context: any thread.
  [[nodiscard]] bool is_idle() const noexcept;
  /// How many turns they have begun. Context: any thread.
  [[nodiscard]] std::uint64_t turns() const noexcept;
  [[nodiscard]] std::size_t size() const noexcept;
  /// What one of them is at. A hint. Requires: `worker` is less than `size()`.
  [[nodiscard]] worker_activity activity(std::size_t worker) const noexcept;

private:
  struct shared;

  // Shared with the threads: one that was left behind still needs it.
  std::shared_ptr<shared> shared_;
};

}  // namespace tactor::inline v0::internal
