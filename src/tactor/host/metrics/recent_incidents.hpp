// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/cell.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/observe/event_text.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string_view>
#include <vector>

namespace tactor::inline v0::internal {

class system_core;

/// The newest entries that any threads have added; older ones are overwritten. Its memory is
/// allocated with the first entry.
///
/// Thread safety: everything from any thread. `add` waits for no thread: an entry that meets
/// another thread inside is only counted.
template <class Entry>
class recent_ring {
public:
  static constexpr std::size_t most = 256;

  /// Calls `fill` with the entry to overwrite, under the lock.
  template <class Fill>
  void add(Fill fill) noexcept {
    const std::unique_lock lock{mutex_, std::try_to_lock};
    if (!lock.owns_lock() || !has_memory()) {
      missed_.fetch_add(1, relaxed);  // relaxed: statistic only
      return;
    }
    fill((*entries_)[added_++ % most]);
  }
  /// Throws: std::bad_alloc.
  [[nodiscard]] std::vector<Entry> newest_first() const {
    std::vector<Entry> all;
    all.reserve(most);  // before the lock: then `add` misses fewer
    const std::scoped_lock lock{mutex_};
    for (std::uint64_t i = added_; i > 0 && all.size() < most; --i)
      all.push_back((*entries_)[(i - 1) % most]);
    return all;
  }
  /// Returns how many entries were only counted.
  [[nodiscard]] std::uint64_t missed() const noexcept {
    return missed_.load(relaxed);  // relaxed: statistic only
  }

private:
  bool has_memory() noexcept {
    if (entries_ == nullptr) entries_.reset(new (std::nothrow) std::array<Entry, most>{});
    return entries_ != nullptr;
  }

  mutable std::mutex mutex_;
  // protected by mutex_
  std::unique_ptr<std::array<Entry, most>> entries_;
  std::uint64_t added_ = 0;
  // Written by: add. Read by: any. Publishes: nothing.
  port::atomic<std::uint64_t> missed_;
};

/// A message that was not handled.
struct recent_dead_letter {
  std::uint64_t time_ns = 0;  // of the system's clock
  drop_reason reason = drop_reason::stopped;
  std::string_view message_type = {};
  mailbox_index target = {};  // generation 0: none
  mailbox_index sender = {};
  event_text target_path = {};  // empty: none
  event_text sender_path = {};
};

/// A failure with its time.
struct recent_failure {
  std::uint64_t time_ns = 0;
  actor_failed event = {};  // without the name of what was thrown
};

/// Remembers what went wrong lately in a system: the newest dead letters and failures, and how
/// often actors were restarted. Its memory is bounded, and allocated when something goes wrong for
/// the first time.
///
/// Thread safety: everything from any thread.
class recent_incidents {
public:
  /// Waits for no other caller.
  void add(system_core& of, const dead_letter& lost) noexcept;
  /// Waits for no other caller.
  void add(std::uint64_t now_ns, const actor_failed& event) noexcept;
  /// Waits at most for another thread that reads or writes one number.
  void count_restarts(mailbox_index who, std::uint32_t restarts) noexcept;

  [[nodiscard]] const recent_ring<recent_dead_letter>& dead_letters() const noexcept {
    return dead_letters_;
  }
  [[nodiscard]] const recent_ring<recent_failure>& failures() const noexcept { return failures_; }
  /// Returns how often the actor was restarted; nothing if it is not known any more.
  [[nodiscard]] std::optional<std::uint32_t> restarts_of(mailbox_index who) const noexcept;
  /// Not every restart was counted here: an actor that was not restarted may have been.
  void forget() noexcept {
    const std::scoped_lock lock{mutex_};
    forgot_some_ = true;
  }

private:
  /// An actor that was restarted. Each has one place; two actors with the same place displace each
  /// other.
  struct restarted_actor {
    mailbox_index who = {};
    std::uint32_t restarts = 0;
  };
  static constexpr std::size_t places = 4'096;

  recent_ring<recent_dead_letter> dead_letters_;
  recent_ring<recent_failure> failures_;

  mutable std::mutex mutex_;
  // protected by mutex_
  std::unique_ptr<std::array<restarted_actor, places>> restarted_;
  bool forgot_some_ = false;
};

}  // namespace tactor::inline v0::internal
