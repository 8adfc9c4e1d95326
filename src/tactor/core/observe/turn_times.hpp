// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/observe/log_histogram.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

/// Takes the times of single actors, which are named by slot and generation. Context: the worker
/// that runs the actor.
class actor_times {
public:
  virtual void record_latency(std::uint32_t slot, std::uint32_t generation,
                              std::uint64_t ns) noexcept = 0;
  virtual void record_duration(std::uint32_t slot, std::uint32_t generation,
                               std::uint64_t ns) noexcept = 0;

protected:
  ~actor_times() = default;
};

/// The times that one worker measures, in nanoseconds. It measures the first handler of one turn in
/// many, and notes in one of the messages that such a turn sends when it was sent.
///
/// Context: the worker; any thread reads the histograms.
struct turn_times {
  log_histogram duration;        // of handlers
  log_histogram latency;         // from the send of a message to its handler
  log_histogram suspended;       // of suspensions
  log_histogram resume_latency;  // from the request to resume until the actor runs

  actor_times* of_actors = nullptr;  // null: they are not told apart
  bool measuring = false;            // the next handler
  std::uint32_t skipped_sends = 0;   // in measured turns, before the send that is noted

  /// Decides whether the send that comes now is noted. It is not always the first of a turn: of
  /// many messages that are sent at once, the first waits for the shortest time.
  [[nodiscard]] bool notes_send() noexcept {
    if (skipped_sends != 0) {
      --skipped_sends;
      return false;
    }
    random_ = random_ * 1'103'515'245 + 12'345;
    skipped_sends = random_ >> 16U & 7U;
    return true;
  }
  void record_latency(std::uint32_t slot, std::uint32_t generation, std::uint64_t ns) noexcept {
    latency.record(ns);
    if (of_actors != nullptr) of_actors->record_latency(slot, generation, ns);
  }
  void record_duration(std::uint32_t slot, std::uint32_t generation, std::uint64_t ns) noexcept {
    duration.record(ns);
    if (of_actors != nullptr) of_actors->record_duration(slot, generation, ns);
  }

private:
  std::uint32_t random_ = 1;
};

}  // namespace tactor::inline v0::internal
