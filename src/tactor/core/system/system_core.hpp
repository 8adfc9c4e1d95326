// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/assert.hpp"
#include "tactor/base/duration.hpp"
#include "tactor/base/lock_guard.hpp"
#include "tactor/core/actor/actor_control.hpp"
#include "tactor/core/actor/event_stream.hpp"
#include "tactor/core/cell/actor_name.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/cell/system_gate.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/observe/event_text.hpp"
#include "tactor/core/observe/log_record.hpp"
#include "tactor/core/observe/metrics_hub.hpp"
#include "tactor/core/observe/metrics_level.hpp"
#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/core/observe/worker_counters.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/supervision/restart_history.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/core/system/name_table.hpp"
#include "tactor/core/system/reporter.hpp"
#include "tactor/core/system/system_config.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/core/turn/turn.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace tactor::inline v0 {

/// The phases of a system, in order.
enum class system_phase : std::uint8_t {
  running,
  stopping,  // no new actors; live actors refuse new messages, one after the other
  draining,  // all actors have been asked to handle queued messages and then stop
  stopped,   // no actor is left
};
/// The phase in dumps and snapshots.
[[nodiscard]] constexpr const char* to_text(system_phase phase) noexcept {
  switch (phase) {
  case system_phase::running:
    return "running";
  case system_phase::stopping:
    return "stopping";
  case system_phase::draining:
    return "draining";
  case system_phase::stopped:
    break;
  }
  return "stopped";
}

namespace internal {

/// Runs the actors that do not run on the pool. Context: any thread.
class dispatcher_set {
public:
  /// The coordinator for an actor that is about to be made. Returns: null if there is none.
  [[nodiscard]] virtual ready_queue_coordinator* choose(dispatcher which) noexcept = 0;
  /// The dispatcher that runs callables of timers where these actors run.
  [[nodiscard]] virtual job_dispatcher&
  callables_of(const ready_queue_coordinator& chosen) noexcept = 0;
  /// The actor has ended, or was not made after all.
  virtual void release(ready_queue_coordinator& chosen) noexcept = 0;
  /// Counts the contents of all its ready queues.
  [[nodiscard]] virtual ready_queue_usage usage() noexcept = 0;

protected:
  ~dispatcher_set() = default;
};

/// The parts that a system is connected to. All of them outlive it.
struct system_parts {
  const monotonic_clock& clock;
  scheduler* timers;                     // null: the program has no timers
  ready_queue_coordinator& coordinator;  // the pool
  dispatcher_set* others = nullptr;      // null: there is only the pool
  system_observer* observer = nullptr;
  reporter* reports = nullptr;               // null: nothing is reported
  metrics_snapshot* ended_counts = nullptr;  // of threads that have ended; null: none ends
};

/// An actor system without threads: guardian, names, events, dead letters and the rules for
/// spawning and stopping. Its owner runs its cells with `run` and polls its timers.
///
/// Thread safety: spawning, stopping, finding and publishing from any thread; `run` for each cell
/// on one thread at a time, chosen by its coordinator.
class system_core final : public system_services, public actor_control<system_core> {
public:
  using phase = system_phase;

  /// Requires: `check(config)` holds, and memory has been provided.
  system_core(const system_config& config, const system_parts& parts) noexcept;
  system_core(const system_core&) = delete;
  system_core& operator=(const system_core&) = delete;
  /// Requires: stopped.
  ~system_core();

  /// False: there was no memory even for the guardian, and nothing can be spawned.
  [[nodiscard]] bool usable() const noexcept { return user_ != nullptr; }

  /// One turn of a cell that was drained. Context: a thread of the system.
  invoke_result run(ready_cell& ready) noexcept {
    thread_record& here = this_thread();
    cell& c = static_cast<cell&>(ready);
    const turn_context on{.system = *this, .thread = here, .actor = c};
    const bool traced = port::observes_messages && here.trace.recorder != nullptr;
    return traced ? run_traced_turn(on) : run_turn(on);
  }

  /// Asks all actors to handle queued messages and then stop; refuses new actors.
  void begin_drain() noexcept;
  /// No actor is left that could answer, or waits any longer: the asks of threads that went through
  /// this system end with `would_never_answer`. Context: any thread.
  void end_asks_of_threads() noexcept;
  /// Asks all actors to stop now; refuses new actors. Also after `begin_drain`.
  void begin_stop() noexcept;
  [[nodiscard]] phase now_in() const noexcept {
    // no mutant: no scenario has a phase; host.system_phase shows it under TSan
    return static_cast<phase>(phase_.load(acquire));  // pairs: system.phase
  }

  // The first virtual function: the source that defines it has the virtual table, and a board links
  // it always.
  [[nodiscard]] std::uint64_t now_ns() const noexcept override;
  [[nodiscard]] std::uint64_t stamp_ns() const noexcept override;
  void count(port::counter worker_counters::* what) noexcept override;
  void dead_letter(const lost_message& lost) noexcept override;
  /// The actor with this path, if it accepts all of `messages`: "/user/shop/desk", or "shop/desk".
  [[nodiscard]] actor_ref<>
  find(std::string_view path,
       std::span<const message_operations* const> messages) noexcept override {
    const name_functions* const names = program_features().names;
    return names == nullptr ? actor_ref<>{} : names->find(*this, path, messages);
  }
  /// Writes the path of an actor: "/user/shop". An actor without a name is "$slot.generation". Of a
  /// path that is too long the end is written: ".../desk".
  /// Requires: the caller runs the actor or one of its children.
  void write_path(event_text& to, const cell& of) const noexcept override {
    if (const name_functions* const names = program_features().names)
      names->write_path(*this, to, of);
  }
  /// Writes the same, also in a program without names.
  void write_names(event_text& to, const cell& of) const noexcept;
  /// From now on an actor without a name is "$number" in all these texts. Requires: `by` outlives
  /// the system.
  void number_actors(actor_numbers& by) noexcept {
    numbers_ = &by;
    names_.number_actors(by);
  }
  /// Writes the path of the actor with this index, or "$slot.generation" if the actor is gone or
  /// has no name. Context: any thread.
  void write_path(event_text& to, mailbox_index of) noexcept;

  /// The same as a text; empty for the index of no actor. Context: any thread.
  [[nodiscard]] event_text path_for_log(mailbox_index of) noexcept;

  // For actors; see system_services.
  void ended(cell& who) noexcept override;
  void escalated(cell& who, const message_operations* in, const failure& why) noexcept override;
  [[nodiscard]] std::expected<actor_ref<>, spawn_error> spawn(const spawn_request& wanted,
                                                              cell* parent) noexcept override;
  void last_child_left() noexcept override;
  /// See `system_services`.
  void lock_family() noexcept override { family_.lock(); }
  /// See `system_services`.
  void unlock_family() noexcept override { family_.unlock(); }
  /// The timers.
  [[nodiscard]] scheduler& timers() noexcept override {
    TACTOR_ASSERT(timers_ != nullptr, panics::timers_left_out);
    return *timers_;
  }
  [[nodiscard]] job_dispatcher* callables_of(const cell& who) noexcept override;
  /// The stream of events.
  [[nodiscard]] event_stream& events() noexcept override { return events_; }
  /// See `system_services`.
  [[nodiscard]] std::uint64_t measured_ns() const noexcept override {
    return hub_.level() == metrics_level::off ? 0 : now_ns();
  }
  [[nodiscard]] std::uint64_t next_random() noexcept override;

  /// What reports on the system; null: nothing does.
  [[nodiscard]] reporter* reporting() const noexcept { return static_cast<reporter*>(reports); }
  /// The failure that went past the root and stopped the system; nothing: none did.
  [[nodiscard]] std::optional<root_failure> cause() noexcept {
    return reports == nullptr ? std::nullopt : reporting()->cause();
  }

  [[nodiscard]] const monotonic_clock& clock() const noexcept { return clock_; }
  /// Access for threads that may outlive the system.
  [[nodiscard]] system_gate* gate() const noexcept { return gate_; }
  /// The number of live actors, without the guardian.
  [[nodiscard]] std::size_t live() const noexcept {
    return live_.load(relaxed);  // relaxed: statistic only
  }
  /// The metrics so far; all zero at level `off`. Checks for a stalled timer driver, too.
  /// Requires: there are timers.
  [[nodiscard]] metrics_snapshot metrics() const noexcept;
  /// Returns the same, without the figures of timers.
  [[nodiscard]] metrics_snapshot metrics_without_timers() const noexcept;
  /// Measures more, or less, from now on: workers notice it within some hundred turns. At `off`
  /// nothing is counted; afterwards the counters continue. Context: any thread.
  void set_metrics_level(metrics_level level) noexcept;
  /// Logs records of this level and worse from now on. Context: any thread.
  void set_log_level(log_level min_level) noexcept {
    if (reports != nullptr) reporting()->set_min_level(min_level);
  }
  /// The least severe level that is logged. Requires: the system reports.
  [[nodiscard]] log_level logged_level() const noexcept { return reporting()->min_level(); }
  /// Collects the counters of all threads.
  [[nodiscard]] metrics_hub& hub() noexcept { return hub_; }
  /// The counters of a system that runs on the caller's thread. Null: nothing is counted.
  [[nodiscard]] worker_counters* counters_of_caller() noexcept {
    return hub_.level() == metrics_level::off ? nullptr : &foreign_;
  }
  [[nodiscard]] const metrics_hub& hub() const noexcept { return hub_; }
  /// Logs the timers' warnings and publishes them on the event stream. A thread that runs no users'
  /// code calls it as soon as there are warnings; where there is one thread only, its loop does.
  /// Context: any thread.
  void report_timer_warnings() noexcept {
    if (reports != nullptr) reports->timer_warnings();
  }
  /// Returns true if the timers have warnings that were not reported. Context: any thread.
  [[nodiscard]] bool has_timer_warnings() const noexcept {
    return reports != nullptr && reporting()->has_timer_warnings();
  }
  /// Logs how many records were left out, when due. The threads that run the system call it from
  /// time to time. Context: any thread.
  void flush_log() noexcept {
    if (reports != nullptr) reports->flush();
  }
  /// The names of its actors.
  [[nodiscard]] name_table& names() noexcept { return names_; }
  /// The path of the actor that has this name. Context: under the lock of `names`.
  [[nodiscard]] event_text path_of(const actor_name& name) const noexcept;
  /// The guardian of the actors that users spawn. Requires: usable.
  [[nodiscard]] const cell& guardian() const noexcept { return *user_; }
  /// Its name, for logs and reports.
  [[nodiscard]] std::string_view name() const noexcept { return name_; }

  /// The rows of core/features.hpp.
  static consteval name_functions name_row() noexcept;
  static consteval spawn_option_functions option_row() noexcept;

private:
  [[nodiscard]] std::optional<spawn_error> refuses_children_of(const cell* parent,
                                                               bool unlisted) const noexcept;
  [[nodiscard]] std::expected<actor_ref<>, spawn_error>
  inspect_and_spawn(const spawn_request& wanted, cell* parent) noexcept;
  [[nodiscard]] std::expected<actor_ref<>, spawn_error> try_spawn(const spawn_request& wanted,
                                                                  cell* parent) noexcept;
  [[nodiscard]] std::expected<cell*, spawn_error> make_cell(const spawn_request& wanted,
                                                            cell* parent, bool plain) noexcept;
  [[nodiscard]] std::expected<void, spawn_error> give_name(const spawn_request& wanted,
                                                           cell& to) noexcept;
  [[nodiscard]] std::uint32_t free_number(const cell& parent, std::string_view name) noexcept;
  [[nodiscard]] bool give_parts(cell& to, const spawn_options& options) noexcept;
  [[nodiscard]] static bool give_arguments(cell& to, const spawn_request& wanted) noexcept;
  void release_parts(cell& c) noexcept;
  void unmake(cell& c) noexcept;
  [[nodiscard]] cell* make_guardian() noexcept;
  [[nodiscard]] ready_queue_coordinator* coordinator_for(dispatcher which) noexcept;
  [[nodiscard]] std::optional<spawn_error> join_family(cell& parent, cell& child,
                                                       dispatcher where) noexcept;
  void leave_dispatcher(cell& who) noexcept;
  void forget_name(cell& who) noexcept;
  void erase_name(cell& of) noexcept;
  [[nodiscard]] std::optional<spawn_error> refuses(const spawn_options& options) const noexcept;
  static void set_limits(cell& c, const mailbox_options& mail) noexcept;
  void open(cell& c, const mailbox_options* mail) noexcept;  // null: it has no limits
  bool enter(phase next) noexcept;
  void request_all(void (*ask)(cell& parent)) noexcept;
  void stop_if_no_actor_is_left() noexcept;
  [[nodiscard]] drop_reason reason_of(drop_reason why) const noexcept;
  /// Calls `add` with the counters of this thread.
  template <class Add>
  void change_counters(Add add) noexcept;
  [[nodiscard]] actor_ref<>
  find_by_names(std::string_view path,
                std::span<const message_operations* const> messages) noexcept;

  // Written by: begin_drain, begin_stop, the last actor. Read by: any. Publishes: the end of all
  // actors.
  port::atomic<std::uint8_t> phase_;
  // Written by: spawn, ended. Read by: any. Publishes: nothing.
  port::atomic<std::size_t> live_;
  const std::string_view name_;
  const std::size_t max_actors_;
  const std::uint64_t seed_;
  const std::span<tactor::spawn_middleware* const> spawn_middleware_;
  const bool all_on_pool_;  // whether every dispatcher means the pool
  const monotonic_clock& clock_;
  scheduler* timers_;  // null: the program has no timers
  ready_queue_coordinator& coordinator_;
  dispatcher_set* others_;     // null: there is only the pool
  system_observer* observer_;  // null: none
  system_gate* gate_ = nullptr;
  actor_numbers* numbers_ = nullptr;  // null: slots number the actors
  metrics_hub hub_;
  [[no_unique_address]] port::mutex foreign_lock_;
  // Of threads that are not the system's; protected by foreign_lock_. A system that runs on the
  // caller's thread has no others.
  worker_counters foreign_;
  std::uint64_t random_ = 0;  // less the seed; protected by foreign_lock_
  event_stream events_;
  name_table names_;
  // Protects the guardian's children, which end before `stopped`.
  [[no_unique_address]] port::mutex family_;
  cell* user_ = nullptr;  // the guardian of the actors that users spawn
};

}  // namespace internal
}  // namespace tactor::inline v0
