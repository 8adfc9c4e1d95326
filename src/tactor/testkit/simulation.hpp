// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/actor_control.hpp"
#include "tactor/core/actor/asking.hpp"
#include "tactor/core/actor/behaviour.hpp"  // IWYU pragma: keep (for its users)
#include "tactor/core/actor/cell/spawn_options.hpp"
#include "tactor/core/actor/delivery/actor_ref.hpp"
#include "tactor/core/actor/event_stream.hpp"
#include "tactor/core/actor/lifecycle/reply_slot.hpp"
#include "tactor/core/actor/reply_to.hpp"  // IWYU pragma: keep (for its users)
#include "tactor/core/actor/scheduling.hpp"
#include "tactor/core/actor/spawning.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/system/events.hpp"  // IWYU pragma: keep (for its users)
#include "tactor/core/system/system_config.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/testkit/manual_clock.hpp"
#include "tactor/testkit/seed.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string_view>

namespace tactor::inline v0::testkit {

template <class... Messages>
class probe;

/// A whole actor system on one thread and on virtual time, in which a seed decides which of the
/// ready actors runs next. The same seed gives the same run. Time passes only when it is told to, and
/// then at once: an hour costs as much as what happens in it.
///
///     simulation world{seed{42}};
///     auto prices = world.spawn_probe<quote>("pricing");
///     auto desk = world.spawn<shop>("shop", prices.ref());
///     world.run_for(200ms);
///
/// Context: one thread. Not from within an actor.
class simulation : public spawning<simulation>,
                   public scheduling<simulation>,
                   public asking<simulation>,
                   public steering<simulation> {
public:
  /// Panics if the settings cannot work; `check(config)` says which.
  explicit simulation(seed from = {}, const system_config& config = {});
  simulation(const simulation&) = delete;
  simulation& operator=(const simulation&) = delete;
  /// Stops all actors first.
  ~simulation();

  // Running.

  /// One turn of one actor. Returns: false if none is ready.
  bool run_one();
  /// Runs until nothing is ready; no time passes. Returns: how many turns that took. Panics after
  /// `most`: then the actors keep each other busy for ever.
  std::size_t run_to_idle(std::size_t most = 100'000'000);
  /// Lets `length` pass, from deadline to deadline, everything running as it comes.
  void run_for(duration length);
  /// Runs until `done()`, looked at after every turn; with nothing ready, time passes to the next
  /// deadline. Returns: false if `within` has passed, or if nothing is left to run.
  template <class Done>
  bool run_until(Done done, duration within = std::chrono::hours{1}) {
    const std::uint64_t end = internal::later(now_ns(), within);
    while (!done()) {
      if (!run_one() && !go_to_next_deadline(end)) return false;
    }
    return true;
  }
  /// The clock, for pauses (`jump`) and single steps.
  [[nodiscard]] manual_clock& clock() noexcept;
  [[nodiscard]] seed seeded_with() const noexcept;

  // What any system does.

  /// An actor that records what it is sent; see `probe`.
  template <class... Messages>
  [[nodiscard]] probe<Messages...> spawn_probe(std::string_view name);

  /// The actor with that path, if it takes these messages; names nobody otherwise.
  template <class... Messages>
  [[nodiscard]] actor_ref<Messages...> find(std::string_view path) {
    const actor_ref<> found = core().find(path, internal::operations_list<Messages...>);
    return {found.slot(), found.generation()};
  }
  /// The stream of events.
  [[nodiscard]] event_stream& events() { return core().events(); }
  [[nodiscard]] metrics_snapshot metrics() const;
  /// The failure that went past the root and stopped the system; nothing: none did.
  [[nodiscard]] std::optional<root_failure> cause() const { return core().cause(); }
  /// How many actors live.
  [[nodiscard]] std::size_t live() const { return core().live(); }
  /// Asks all actors to stop and takes no new ones; `run_to_idle` then ends them.
  void begin_stop() { core().begin_stop(); }

  // For the mix-ins.
  /// The time, in nanoseconds of the system's clock.
  [[nodiscard]] std::uint64_t now_ns() const noexcept;
  [[nodiscard]] scheduler& timers() const noexcept;
  /// In whose name timers send: nobody's.
  [[nodiscard]] static tactor::internal::origin as_sender() noexcept { return {}; }
  /// Waits for answers.
  [[nodiscard]] tactor::internal::answer_driver& driver() noexcept;
  /// Opens a question; see `asking`.
  [[nodiscard]] tactor::internal::reply_slot open_question() noexcept;
  /// Makes an actor; see `spawning`.
  [[nodiscard]] std::expected<actor_ref<>, spawn_error>
  spawn_cell(const tactor::internal::spawn_request& wanted) const noexcept;
  [[nodiscard]] tactor::internal::system_core& core() const noexcept;

private:
  // NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): it is final
  struct parts;

  bool go_to_next_deadline(std::uint64_t end_ns);

  std::unique_ptr<parts> parts_;
};

}  // namespace tactor::inline v0::testkit
