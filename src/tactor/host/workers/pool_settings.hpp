// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/message/page_source.hpp"
#include "tactor/host/os/futex.hpp"
#include "tactor/host/os/steady_clock.hpp"
#include "tactor/host/os/thread_placement.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>
#include <optional>

namespace tactor::inline v0::internal {

/// How the workers of a pool keep out of each other's way (`wake_placement`). Values other than the default are for tests.
struct pool_placement {
  /// See `thread_placement.hpp`.
  std::uint32_t (*processor_here)() noexcept = internal::processor_here;
  void (*avoid)(processor_ban& ban, std::uint32_t processor) noexcept =
      [](processor_ban& ban, std::uint32_t processor) noexcept { ban.begin(processor); };
  void (*allow)(processor_ban& ban) noexcept = [](processor_ban& ban) noexcept { ban.end(); };
};

/// How the workers of a pool sleep and wake. Values other than the default are for tests.
struct pool_waiting {
  /// See `futex_wait`.
  futex_result (*sleep)(const port::atomic<std::uint32_t>& wake_word, std::uint32_t seen,
                        std::optional<std::uint64_t> until_ns) noexcept = futex_wait;
  /// See `futex_wake`.
  void (*wake)(port::atomic<std::uint32_t>& wake_word) noexcept = futex_wake;
  /// Read while a worker searches, not for each turn.
  std::uint64_t (*now_ns)() noexcept = monotonic_ns;
  /// Called by a worker that falls asleep when all others sleep; null: nothing to do then. Returns
  /// soon after `wake_word` is no longer `seen`.
  void (*at_rest)(const port::atomic<std::uint32_t>& wake_word,
                  std::uint32_t seen) noexcept = nullptr;
  /// Nothing: the system alone decides where a worker runs.
  std::optional<pool_placement> placement = {};
};

/// Whether the handlers that run on a pool may block.
enum class pool_kind : std::uint8_t {
  computing,  // wakes and steals are rare: a ready cell mostly runs soon, on the worker that has it
  blocking,   // handlers block: each ready cell wakes a worker, and none waits behind another
};

/// Settings of a pool.
struct pool_settings {
  /// 1 to 256. How many workers may attach.
  std::uint32_t workers = 1;
  pool_kind kind = pool_kind::computing;
  /// Memory for workers that the pool did not have before; never released. Requires: not null.
  page_source* pages = nullptr;
  pool_waiting waiting = {};
};

}  // namespace tactor::inline v0::internal
