// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/message/page_source.hpp"
#include "tactor/host/os/futex.hpp"
#include "tactor/host/os/steady_clock.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>
#include <optional>

namespace tactor::inline v0::host {

/// How the workers of a pool wait for each other. Others than the system's are for tests.
struct pool_waiting {
  /// See `futex_wait`.
  futex_result (*sleep)(const port::atomic<std::uint32_t>& wake_word, std::uint32_t seen,
                        std::optional<std::uint64_t> until_ns) noexcept = futex_wait;
  /// See `futex_wake`.
  void (*wake)(port::atomic<std::uint32_t>& wake_word) noexcept = futex_wake;
  /// Read while a worker looks for work at others, never for each turn.
  std::uint64_t (*now_ns)() noexcept = monotonic_ns;
};

/// Whether the cells of a pool may keep their worker for long.
enum class pool_kind : std::uint8_t {
  computing,  // woken and moved reluctantly: what is ready next mostly runs here, soon
  blocking,  // handlers wait for something: each ready cell wakes a worker, none stands behind another
};

/// What a pool is made of.
struct pool_settings {
  /// 1 to 256. So many may sit down.
  std::uint32_t workers = 1;
  pool_kind kind = pool_kind::computing;
  /// Where workers come from that are there for the first time. Stays for ever. Requires: not null.
  page_source* pages = nullptr;
  pool_waiting waiting = {};
};

}  // namespace tactor::inline v0::host
