// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/observe/metrics_level.hpp"
#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/core/observe/scheduler_metrics.hpp"

#include <cstdint>
#include <string_view>

namespace tactor::inline v0 {

/// The ways in which a measurement behaves over time.
enum class metric_kind : std::uint8_t {
  counter,    // only grows
  gauge,      // rises and falls
  histogram,  // many values, counted by size
};

/// The meanings of a measurement's number.
enum class metric_unit : std::uint8_t { count, nanoseconds, bytes, ratio };

/// The places in which the value of a measurement is found.
enum class metric_source : std::uint8_t {
  sums,  // in `metrics_snapshot`, see `metric::total`; everything else in `metrics_report`:
  invoke_duration,
  latency,
  suspended,
  resume_latency,
  worker_busy_ratio,
  worker_busy,
  actor_taken,
  actor_waiting,
  labels_left_out,
};

/// The static description of a measurement. The defaults are those of most: a counter of the whole
/// system without labels.
struct metric {  // NOLINT(clang-analyzer-optin.performance.Padding): in the order of the table
  std::string_view name;  // dotted; a counter's ends in `_total`
  metric_unit unit = metric_unit::count;
  metric_kind kind = metric_kind::counter;
  metrics_level level = metrics_level::system;
  std::string_view labels = {};  // their names, with commas between
  std::string_view help;         // one sentence
  // its value; the sum over all labels; null: it is elsewhere
  std::uint64_t (*total)(const metrics_snapshot& from) noexcept = nullptr;
  metric_source source = metric_source::sums;
};

namespace internal {

// Values for `metric::total`.

template <std::uint64_t metrics_snapshot::* Member>
std::uint64_t member_of(const metrics_snapshot& from) noexcept {
  return from.*Member;
}
template <std::uint64_t scheduler_metrics::* Member>
std::uint64_t timer_member(const metrics_snapshot& from) noexcept {
  return from.timers.*Member;
}
inline std::uint64_t actors_alive(const metrics_snapshot& from) noexcept {
  return from.actors_alive();
}
inline std::uint64_t messages_refused(const metrics_snapshot& from) noexcept {
  return from.messages_refused();
}
inline std::uint64_t messages_waiting(const metrics_snapshot& from) noexcept {
  return from.waiting();
}
inline std::uint64_t all_dead_letters(const metrics_snapshot& from) noexcept {
  return from.all_dead_letters();
}

}  // namespace internal

}  // namespace tactor::inline v0
