// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/cell/trace_recorder.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/host/trace/kept_causes.hpp"
#include "tactor/host/trace/trace_buffer.hpp"
#include "tactor/host/trace/trace_options.hpp"
#include "tactor/port/port.hpp"

#include <array>
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

/// A trace from its start on: which messages belong to it, and what was recorded. Threads that record share
/// ownership.
///
/// Thread safety: everything from any thread.
class trace_session {
public:
  /// Throws: std::bad_alloc.
  trace_session(system_core& system, const trace_options& options, std::uint64_t now_ns,
                std::int64_t to_unix_ns, std::uint64_t salt);

  /// The buffer of a thread that joins; null: there are too many, or no memory.
  [[nodiscard]] trace_buffer* join(std::string_view thread_name) noexcept;
  /// The buffer that was the first to join.
  [[nodiscard]] trace_buffer& outside() const noexcept { return *by_number_[0]; }

  /// `what` is put aside by a thread outside: it belongs to what the thread does, as far as that is known without the
  /// buffer.
  void keep_outside(trace_key what) noexcept { kept_causes_.set(what, cause_of_thread()); }

  /// Whether its time has passed.
  [[nodiscard]] bool is_over(std::uint64_t now_ns) const noexcept { return now_ns >= end_ns_; }
  [[nodiscard]] bool is_over() const noexcept;

  /// Everything so far. Throws: std::bad_alloc.
  struct contents {
    std::vector<span_facts> spans;  // in the order of their begin
    trace_buffer::names names;
    std::vector<std::string> threads;
    std::uint64_t unfinished = 0;  // sent, and not handled
    std::uint64_t lost = 0;
    std::uint64_t start_ns = 0;
    std::int64_t to_unix_ns = 0;  // to be added to a time
  };
  [[nodiscard]] contents read() const;

private:
  friend trace_buffer;
  /// Of what the thread does now: that of its `trace_scope`, or of what goes on there.
  [[nodiscard]] trace_cause cause_of_thread() const noexcept;
  static constexpr std::size_t most_threads = 1024;

  /// What a message carries; it is unique in the program.
  [[nodiscard]] std::uint64_t word_for(std::uint32_t buffer, std::size_t index) const noexcept {
    return std::uint64_t{number_} << 48U | std::uint64_t{buffer} << 36U | index;
  }
  /// The id of the span at this place.
  [[nodiscard]] std::uint64_t id_at(std::uint64_t place) const noexcept;
  [[nodiscard]] trace_buffer::log::span* find(std::uint64_t word) noexcept;
  /// Allows a buffer to add spans. Returns: how many, `wanted` at most.
  [[nodiscard]] std::size_t allow(std::size_t wanted) noexcept;

  // For messages without free space in their block.
  [[nodiscard]] bool keep(const envelope& e, std::uint64_t word) noexcept;
  [[nodiscard]] std::uint64_t take_kept(const envelope& e) noexcept;

  system_core& system_;
  const std::size_t most_;
  const std::uint32_t every_;
  const std::string path_;
  const std::string message_;
  const std::uint64_t start_ns_;
  const std::uint64_t end_ns_;
  const std::int64_t to_unix_ns_;
  const std::uint64_t seed_;    // of ids
  const std::uint16_t number_;  // of all traces of the program, not 0

  // Written by: buffers. Read by: buffers. Publishes: nothing.
  port::atomic<std::size_t> left_;
  // Each written once, by join, before its buffer records the first message, and read by the receivers of such
  // messages: the mailbox orders the two.
  std::array<trace_buffer*, most_threads> by_number_{};
  kept_causes kept_causes_;
  mutable std::mutex mutex_;
  // protected by mutex_
  std::vector<std::unique_ptr<trace_buffer>> buffers_;
  std::unordered_map<const envelope*, std::uint64_t> kept_;
};

}  // namespace tactor::inline v0::internal
