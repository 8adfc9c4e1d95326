// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/core/actor/cell/trace_recorder.hpp"
#include "tactor/core/actor/lifecycle/suspension.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/host/trace/trace_options.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tactor::inline v0::internal {

class system_core;
class trace_session;

/// What a span is about.
enum class span_kind : std::uint8_t { message, timer, answer, signal };

/// One message from its send to the end of its handler. Times in nanoseconds of the system's clock.
struct span_facts {
  std::uint64_t id = 0;
  std::uint64_t trace = 0;   // the id of the first span of the trace
  std::uint64_t parent = 0;  // the span in whose handler it was sent; 0: none
  const message_operations* type = nullptr;
  mailbox_index from;         // generation 0: no actor
  mailbox_index to;           // as above
  std::uint64_t sent_ns = 0;  // of a timer or a signal: when it was handled
  std::uint64_t begun_ns = 0;
  std::uint64_t ended_ns = 0;
  std::uint32_t sent_by = 0;  // the number of the thread
  std::uint32_t handled_by = 0;
  span_kind kind = span_kind::message;
  bool was_sent = false;               // by a thread of this trace
  std::optional<signal_key> key = {};  // of a signal that ends a suspension
  bool failed = false;
};

/// A span that is being recorded: first by the sender; by the receiver from when the message is pushed.
struct trace_span {
  span_facts facts;
  // Written by: the receiver. Read by: any. Publishes: `facts`, complete.
  port::atomic<bool> is_done;
};

/// What one thread records: the spans of the messages that it sends, and names of the actors that it runs.
///
/// Context: one thread, or under a lock; `at` also by the receiver of a message; `add_to` any thread.
class trace_buffer final : public trace_recorder {
public:
  trace_buffer(trace_session& session, std::uint32_t number, std::string thread_name);

  void sent(const cell& to, origin sender, envelope& e, std::uint64_t now_ns) noexcept override;
  void begin(const cell& c, envelope& e, std::uint64_t now_ns) noexcept override;
  void end(bool failed, std::uint64_t now_ns) noexcept override;

  /// The span of a message that was sent from here. Requires: the caller is its receiver.
  [[nodiscard]] trace_span& at(std::size_t index) noexcept {
    return chunks_[index / in_chunk]->spans[index % in_chunk];
  }
  [[nodiscard]] const std::string& thread_name() const noexcept { return thread_name_; }

  using names = std::unordered_map<std::uint64_t, std::string>;
  static std::uint64_t key_of(mailbox_index who) noexcept {
    return std::uint64_t{who.slot} << 32U | who.generation;
  }
  /// Adds finished spans, names, and how many are not finished, or were left out. Throws: std::bad_alloc.
  void add_to(std::vector<span_facts>& spans, names& to, std::uint64_t& unfinished,
              std::uint64_t& lost) const;

private:
  static constexpr std::size_t in_chunk = 256;
  struct chunk {
    std::array<trace_span, in_chunk> spans;
  };

  [[nodiscard]] trace_span* add(const envelope& e, mailbox_index from, mailbox_index to,
                                std::uint64_t now_ns) noexcept;
  [[nodiscard]] bool begins(const cell& to, const envelope& e) noexcept;
  [[nodiscard]] bool is_below(const cell& to);
  void note_name(mailbox_index who) noexcept;

  trace_session& session_;
  std::uint32_t number_;
  std::string thread_name_;
  std::unique_ptr<std::unique_ptr<chunk>[]> chunks_;
  std::size_t end_of_chunks_ = 0;                  // so many spans may be added
  trace_span* current_ = nullptr;                  // of the message that is handled here
  std::uint64_t seen_ = 0;                         // messages that fit
  std::unordered_map<std::uint64_t, bool> below_;  // whether an actor is in the wanted subtree

  // Written by: the thread. Read by: any. Publishes: the spans as they were sent.
  port::atomic<std::size_t> size_;
  port::counter lost_;
  mutable std::mutex mutex_;
  names names_;  // added under mutex_, by the thread, which reads without it
};

/// A trace from its start on: which messages belong to it, and what was recorded. Threads that record share
/// ownership.
///
/// Thread safety: everything from any thread.
class trace_session {
public:
  /// Throws: std::bad_alloc.
  trace_session(system_core& system, const trace_options& options, std::uint64_t now_ns,
                std::int64_t to_unix_ns);

  /// The buffer of a thread that joins; null: there are too many, or no memory.
  [[nodiscard]] trace_buffer* join(std::string_view thread_name) noexcept;

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
    std::int64_t to_unix_ns = 0;   // to be added to a time
    std::uint64_t first_half = 0;  // of the ids of traces
  };
  [[nodiscard]] contents read() const;

private:
  friend trace_buffer;
  static constexpr std::size_t most_threads = 1024;

  /// What a message carries; it is unique in the program.
  [[nodiscard]] std::uint64_t word_for(std::uint32_t buffer, std::size_t index) const noexcept {
    return std::uint64_t{number_} << 48U | std::uint64_t{buffer} << 36U | index;
  }
  [[nodiscard]] trace_span* find(std::uint64_t word) noexcept;
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
  const std::uint16_t number_;  // of all traces of the program, not 0

  // Written by: buffers. Read by: buffers. Publishes: nothing.
  port::atomic<std::size_t> left_;
  // Written by: join. Read by: receivers of messages. Publishes: the buffers.
  std::array<port::atomic<trace_buffer*>, most_threads> by_number_;
  mutable std::mutex mutex_;
  // protected by mutex_
  std::vector<std::unique_ptr<trace_buffer>> buffers_;
  std::unordered_map<const envelope*, std::uint64_t> kept_;
};

}  // namespace tactor::inline v0::internal
