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

/// What is logged, and where to.
struct log_config {
  log_sink sink = {};                        // absent: nothing is logged
  log_level min_level = log_level::warning;  // what is less bad is not logged
  log_limit limit = {};                      // for each kind of record
};

namespace internal {

/// Hands records to a sink: those that are bad enough, and of each kind only so many. When it has
/// been silent it says how many it has left out, with the next record of that kind or when it is
/// asked to.
///
/// Thread safety: everything from any thread. The sink is called outside of all locks.
class logger {
public:
  /// Logs nothing.
  logger() noexcept = default;
  /// Logs for the system of that name. Requires: the name outlives it.
  explicit logger(const log_config& config, std::string_view system = {}) noexcept;

  /// False if a record of this level would go nowhere: ask before making one.
  [[nodiscard]] bool wants(log_level level) const noexcept {
    const std::uint8_t min_level = min_level_.load(relaxed);  // relaxed: one record more or less
    return sink_.present() && std::to_underlying(level) >= min_level;
  }
  /// Changes what is bad enough.
  void set_min_level(log_level min_level) noexcept {
    min_level_.store(std::to_underlying(min_level), relaxed);  // relaxed: one record more or less
  }

  /// Hands `record` on, or leaves it out. Its time decides about its interval.
  void write(const log_record& record) noexcept;

  /// The same in two steps, for a record that costs something to make: whether there is room for one
  /// of this kind, which is taken or else counted as left out;
  [[nodiscard]] bool admits(log_level level, log_kind kind, std::uint64_t now_ns) noexcept;
  /// and the record that was admitted.
  void write_admitted(log_record record) const noexcept {
    record.system = system_;
    sink_.write(record);
  }

  /// Says how many were left out in the intervals that are over at `now_ns`. To be called now and
  /// then, so that the number comes also when nothing else does.
  void report_left_out(std::uint64_t now_ns) noexcept;
  /// The same in intervals that are not over: nothing more will come.
  void report_all_left_out(std::uint64_t now_ns) noexcept;

private:
  void say_left_out(log_kind kind, std::uint32_t number, std::uint64_t now_ns) const noexcept;

  log_sink sink_;
  std::string_view system_;
  log_limit limit_{.records = 0, .interval_ns = 0};
  // Written by: set_least. Read by: all. Publishes: nothing.
  port::atomic<std::uint8_t> min_level_;
  std::array<log_throttle, log_kinds> throttles_;
};

}  // namespace internal
}  // namespace tactor::inline v0
