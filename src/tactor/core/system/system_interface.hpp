// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/actor_control.hpp"
#include "tactor/core/actor/answer_courier.hpp"  // IWYU pragma: keep (for its users)
#include "tactor/core/actor/asking.hpp"
#include "tactor/core/actor/behaviour.hpp"  // IWYU pragma: keep (for its users)
#include "tactor/core/actor/event_stream.hpp"
#include "tactor/core/actor/reply_to.hpp"  // IWYU pragma: keep (for its users)
#include "tactor/core/actor/scheduling.hpp"
#include "tactor/core/actor/spawning.hpp"
#include "tactor/core/ask/thread_ask.hpp"
#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/observe/log_record.hpp"
#include "tactor/core/observe/metrics_level.hpp"
#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/system/actor_view.hpp"
#include "tactor/core/system/events.hpp"  // IWYU pragma: keep (for its users)
#include "tactor/core/system/system_core.hpp"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>
#include <utility>

namespace tactor::inline v0 {

class delay_provider;

/// Offers what every system has: spawning, timers, asks, control of actors, events and metrics.
/// Base of `actor_system`, `cooperative_system` and `testkit::simulation`; the comment of each says
/// which threads may call it. Requires: not called on a system that was moved from.
class system_interface : public spawning<system_interface>,
                         public scheduling<system_interface>,
                         public asking<system_interface>,
                         public actor_control<system_interface> {
public:
  /// The actor with that path, if it takes these messages; otherwise a reference to no actor.
  template <class... Messages>
  [[nodiscard]] actor_ref<Messages...> find(std::string_view path) const {
    const actor_ref<> found = core().find(path, internal::operations_list<Messages...>);
    return {found.slot(), found.generation()};
  }
  /// The stream of events.
  [[nodiscard]] event_stream& events() const { return core().events(); }
  [[nodiscard]] metrics_snapshot metrics() const { return core().metrics(); }
  /// Measures more, or less, from now on. At `off` nothing is counted; afterwards the counters
  /// continue.
  void set_metrics_level(metrics_level level) const noexcept { core().set_metrics_level(level); }
  /// Returns the level at which the system measures now.
  [[nodiscard]] metrics_level measured_level() const noexcept { return core().hub().level(); }
  /// Logs records of this level and worse from now on.
  void set_log_level(log_level min_level) const noexcept { core().set_log_level(min_level); }
  /// The least severe level that is logged now.
  [[nodiscard]] log_level logged_level() const noexcept { return core().logged_level(); }
  /// Writes the current state of the system: its phase, its actors with names (at most
  /// `most_actors`), its metrics and its timers. Waits for no worker and for no sleeping driver.
  /// Requires: `to` does not block. Context: any thread.
  void dump(dump_format format, text_sink& to, std::size_t most_actors = actors_in_a_dump) const {
    internal::dump_system(core(), format, to, most_actors);
  }
  /// Returns the number of live actors.
  [[nodiscard]] std::size_t live() const { return core().live(); }
  /// The failure that a top-level actor escalated and that stopped the system; nothing: there was
  /// none.
  [[nodiscard]] std::optional<root_failure> cause() const { return core().cause(); }

  // For the mix-ins.
  /// The time, in nanoseconds of the system's clock.
  [[nodiscard]] std::uint64_t now_ns() const noexcept { return core().now_ns(); }
  /// Returns: a maker of delays, for code outside of actors; on a simulation they take virtual
  /// time. To call it, include tactor/timers.hpp.
  [[nodiscard]] delay_provider delays() const noexcept;
  [[nodiscard]] scheduler& timers() const noexcept { return core().timers(); }
  /// No actor schedules its timers.
  [[nodiscard]] static internal::cell* timer_owner() noexcept { return nullptr; }
  /// Waits for answers.
  [[nodiscard]] internal::answer_driver& driver() const noexcept { return *links_.driver; }
  /// Opens an ask of a thread; see `asking`.
  [[nodiscard]] internal::thread_ask open_ask() const noexcept {
    return internal::thread_ask::open(core().gate(), links_.asks_by);
  }
  /// Makes an actor; see `spawning`.
  [[nodiscard]] std::expected<actor_ref<>, spawn_error>
  spawn_cell(const internal::spawn_request& wanted) const noexcept {
    return core().spawn(wanted, nullptr);
  }
  [[nodiscard]] internal::system_core& core() const noexcept { return *links_.core; }

protected:
  /// The parts of a system that its interface calls.
  struct links {
    internal::system_core* core = nullptr;
    internal::answer_driver* driver = nullptr;
    internal::thread_ask::clock asks_by = internal::thread_ask::clock::of_system;
  };

  system_interface() noexcept = default;
  explicit system_interface(const links& parts) noexcept : links_(parts) {}
  system_interface(system_interface&& other) noexcept : links_(std::exchange(other.links_, {})) {}
  system_interface& operator=(system_interface&& other) noexcept {
    links_ = std::exchange(other.links_, {});
    return *this;
  }
  system_interface(const system_interface&) = delete;
  system_interface& operator=(const system_interface&) = delete;
  ~system_interface() = default;

  /// Connects a system whose parts are made in its constructor.
  void connect(const links& parts) noexcept { links_ = parts; }

private:
  links links_;
};

}  // namespace tactor::inline v0
