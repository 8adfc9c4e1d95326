// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/base/lock_guard.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/system_reports.hpp"
#include "tactor/core/observe/event_text.hpp"
#include "tactor/core/observe/log_record.hpp"
#include "tactor/core/observe/logger.hpp"
#include "tactor/core/scheduler/report/diagnostics.hpp"
#include "tactor/core/scheduler/report/scheduler_event.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tactor::inline v0 {

/// The failure that stopped a system which was not asked to stop: a top-level actor escalated it.
struct root_failure {
  event_text path;                // of the actor that failed, or whose child did
  std::string_view message_type;  // empty: it was not handling one
  failure why;
};

namespace internal {

/// The paths of the actors that ended last, so that the log can name the receiver of a message that
/// came too late. Thread safety: every function from any thread.
class recent_names {
public:
  constexpr recent_names() noexcept = default;

  /// Remembers the path of an actor that ends.
  void add(mailbox_index who, const event_text& path) noexcept {
    const lock_guard guard{mutex_};
    entries_[next_++ % entries_.size()] = {.who = who, .path = path};
  }
  /// Returns: the path of `who`; empty if it is not known any more.
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
  std::array<entry, port::sizes::recent_names> entries_{};
  std::size_t next_ = 0;
};

class system_core;

/// Notified of what happens to a system, on the thread on which it happens.
class system_observer {
public:
  /// The last actor has ended. Requires: the system is not destroyed before the call has returned.
  virtual void all_stopped() noexcept = 0;
  /// A message was not handled whose type does not suppress that; `what` is without its contents.
  virtual void lost(const dead_letter& what) noexcept = 0;
  /// An actor failed; `what` may be without the type of the exception.
  virtual void failed(const actor_failed& what) noexcept = 0;
  /// An actor was restarted.
  virtual void restarted(const actor_restarted& what) noexcept = 0;

protected:
  ~system_observer() = default;
};

/// Reports what happens to the actors of a system: in its log, on its event stream, and to its
/// observer. Thread safety: every function from any thread.
class reporter final : public system_reports {
public:
  /// `warnings`: memory for warnings of the timers that are not reported yet. Requires: what it is
  /// made of outlives it.
  reporter(const log_config& config, std::string_view system, const monotonic_clock& clock,
           scheduler* timers, std::span<scheduler_event> warnings) noexcept;
  reporter(const reporter&) = delete;
  reporter& operator=(const reporter&) = delete;
  ~reporter() = default;

  /// The system that it reports on begins. `observer` null: there is none.
  void begin(system_core& system, system_observer* observer) noexcept {
    system_ = &system;
    observer_ = observer;
  }

  // See `system_reports`.
  void lost(const lost_message& what, drop_reason why) noexcept override;
  void pressure(const actor_ref<>& who, std::uint32_t waiting) noexcept override;
  void cycle(const wait_cycle& found) noexcept override;
  void stuck(const stuck_wait& found) noexcept override;
  void reserve_used_up(const actor_ref<>& who) noexcept override;
  void failed(cell& who, const message_operations* in, const failure& why,
              const verdict& said) noexcept override;
  void system_failed(cell& who, const message_operations* in, const failure& why) noexcept override;
  void restarted(cell& who) noexcept override;
  void suspended(cell& who) noexcept override;
  void resumed(cell& who, std::optional<duration> after) noexcept override;
  void misused(cell& who, const char* advice) noexcept override;
  void log(const cell& who, log_level level, std::string_view text) noexcept override;
  void refused_spawn(const spawn_request& wanted, const cell* parent,
                     spawn_error why) noexcept override;
  void other_name(const cell& of, const name_changed& what) noexcept override;
  void timer_warnings() noexcept override;
  void flush() noexcept override;

  /// Logs a handler that keeps a worker of the pool for too long.
  void blocked(mailbox_index who, std::string_view message_type, duration busy) noexcept;
  /// Logs an actor that was in a handler at the shutdown deadline.
  void late(std::string_view path, std::string_view message_type, duration busy) noexcept;
  /// Logs an actor that was suspended at the shutdown deadline.
  void still_suspended(std::string_view path) noexcept;
  /// Logs how many messages were not handled before the system ended.
  void lost_messages(std::span<const log_field> numbers) noexcept;
  /// From now on counts messages that are lost while the system ends, by reason. Requires: there is
  /// a number for each reason, which outlives it.
  void count_lost(port::atomic<std::uintptr_t>* by_reason) noexcept { lost_at_end_ = by_reason; }
  /// Logs how many records were left out: no more will come.
  void finish() noexcept { out_.report_all_left_out(running_ns()); }

  /// Returns true if records of this level are logged.
  [[nodiscard]] bool logs(log_level level) const noexcept { return out_.wants(level); }
  /// Logs records of this level and worse from now on.
  void set_min_level(log_level min_level) noexcept { out_.set_min_level(min_level); }
  /// The least severe level that is logged.
  [[nodiscard]] log_level min_level() const noexcept { return out_.min_level(); }
  /// Returns true if the timers have warnings that were not reported.
  [[nodiscard]] bool has_timer_warnings() const noexcept {
    return warnings_ && warnings_->has_unread();
  }
  /// The paths of the actors that ended last.
  [[nodiscard]] recent_names& ended_names() noexcept { return ended_names_; }
  /// The failure that went past the root and stopped the system; nothing: none did.
  [[nodiscard]] std::optional<root_failure> cause() noexcept {
    const lock_guard guard{cause_lock_};
    return cause_;
  }

private:
  [[nodiscard]] event_stream& events() const noexcept;
  [[nodiscard]] std::uint64_t running_ns() const noexcept;
  /// The paths of all actors in `found` but the first.
  [[nodiscard]] event_text others_in(const wait_cycle& found) noexcept;
  void warn(log_kind kind, std::string_view text, std::span<const log_field> fields,
            std::string_view actor = {}) noexcept;
  void log_dead_letter(const lost_message& what, drop_reason why) noexcept;
  void log_failure(const actor_failed& event, const char* remark, std::uint64_t now) noexcept;

  system_core* system_ = nullptr;  // null: it has not begun
  system_observer* observer_ = nullptr;
  port::atomic<std::uintptr_t>* lost_at_end_ = nullptr;  // by reason; null: nobody asks
  logger out_;
  std::uint64_t started_ns_;                          // times in the log count from here
  std::optional<diagnostics_subscription> warnings_;  // nothing: there are no timers
  recent_names ended_names_;
  [[no_unique_address]] port::mutex cause_lock_;
  std::optional<root_failure> cause_;  // protected by cause_lock_
};

}  // namespace internal
}  // namespace tactor::inline v0
