// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/trace_recorder.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/host/trace/span_log.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace tactor::inline v0::internal {

class trace_session;

/// The subjects of spans.
enum class span_kind : std::uint8_t { message, timer, answer, signal, resumed };

/// One message from where it was made to the end of its handler. Times in nanoseconds of the
/// system's clock.
struct span_facts {
  std::uint64_t id = 0;     // unique also among other programs
  std::uint64_t place = 0;  // in the order of its thread
  trace_place made_in;      // its cause; span 0: it is the first of its trace
  const message_operations* type = nullptr;
  mailbox_index from;  // generation 0: no actor, or the one of the cause
  mailbox_index to;
  std::uint64_t made_ns = 0;  // of what was not made to be sent: when it was handled
  std::uint64_t begun_ns = 0;
  std::uint64_t ended_ns = 0;
  std::uint16_t handled_by = 0;  // the number of the thread
  span_kind kind = span_kind::message;
  bool was_sent = false;               // `made_ns` says when
  std::optional<signal_key> key = {};  // of a signal that ends a suspension
  bool failed = false;
};

/// Remembers which actors belong to the traced subtree, as far as that was asked. Its memory is
/// bounded: it forgets all of them when there would be too many, and asks again.
///
/// Context: one owner.
class known_members {
public:
  /// The number of actors that it remembers.
  static constexpr std::size_t most = 4096;

  /// Returns true if the actor is a member; `ask()` says so if that is not known. Throws:
  /// std::bad_alloc, and what `ask` throws.
  template <class Ask>
  [[nodiscard]] bool contains(std::uint64_t actor, Ask ask) {
    if (const auto found = known_.find(actor); found != known_.end()) return found->second;
    if (known_.size() == most) known_.clear();
    return known_.emplace(actor, ask()).first->second;
  }
  [[nodiscard]] std::size_t size() const noexcept { return known_.size(); }

private:
  std::unordered_map<std::uint64_t, bool> known_;
};

/// Holds what one thread records: the spans of the messages that it handles, and names of the
/// actors that it runs.
///
/// Context: one thread, or under a lock; `add_to` any thread.
class trace_buffer final : public trace_recorder {
public:
  trace_buffer(trace_session& session, std::uint16_t number, std::string thread_name);
  trace_buffer(const trace_buffer&) = delete;
  trace_buffer& operator=(const trace_buffer&) = delete;
  ~trace_buffer();

  void sent(const cell& to, origin sender, envelope& e, std::uint64_t now_ns) noexcept override;
  void begin(const cell& c, envelope& e, traced_call how, std::uint64_t now_ns) noexcept override;
  void end(bool failed, std::uint64_t now_ns) noexcept override;

  [[nodiscard]] const std::string& thread_name() const noexcept { return thread_name_; }

  using names = std::unordered_map<std::uint64_t, std::string>;  // by `mailbox_index::key`
  /// Adds spans, names, and how many spans were left out. Throws: std::bad_alloc.
  void add_to(std::vector<span_facts>& spans, names& to, std::uint64_t& lost) const;

private:
  using log = span_log<span_facts, 256>;

  [[nodiscard]] trace_place first_place() noexcept;
  [[nodiscard]] bool grow() noexcept;
  [[nodiscard]] bool begins(const cell& to, const envelope& e) noexcept;
  [[nodiscard]] bool is_below(const cell& to);
  void record_name(mailbox_index who) noexcept;

  trace_session& session_;
  std::uint16_t number_;
  std::string thread_name_;
  std::size_t most_chunks_;
  std::unique_ptr<port::plain<log::chunk*>[]> chunks_;
  log spans_;
  bool in_call_ = false;     // the next span is that of the call here
  std::uint64_t first_ = 0;  // traces that began here
  std::uint64_t seen_ = 0;   // messages that fit
  known_members below_;      // the actors of the wanted subtree

  port::counter lost_;
  mutable std::mutex mutex_;
  names names_;  // added under mutex_, by the thread, which reads without it
};

}  // namespace tactor::inline v0::internal
