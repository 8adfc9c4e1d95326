// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace tactor::inline v0 {

/// What happens to a message that finds its mailbox full.
enum class overflow_strategy : std::uint8_t {
  drop_oldest,     // the oldest message makes room and becomes a dead letter
  drop_newest,     // the new one becomes a dead letter; its sender is told `dropped`
  reject,          // its sender is told `full`
  dead_letter,     // the new one becomes a dead letter; its sender is told `ok`
  block_producer,  // a thread that runs no actors waits; others are told `full`
};

/// How many messages a mailbox holds, and what happens beyond that.
struct mailbox_options {
  /// No limit.
  static constexpr std::uint32_t unbounded = 0xFFFF'FFFF;
  /// The largest limit.
  static constexpr std::uint32_t most = 0x0FFF'FFFF;

  /// Messages of users that may wait; the one that is being handled does not wait.
  std::uint32_t capacity = unbounded;
  overflow_strategy overflow = overflow_strategy::reject;
  /// System messages that may wait at a time, besides those that always have a place: stop, suspend,
  /// resume, and the notices of death watch.
  std::uint32_t reserve_for_system = unbounded;
  /// How long a thread waits if it may: then it is told `full`.
  std::uint32_t push_timeout_ms = 1000;
};

}  // namespace tactor::inline v0
