// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/ring.hpp"
#include "tactor/base/text_writer.hpp"
#include "tactor/base/tick.hpp"
#include "tactor/core/scheduler/report/diagnostics.hpp"
#include "tactor/core/scheduler/report/job_kind.hpp"
#include "tactor/core/scheduler/report/scheduler_event.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string_view>

namespace tactor::inline v0 {

/// The kind of an entry.
enum class log_entry_kind : std::uint8_t { scheduled, fired, cancelled };

/// One line of a deterministic log. Timers and executors are numbered in the order of their first
/// appearance, so equal runs have equal logs, independent of addresses.
struct log_entry {
  log_entry_kind kind = log_entry_kind::scheduled;
  std::uint64_t timer = 0;         // 0: no storage to identify it
  tick scheduled_at = {};          // 0: before the log began
  tick deadline = {};              // the last known deadline: of the fire itself, or an earlier one
  tick at = {};                    // when it happened: for a fire, its `fired_at`
  std::uint32_t executor = 0;      // its dispatcher or receiver; 0: no storage to identify it
  job_mode mode = job_mode::once;  // of a schedule
  std::uint64_t period_ns = 0;     // of a schedule; 0: a one-shot

  friend constexpr bool operator==(const log_entry&, const log_entry&) noexcept = default;
};

/// The state of a timer in a log.
struct logged_timer {
  std::uint64_t job = 0;  // 0: none
  std::uint64_t number = 0;
  tick scheduled_at = {};
  tick deadline = {};
};

/// A loaded trace: the entries of an earlier run, without the first `forgotten` of them.
struct replay_trace {
  std::span<const log_entry> entries;
  std::uint64_t forgotten = 0;
};

/// Says why a text is not a trace.
struct trace_error {
  std::size_t line;  // from 1
  const char* what;
};

/// The first difference between two runs.
struct trace_difference {
  std::uint64_t position;             // of the entry, from 0, overwritten entries included
  std::optional<log_entry> expected;  // nothing: the earlier run had ended
  std::optional<log_entry> actual;    // nothing: the later run has ended
};

/// Keeps the last schedules, fires and cancels of a scheduler in a buffer of the caller. Saved as
/// text, loaded again and compared, it shows whether two runs were equal, and if not, where they
/// differ. `testkit::trace_player` plays it back as the input of a test.
///
/// Context: read it while the scheduler is idle, or after `stop`. Requires: its memory outlives it,
/// and so does the stream unless it is stopped.
class deterministic_log final : private internal::diagnostics_listener {
public:
  /// Memory for a log.
  struct storage {
    std::span<log_entry> entries;
    /// One for each timer that can be live at a time (the quota). Others are not identified.
    std::span<logged_timer> timers;
  };

  /// Listens to `stream` from now on.
  deterministic_log(diagnostics& stream, storage memory) noexcept;
  ~deterministic_log() { stop(); }
  deterministic_log(const deterministic_log&) = delete;
  deterministic_log& operator=(const deterministic_log&) = delete;

  /// Stops listening; the entries stay.
  void stop() noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  /// The entry with `age` older entries before it. Requires: `age < size()`.
  [[nodiscard]] const log_entry& operator[](std::size_t age) const noexcept {
    return entries_[age];
  }
  /// Returns how many older entries were overwritten.
  [[nodiscard]] std::uint64_t forgotten() const noexcept { return forgotten_; }

  /// Writes the replay trace: a header line and a line for each entry.
  void save(text_sink& to) const noexcept;

  /// Returns: the first entry that differs from the `earlier` run, as far back as both logs reach;
  /// nothing if they are equal.
  [[nodiscard]] std::optional<trace_difference>
  first_difference(const replay_trace& earlier) const noexcept;

private:
  void hear(const scheduler_event& event) noexcept override {
    note(event);
  }  // inline: see diagnostics.hpp
  void note(const scheduler_event& event) noexcept;
  logged_timer* find(std::uint64_t job) noexcept;
  std::uint32_t number_of(const void* executor) noexcept;

  diagnostics* stream_;
  internal::ring<log_entry> entries_;
  std::span<logged_timer> timers_;
  std::uint64_t forgotten_ = 0;
  std::uint64_t timers_seen_ = 0;
  std::array<const void*, 16> executors_{};
};

/// Memory for a deterministic log of a size known at compile time.
template <std::size_t Entries, std::size_t Timers>
struct static_log_storage {
  std::array<log_entry, Entries> entries{};
  std::array<logged_timer, Timers> timers{};

  /// The storage, for the constructor of one log.
  [[nodiscard]] deterministic_log::storage view() noexcept {
    return {.entries = entries, .timers = timers};
  }
};

/// Reads what `save` wrote. Returns: the trace, in `storage`; or the first invalid line, and why.
[[nodiscard]] std::expected<replay_trace, trace_error>
load_trace(std::string_view text, const std::span<log_entry>& storage) noexcept;

/// Writes a line of the trace, without the line end.
text_writer& operator<<(text_writer& out, const log_entry& entry) noexcept;
/// Writes both entries, one per line.
text_writer& operator<<(text_writer& out, const trace_difference& difference) noexcept;

}  // namespace tactor::inline v0
