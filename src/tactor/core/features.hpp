// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/actor_type.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string_view>

// The table of what a program may leave out. Each feature has a row: the functions of it that the
// core calls. A host's program has all rows. A board's program has those that the size of its
// `bare::system` names, see bare/system_size.hpp; the linker leaves out the code of the others.
//
// A row is checked where its feature begins: in the calls of a program (`ctx.ask`, `ctx.watch`, a
// spawn with a strategy), which return their error or panic with the name of the feature. It is
// also checked in what every actor goes through, such as its end. What the core meets later, such
// as the answer to an ask, exists only if the row does, and is not checked again.
//
// No row is used to send, handle and free a plain message.

namespace tactor::inline v0 {
class cancellable;
class duration;
class event_stream;
class event_text;
class failure;
class scheduler;
class supervision;
enum class ask_failure : std::uint8_t;
enum class drop_reason : std::uint8_t;
enum class log_level : std::uint8_t;
enum class spawn_error : std::uint8_t;
enum class suspend_reason : std::uint8_t;
enum class termination : std::uint8_t;
struct invoke_result;
struct mailbox_options;
struct middleware_chain;
struct name_changed;
struct spawn_options;
struct tick;
template <class... Messages>
class actor_ref;
}  // namespace tactor::inline v0

namespace tactor::inline v0::panics {
inline constexpr port::panic_code asks_left_out{
    .module = 9,
    .id = 1,
    .advice = "the program asks, but its size does not say so: bare::system<{.asks = 1}>"};
inline constexpr port::panic_code coroutines_left_out{
    .module = 9,
    .id = 2,
    .advice = "a handler is a coroutine, but the size of the system does not say so: "
              "bare::system<{.coroutines = true}>"};
inline constexpr port::panic_code timers_left_out{
    .module = 9,
    .id = 3,
    .advice =
        "the program uses the scheduler, but its size has no timers: bare::system<{.timers = 1}>"};
inline constexpr port::panic_code events_left_out{
    .module = 9,
    .id = 4,
    .advice = "the program subscribes to an event, but its size does not say so: "
              "bare::system<{.events = true}>"};
inline constexpr port::panic_code reports_left_out{
    .module = 9,
    .id = 5,
    .advice = "the program subscribes to an event of the runtime, but its size does not say so: "
              "bare::system<{.reports = true}>"};
}  // namespace tactor::inline v0::panics

namespace tactor::inline v0::internal {

class actor_deadlines;
class actor_tasks;
class cell;
class job_queue;
class system_core;
class system_services;
class turn;
struct turn_context;
enum class admittance : std::uint8_t;
enum class turn_step : std::uint8_t;
enum class when_full : bool;
struct envelope;
struct lifecycle_word;
struct mailbox_limits;
struct message_operations;
struct lost_message;
struct offer_result;
struct origin;
struct own_timer;
struct periodic_functions;
struct spawn_request;
struct supervision_state;
struct suspension_command;
struct thread_record;
struct timer_report_functions;
struct turn_times;
struct verdict;
enum class failed_in : std::uint8_t;
struct wait_cycle;

/// Asks of actors and coroutines, and how asks end without an answer.
struct ask_functions {
  void (*refuse)(thread_record& here, origin asker, ask_failure why) noexcept;
  void (*end_late)(thread_record& here, envelope& answer) noexcept;
  bool (*take)(turn& in, envelope& answer) noexcept;
  call_result (*take_single)(const turn_context& in, envelope& answer, failure& why) noexcept;
  void (*expire)(turn& in, std::uint64_t now_ns) noexcept;
  void (*end)(thread_record& here, cell& asker) noexcept;
};
extern const ask_functions ask_feature;

/// Handlers that are coroutines.
struct coroutine_functions {
  turn_step (*go_on)(turn& in, actor_tasks& tasks) noexcept;
  invoke_result (*run_awaited)(turn& in) noexcept;
};
extern const coroutine_functions coroutine_feature;

/// The deadlines of actors: of asks, receive timeouts, back-offs and suspensions.
struct deadline_functions {
  void (*handle)(turn& in, envelope& due) noexcept;
  void (*end)(actor_deadlines& all) noexcept;
};
extern const deadline_functions deadline_feature;

/// The event stream.
struct event_functions {
  std::size_t (*unsubscribe)(event_stream& from, const actor_ref<>& who) noexcept;
};
extern const event_functions event_feature;

/// Mailboxes with a capacity, pressure, priorities or an overflow strategy.
struct limit_functions {
  bool (*give)(cell& to, const mailbox_options& mail, std::uint32_t push_timeout_ms) noexcept;
  offer_result (*offer)(thread_record& here, cell& to, mailbox_limits limits, envelope& e,
                        when_full then) noexcept;
  turn_step (*next_in_side_queue)(turn& in) noexcept;
  turn_step (*leave_side_queue)(turn& in) noexcept;
  bool (*waits_in_side_queue)(turn& in) noexcept;
  void (*release_permits)(cell& c, std::uint32_t count) noexcept;
  void (*release_in_turn)(thread_record& here, cell& c, envelope& e) noexcept;
  void (*refuse_producers)(cell& c) noexcept;
  void (*end_side_queue)(thread_record& here, cell& c) noexcept;
  void (*end)(cell& c) noexcept;
};
extern const limit_functions limit_feature;

/// Times of handlers. Only a host measures them.
struct measuring_functions {
  call_result (*call)(turn& in, turn_times& times, envelope& e, failure& why) noexcept;
};
extern const measuring_functions measuring_feature;

/// Middleware, which is called before and after a handler.
struct middleware_functions {
  bool (*give)(thread_record& here, cell& to, const middleware_chain& what) noexcept;
  turn_step (*filter)(turn& in, envelope& e) noexcept;
  admittance (*admit)(turn& in, envelope& e) noexcept;
  void (*tell)(turn& in, envelope& e, call_result said, bool has_message) noexcept;
  void (*tell_destroyed)(const system_services& services, cell& c, envelope& message) noexcept;
};
extern const middleware_functions middleware_feature;

/// Names of actors.
struct name_functions {
  std::expected<void, spawn_error> (*give)(system_core& system, const spawn_request& wanted,
                                           cell& to) noexcept;
  void (*erase)(system_core& system, cell& of) noexcept;
  void (*forget)(system_core& system, cell& ended) noexcept;
  actor_ref<> (*find)(system_core& system, std::string_view path,
                      std::span<const message_operations* const> messages) noexcept;
  void (*write_path)(const system_core& system, event_text& to, const cell& of) noexcept;
};
extern const name_functions name_feature;

/// Outboxes, in which the messages of actors to full mailboxes with `block_producer` wait.
struct outbox_functions {
  offer_result (*hold_back)(const turn_context& in, cell& to, envelope& e) noexcept;
  bool (*holds_back)(const cell& from, const cell& to, std::uint32_t generation) noexcept;
  std::uint32_t (*room)(const cell& from, const actor_ref<>& to) noexcept;
  void (*take_permit)(const turn_context& in, envelope& e) noexcept;
  void (*give_back)(thread_record& here, envelope& permit) noexcept;
  bool (*withdraw)(const turn_context& from, const actor_ref<>& to, origin question) noexcept;
  void (*end)(thread_record& here, cell& c) noexcept;
};
extern const outbox_functions outbox_feature;

/// Receive timeouts.
struct receive_timeout_functions {
  void (*reached)(turn& in, std::uint64_t now_ns) noexcept;
  void (*go_on)(system_services& services, cell& c) noexcept;
};
extern const receive_timeout_functions receive_timeout_feature;

/// The scheduler of a system.
struct scheduler_functions {
  void (*poll)(scheduler& of) noexcept;
  std::optional<tick> (*next_deadline)(scheduler& of) noexcept;
  std::uint64_t (*first_reading_at)(const scheduler& of, tick at) noexcept;
  std::size_t (*run_callables)(job_queue& due) noexcept;
};
extern const scheduler_functions scheduler_feature;

/// Options of actors besides a name: limits of mailboxes, strategies, middleware, priorities; and
/// middleware that may change or refuse a spawn.
struct spawn_option_functions {
  std::expected<actor_ref<>, spawn_error> (*inspect_and_spawn)(system_core& system,
                                                               const spawn_request& wanted,
                                                               cell* parent) noexcept;
  std::optional<spawn_error> (*refuse)(const system_core& system,
                                       const spawn_options& options) noexcept;
  bool (*give_parts)(system_core& system, cell& to, const spawn_options& options) noexcept;
  void (*set_limits)(cell& to, const mailbox_options& mail) noexcept;
};
extern const spawn_option_functions spawn_option_feature;

/// Messages that are put aside.
struct stash_functions {
  turn_step (*replay)(turn& in, envelope& oldest) noexcept;
  void (*replay_after_restart)(cell& c) noexcept;
  void (*end)(thread_record& here, cell& c) noexcept;
};
extern const stash_functions stash_feature;

/// Strategies: what happens to an actor that fails, besides stopping.
struct supervision_functions {
  bool (*is_valid)(const supervision& how) noexcept;
  bool (*give)(thread_record& here, cell& to, const supervision& how) noexcept;
  verdict (*judge)(system_services& services, supervision_state& record, const failure& why,
                   failed_in during) noexcept;
  void (*wait_for_directive)(const turn_context& in, const message_operations* message,
                             const verdict& said) noexcept;
  bool (*follow_directives)(const turn_context& in, lifecycle_word requests) noexcept;
  void (*handle_child_failure)(const turn_context& in, envelope& e) noexcept;
  void (*go_on_with_restart)(const turn_context& in) noexcept;
};
extern const supervision_functions supervision_feature;

/// Actors that suspend themselves or others.
struct suspension_functions {
  void (*apply)(const turn_context& in, const suspension_command& what) noexcept;
  void (*resume_in_time)(const turn_context& in, suspend_reason reason) noexcept;
  void (*take_capacity)(const turn_context& in, envelope& e) noexcept;
  void (*give_back_capacity)(thread_record& here, envelope& e) noexcept;
  void (*give_back_used_capacity)(thread_record& here) noexcept;
  void (*end)(thread_record& here, cell& c) noexcept;
};
extern const suspension_functions suspension_feature;

/// Timers of actors by handle, which end with their actor: to itself, or of callables.
struct own_timer_functions {
  own_timer* (*take)(thread_record& here, cell& owner) noexcept;
  void (*give_back)(thread_record& here, own_timer& unused) noexcept;
  void (*remember)(thread_record& here, cell& owner, own_timer& fresh,
                   const cancellable& scheduled) noexcept;
  void (*cancel)(thread_record& here, cell& c) noexcept;
};
extern const own_timer_functions own_timer_feature;

/// Timers that fire more than once: see core/scheduler/job/timer_store.hpp.
extern const periodic_functions periodic_feature;
/// Reports of timers: events, warnings and lateness. See there.
extern const timer_report_functions timer_report_feature;

/// Messages of timers.
struct timer_functions {
  turn_step (*handle)(turn& in, envelope& e) noexcept;
  turn_step (*reject)(turn& in, envelope& e, drop_reason why) noexcept;
  void (*end_as_dead_letter)(thread_record& here, cell* to, envelope& e, drop_reason why) noexcept;
  void (*end_keyed)(thread_record& here, cell& c) noexcept;
};
extern const timer_functions timer_feature;

/// Watches of actors by others.
struct watch_functions {
  void (*take)(thread_record& here, cell& c, envelope& e) noexcept;
  void (*take_end)(thread_record& here, cell& c, envelope& e) noexcept;
  void (*give_back)(thread_record& here, envelope& e, termination why) noexcept;
  void (*deliver)(turn& in, envelope& e) noexcept;
  void (*deliver_deferred)(turn& in) noexcept;
  bool (*end_one)(thread_record& here, cell& watcher, const actor_ref<>& whom) noexcept;
  void (*end_of_children)(thread_record& here, cell& watcher) noexcept;
  void (*end)(thread_record& here, cell& c) noexcept;
};
extern const watch_functions watch_feature;

/// Walks along the waits of actors, which find cycles of them. A board has none.
struct wait_walk_functions {
  void (*begin)(const turn_context& in) noexcept;
  void (*begin_looks)(const turn_context& in) noexcept;
  void (*look)(const turn_context& in, std::uint64_t now_ns) noexcept;
  void (*go_on)(const turn_context& in, envelope& e) noexcept;
};
extern const wait_walk_functions wait_walk_feature;

/// A function that calls a member function of its first argument, for a row: see `call_member`.
template <auto Function>
struct member_call;
template <class Of, class Result, class... Given, Result (Of::*Function)(Given...) noexcept>
struct member_call<Function> {
  static Result call(Of& of, Given... given) noexcept {
    return (of.*Function)(static_cast<Given>(given)...);
  }
};
template <class Of, class Result, class... Given, Result (Of::*Function)(Given...) const noexcept>
struct member_call<Function> {
  static Result call(const Of& of, Given... given) noexcept {
    return (of.*Function)(static_cast<Given>(given)...);
  }
};
template <auto Function>
inline constexpr auto* call_member = &member_call<Function>::call;

/// The features of a program. A row that is null is left out.
struct features {
  const ask_functions* asks = nullptr;
  const coroutine_functions* coroutines = nullptr;
  const deadline_functions* deadlines = nullptr;
  const event_functions* events = nullptr;
  const limit_functions* limits = nullptr;
  const measuring_functions* measuring = nullptr;
  const middleware_functions* middleware = nullptr;
  const name_functions* names = nullptr;
  const outbox_functions* outboxes = nullptr;
  const own_timer_functions* own_timers = nullptr;
  const periodic_functions* periodic = nullptr;
  const receive_timeout_functions* receive_timeouts = nullptr;
  const scheduler_functions* scheduling = nullptr;
  const spawn_option_functions* spawn_options = nullptr;
  const stash_functions* stash = nullptr;
  const supervision_functions* supervision = nullptr;
  const suspension_functions* suspension = nullptr;
  const timer_report_functions* timer_reports = nullptr;
  const timer_functions* timers = nullptr;
  const wait_walk_functions* wait_walks = nullptr;
  const watch_functions* watches = nullptr;
  /// True if the system reports what happens to its actors: see core/cell/system_reports.hpp.
  bool reports = false;
};

inline constexpr features all_features{.asks = &ask_feature,
                                       .coroutines = &coroutine_feature,
                                       .deadlines = &deadline_feature,
                                       .events = &event_feature,
                                       .limits = &limit_feature,
                                       .measuring = &measuring_feature,
                                       .middleware = &middleware_feature,
                                       .names = &name_feature,
                                       .outboxes = &outbox_feature,
                                       .own_timers = &own_timer_feature,
                                       .periodic = &periodic_feature,
                                       .receive_timeouts = &receive_timeout_feature,
                                       .scheduling = &scheduler_feature,
                                       .spawn_options = &spawn_option_feature,
                                       .stash = &stash_feature,
                                       .supervision = &supervision_feature,
                                       .suspension = &suspension_feature,
                                       .timer_reports = &timer_report_feature,
                                       .timers = &timer_feature,
                                       .wait_walks = &wait_walk_feature,
                                       .watches = &watch_feature,
                                       .reports = true};
inline constexpr features no_features{};

/// The features of a board's program, which has one system. Written by: the start of that system,
/// before there is any actor.
inline constinit const features* features_of_board = &no_features;

/// The features of this program.
[[nodiscard]] inline const features& program_features() noexcept {
  if constexpr (port::names_features) {
    return *features_of_board;
  } else {
    return all_features;
  }
}

}  // namespace tactor::inline v0::internal
