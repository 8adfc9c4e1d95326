// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/memory_source.hpp"
#include "tactor/host/os/steady_clock.hpp"
#include "tactor/host/os/thread_setup.hpp"
#include "tactor/host/os/wait_on_word.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>
#include <optional>

namespace tactor::inline v0::internal {

/// The functions with which workers of a pool sleep and wake. Values other than the default are for
/// tests.
struct pool_waiting {
  /// See `wait_on_word`.
  wait_result (*sleep)(const port::atomic<std::uint32_t>& wake_word, std::uint32_t seen,
                       std::optional<std::uint64_t> until_ns) noexcept = wait_on_word;
  /// See `wake_waiter`.
  void (*wake)(port::atomic<std::uint32_t>& wake_word) noexcept = wake_waiter;
  /// Read while a worker searches, not for each turn.
  std::uint64_t (*now_ns)() noexcept = monotonic_ns;
  /// Called by a worker that falls asleep when all others sleep; null: nothing to do then. Returns
  /// soon after `wake_word` is no longer `seen`.
  void (*at_rest)(const port::atomic<std::uint32_t>& wake_word,
                  std::uint32_t seen) noexcept = nullptr;
  /// See `thread_setup.hpp`.
  std::uint32_t (*processor_here)() noexcept = internal::processor_here;
  /// Called by a worker that was woken by another worker, with the processor of that one: a virtual
  /// machine may not know which of its processors are idle, and let the two take turns on one
  /// (docs/design/dispatch.md: messages of eight foreign threads took 2 to 4 times as long). Null:
  /// the system alone decides where a worker runs.
  void (*leave_processor)(std::uint32_t processor) noexcept = nullptr;
};

/// Says if the handlers that run on a pool may block.
enum class pool_kind : std::uint8_t {
  computing,  // wakes and steals are rare: a ready cell mostly runs soon, on the worker that has it
  blocking,   // handlers block: each ready cell wakes a worker, and none waits behind another
};

/// Settings of a pool.
struct pool_settings {
  /// So many workers may attach: 1 to 256.
  std::uint32_t workers = 1;
  pool_kind kind = pool_kind::computing;
  /// Memory for workers that the pool did not have before; never released. Requires: not null.
  page_source* pages = nullptr;
  pool_waiting waiting = {};
};

}  // namespace tactor::inline v0::internal
