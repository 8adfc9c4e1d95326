// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace tactor::inline v0 {

/// What happens to a message that finds its mailbox full.
enum class overflow_strategy : std::uint8_t {
  drop_oldest,     // the oldest message becomes a dead letter
  drop_newest,     // the new message becomes a dead letter; `tell` returns `dropped`
  reject,          // `tell` returns `full`, and the message is a dead letter
  dead_letter,     // the new message becomes a dead letter; `tell` returns `ok`
  block_producer,  // a thread that runs no actors waits; others get `full`
};

/// How many messages a mailbox holds, and what happens beyond that.
struct mailbox_options {
  /// No limit.
  static constexpr std::uint32_t unbounded = 0xFFFF'FFFF;
  /// The largest limit.
  static constexpr std::uint32_t most = 0x0FFF'FFFF;

  /// User messages that may wait; the message being handled does not count.
  std::uint32_t capacity = unbounded;
  overflow_strategy overflow = overflow_strategy::reject;
  /// System messages that may wait at a time, besides those that are always accepted: stop,
  /// suspend, resume, and the notifications of death watch.
  std::uint32_t reserve_for_system = unbounded;
  /// How long a thread may wait for capacity; then it gets `full`.
  std::uint32_t push_timeout_ms = 1000;
};

}  // namespace tactor::inline v0
