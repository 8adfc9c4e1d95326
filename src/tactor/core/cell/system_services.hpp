// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/cell/actor_ref_base.hpp"
#include "tactor/core/cell/actor_type.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/cell/system_reports.hpp"
#include "tactor/core/cell/trace_recorder.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/supervision/restart_history.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string_view>

namespace tactor::inline v0 {
class event_stream;
class event_text;
class job_dispatcher;
class scheduler;
enum class log_level : std::uint8_t;
}  // namespace tactor::inline v0

namespace tactor::inline v0::internal {

struct offer_result;
struct thread_record;
struct worker_counters;

/// Says whether a mailbox had accepted a message that was not handled, and so counted it as sent.
enum class acceptance : std::uint8_t { refused, accepted };

/// A message that no actor handled. Valid during the call it is given to.
struct lost_message {
  drop_reason why;
  acceptance by_mailbox;
  const message_operations& operations;
  const void* payload;  // null: the payload is not available
  mailbox_index target;
  origin sender;
};

/// Limits how much a cell does in one turn before other cells run.
struct turn_limits {
  std::uint32_t messages = 1024;
  /// System messages, which do not count as messages: a few of them delay no user message.
  std::uint32_t system_messages = 1024;
  /// Sent messages count as well: an actor that only sends would outrun its receivers.
  std::uint32_t sends = 128;
  /// Empty: no clock is read.
  std::optional<duration> time = {};
  /// Like `time`, but the clock is read so seldom that it costs next to nothing: after the first
  /// message, and then the less often the faster messages are handled. 0: not at all.
  std::uint64_t slice_ns = 0;
};

/// The constants of a system.
struct system_constants {
  turn_limits limits = {};
  const middleware_chain* middleware = nullptr;  // of all actors
  /// False: no actor of the system has a strategy, so none is restarted.
  bool restarts_actors = true;
  /// The number of priorities that its actors have.
  std::uint8_t priorities = 1;
  /// Says whether calls that block run on the pool as well: a simulation has no other thread.
  bool blocking_calls_on_pool = false;
};

/// The services of a system for its actors. They are called on rare events, never per message.
/// Context: the worker that runs the cell, unless stated otherwise.
class system_services {
public:
  /// Counts one in the counters of the calling thread. Context: any thread of this system.
  virtual void count(port::counter worker_counters::* what) noexcept = 0;
  /// Context: any thread of this system.
  virtual void dead_letter(const lost_message& lost) noexcept = 0;
  /// A failure was escalated past the root: the system stops.
  virtual void escalated(cell& who, const message_operations* in, const failure& why) noexcept = 0;
  /// The actor requested something impossible; `advice` says what to do.
  void misused(cell& who, const char* advice) noexcept {
    if (reports != nullptr) reports->misused(who, advice);
  }
  /// Logs a text of the actor.
  void log(const cell& who, log_level level, std::string_view text) noexcept {
    if (reports != nullptr) reports->log(who, level, text);
  }
  /// Writes the path of an actor. Requires: the caller runs the actor or one of its children.
  virtual void write_path(event_text& to, const cell& of) const noexcept = 0;
  /// The actor with this path, if it accepts all of `messages`. Context: any thread.
  [[nodiscard]] virtual actor_ref<>
  find(std::string_view path, std::span<const message_operations* const> messages) noexcept = 0;
  /// The actor's instance is destroyed, its mailbox closed, and its references are stale.
  virtual void ended(cell& who) noexcept = 0;
  /// Spawns an actor; `parent` null: a child of the guardian, from any thread.
  [[nodiscard]] virtual std::expected<actor_ref<>, spawn_error> spawn(const spawn_request& wanted,
                                                                      cell* parent) noexcept = 0;
  /// The last child of a guardian has ended. Context: any thread of this system.
  virtual void last_child_left() noexcept = 0;
  /// Locks a guardian's list of children.
  virtual void lock_family() noexcept = 0;
  /// Unlocks it.
  virtual void unlock_family() noexcept = 0;

  /// The timers of the system.
  [[nodiscard]] virtual scheduler& timers() noexcept = 0;
  /// The dispatcher of callables where the actor runs; null: the default of the timers.
  [[nodiscard]] virtual job_dispatcher* callables_of(const cell& who) noexcept = 0;
  /// The event stream of the system.
  [[nodiscard]] virtual event_stream& events() noexcept = 0;
  /// The system's time in nanoseconds.
  [[nodiscard]] virtual std::uint64_t now_ns() const noexcept = 0;
  /// The system's time or a little later, read quickly: see `monotonic_clock::stamp`. Context: any
  /// thread of this system.
  [[nodiscard]] virtual std::uint64_t stamp_ns() const noexcept = 0;
  /// The time at which a message is sent that is measured; 0: times are not measured. Context: any
  /// thread inside of this system.
  [[nodiscard]] virtual std::uint64_t measured_ns() const noexcept = 0;
  /// A pseudo-random number, determined by the seed.
  [[nodiscard]] virtual std::uint64_t next_random() noexcept = 0;

  // Written by: host/trace. Read by: threads outside of the system. Publishes: the recorder of
  // their sends. Null: no trace runs.
  port::atomic<trace_recorder*> outside_trace;

  // Written by: the start of the system, before any actor runs.
  system_constants constants;
  system_reports* reports = nullptr;  // null: the program left them out

protected:
  system_services() = default;
  ~system_services() = default;
};

}  // namespace tactor::inline v0::internal
