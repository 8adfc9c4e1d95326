// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/actor.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>

namespace showcase {

inline constexpr std::size_t event_kinds =
    std::to_underlying(tactor::scheduler_event_kind::diagnostics_dropped) + 1;

/// The name of a kind of event, as in code.
[[nodiscard]] const char* name_of(tactor::scheduler_event_kind kind);

/// The warnings of a scheduler: the number of each kind, and the newest in words.
/// Context: one thread. Requires: it is destroyed before the stream.
class warnings {
public:
  /// Shows times from `start` on.
  warnings(tactor::diagnostics& stream, tactor::duration resolution, tactor::timer_instant start);

  /// Reads the warnings that have come. Returns: the number of new lines.
  std::size_t read();

  /// Returns: up to a hundred lines, the oldest first.
  [[nodiscard]] const std::deque<std::string>& lines() const { return lines_; }
  [[nodiscard]] std::uint64_t count(tactor::scheduler_event_kind kind) const {
    return counts_[std::to_underlying(kind)];
  }

private:
  static constexpr std::size_t kept = 100;

  [[nodiscard]] std::string line_of(const tactor::scheduler_event& event) const;

  tactor::duration resolution_;
  tactor::tick start_;
  std::array<std::uint64_t, event_kinds> counts_{};
  std::deque<std::string> lines_;
  std::array<tactor::scheduler_event, 512> room_{};
  tactor::diagnostics_subscription unread_;
};

}  // namespace showcase
