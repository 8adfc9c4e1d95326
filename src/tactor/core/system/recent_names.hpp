// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/lock_guard.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/observe/event_text.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <cstddef>

namespace tactor::inline v0::internal {

/// The paths of the actors that ended last, so that the log can name the receiver of a message that
/// came too late. Thread safety: every function from any thread.
class recent_names {
public:
  static constexpr std::size_t most = port::sizes::recent_names;

  constexpr recent_names() noexcept = default;

  void add(mailbox_index who, const event_text& path) noexcept {
    const lock_guard guard{mutex_};
    entries_[next_++ % most] = {.who = who, .path = path};
  }
  /// The path of `who`; empty if it is not known any more.
  [[nodiscard]] event_text find(mailbox_index who) noexcept {
    const lock_guard guard{mutex_};
    for (const entry& each : entries_)
      if (each.who == who) return each.path;
    return {};
  }

private:
  struct entry {
    mailbox_index who;
    event_text path;
  };

  [[no_unique_address]] port::mutex mutex_;
  // protected by mutex_
  std::array<entry, most> entries_{};
  std::size_t next_ = 0;
};

}  // namespace tactor::inline v0::internal
