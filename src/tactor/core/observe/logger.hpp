// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/observe/log_limit.hpp"
#include "tactor/core/observe/log_record.hpp"
#include "tactor/core/observe/log_sink.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace tactor::inline v0 {

/// Settings of the log: which records it has, and where they go.
struct log_config {
  log_sink sink = {};                        // absent: stderr on a host, nothing elsewhere
  log_level min_level = log_level::warning;  // less severe records are not logged
  log_limit limit = {};                      // for each kind of record
};

namespace internal {

/// Passes records to a sink: those of at least `min_level`, and of each kind a limited number. It
/// reports how many were left out with the next record of that kind or in `report_left_out`.
///
/// Thread safety: everything from any thread. The sink is called outside of all locks.
class logger {
public:
  /// Logs nothing.
  logger() noexcept = default;
  /// Logs for the system called `system`. Requires: the name outlives it.
  explicit logger(const log_config& config, std::string_view system = {}) noexcept;

  /// False if a record of this level would be discarded: check before making it.
  [[nodiscard]] bool wants(log_level level) const noexcept {
    const std::uint8_t min_level = min_level_.load(relaxed);  // relaxed: one record more or less
    return sink_.present() && std::to_underlying(level) >= min_level;
  }
  /// The least severe level that is logged.
  [[nodiscard]] log_level min_level() const noexcept {
    return static_cast<log_level>(min_level_.load(relaxed));  // relaxed: a hint
  }
  /// Changes the least severe level that is logged.
  void set_min_level(log_level min_level) noexcept {
    min_level_.store(std::to_underlying(min_level), relaxed);  // relaxed: one record more or less
  }

  /// Writes `record`, or leaves it out. Its time selects its interval.
  void write(const log_record& record) noexcept;

  /// `write` in two steps, for a record that is expensive to make. First: whether a record of this
  /// kind is admitted; otherwise it is counted as left out.
  [[nodiscard]] bool admits(log_level level, log_kind kind, std::uint64_t now_ns) noexcept;
  /// Then: writes the admitted record.
  void write_admitted(log_record record) const noexcept {
    record.system = system_;
    sink_.write(record);
  }

  /// Reports how many were left out in the intervals that are over at `now_ns`. Call it regularly,
  /// so that the number is logged even if no other record follows.
  void report_left_out(std::uint64_t now_ns) noexcept;
  /// Reports also intervals that are not over: no more records will come.
  void report_all_left_out(std::uint64_t now_ns) noexcept;

private:
  void say_left_out(log_kind kind, std::uint32_t number, std::uint64_t now_ns) const noexcept;

  log_sink sink_;
  std::string_view system_;
  log_limit limit_{.records = 0, .interval_ns = 0};
  // Written by: set_min_level. Read by: all. Publishes: nothing.
  port::atomic<std::uint8_t> min_level_;
  std::array<log_throttle, log_kinds> throttles_;
};

}  // namespace internal
}  // namespace tactor::inline v0
