// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/host/trace/trace_buffer.hpp"
#include "tactor/host/trace/trace_options.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tactor::inline v0::internal {

class system_core;

/// A trace from its start on: which messages belong to it, and what was recorded. Threads that
/// record share ownership.
///
/// Thread safety: everything from any thread.
class trace_session {
public:
  /// Throws: std::bad_alloc.
  trace_session(system_core& system, const trace_options& options, std::uint64_t now_ns,
                std::int64_t to_unix_ns, std::uint64_t salt);

  /// Returns a buffer for a thread that joins; null: there are too many, or no memory.
  [[nodiscard]] trace_buffer* join(std::string_view thread_name) noexcept;
  /// Returns the buffer that was the first to join.
  [[nodiscard]] trace_buffer& outside() const noexcept { return *outside_; }

  /// Returns true if its time has passed.
  [[nodiscard]] bool is_over(std::uint64_t now_ns) const noexcept { return now_ns >= end_ns_; }
  [[nodiscard]] bool is_over() const noexcept;

  /// Holds what a trace has recorded so far.
  struct contents {
    std::vector<span_facts> spans;                         // in the order of their begin
    std::unordered_map<std::uint64_t, std::size_t> by_id;  // where each is in `spans`
    trace_buffer::names names;
    std::vector<std::string> threads;
    std::uint64_t lost = 0;
    std::uint64_t start_ns = 0;
    std::int64_t to_unix_ns = 0;  // to be added to a time
  };
  /// Throws: std::bad_alloc.
  [[nodiscard]] contents read() const;

private:
  friend trace_buffer;
  static constexpr std::size_t most_threads = 1024;

  /// Returns the id of the span at this place.
  [[nodiscard]] std::uint64_t id_at(std::uint64_t place) const noexcept;
  /// Allows a buffer to add one span more. Returns: false if there are enough.
  [[nodiscard]] bool allow_span() noexcept;

  system_core& system_;
  const std::size_t most_;
  const std::uint32_t every_;
  const std::string path_;
  const std::string message_;
  const std::uint64_t start_ns_;
  const std::uint64_t end_ns_;
  const std::int64_t to_unix_ns_;
  const std::uint64_t seed_;    // of ids
  const std::uint32_t number_;  // of all traces of the program, not 0

  // Written by: buffers. Read by: buffers. Publishes: nothing.
  port::atomic<std::size_t> added_;
  trace_buffer* outside_ = nullptr;  // set before the trace runs
  mutable std::mutex mutex_;
  // protected by mutex_
  std::vector<std::unique_ptr<trace_buffer>> buffers_;
};

}  // namespace tactor::inline v0::internal
