// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/cell/thread_record.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

/// Detects a long turn without reading the clock for every message.
class time_slice {
public:
  explicit time_slice(const system_services& system) noexcept
      : next_check_(system.constants.limits.slice_ns == 0 ? never : 1) {}

  /// Tells whether the turn is too long. Reads the clock.
  [[nodiscard]] bool is_over_now(const system_services& system) noexcept {
    return system.constants.limits.slice_ns != 0 && check_clock(next_check_, system);
  }
  /// Tells the same after `handled` messages. Reads the clock only now and then.
  [[nodiscard]] bool is_over(std::uint32_t handled, const system_services& system) noexcept {
    return handled >= next_check_ && check_clock(handled, system);
  }

private:
  static constexpr std::uint32_t never = ~std::uint32_t{0};

  [[gnu::noinline]] bool check_clock(std::uint32_t handled,
                                     const system_services& system) noexcept {
    const std::uint64_t length_ns = system.constants.limits.slice_ns;
    const std::uint64_t now_ns = system.now_ns();
    if (began_ns_ == 0) began_ns_ = now_ns;
    const std::uint64_t passed = now_ns - began_ns_;
    next_check_ = handled + until_next_check(handled, passed, length_ns);
    return passed >= length_ns;
  }
  /// Returns: how many more messages to handle before the next check. At their present pace they
  /// take at most a quarter of the slice, and near its end a thirty-second part, so that a turn of
  /// equal messages is not much longer than the slice.
  [[nodiscard]] static std::uint32_t until_next_check(std::uint32_t handled, std::uint64_t passed,
                                                      std::uint64_t length_ns) noexcept {
    if (passed <= length_ns / 4) return handled;
    const std::uint32_t more = passed <= length_ns / 2 ? handled / 2 : handled / 32;
    return more != 0 ? more : 1;
  }

  std::uint64_t began_ns_ = 0;
  std::uint32_t next_check_;
};

/// Limits what a turn may use up before other actors run. Some limits are checked before each
/// message, none of them within a step.
class turn_budget {
public:
  /// Requires: `in` outlives it.
  explicit turn_budget(const turn_context& in) noexcept
      : in_(in),
        limits_(in.system.constants.limits),
        slice_(in.system),
        system_messages_left_(limits_.system_messages),
        sent_before_(in.thread.sends) {
    if (limits_.time)  // without a time limit no clock is read
      until_ns_ = in.system.now_ns() + static_cast<std::uint64_t>(limits_.time->nanoseconds());
  }

  /// Tells whether other actors are due after `handled` messages.
  [[nodiscard]] bool is_used_up(std::uint32_t handled) noexcept {
    return has_no_messages_left(handled) || in_.thread.sends - sent_before_ >= limits_.sends ||
           (until_ns_ != 0 && in_.system.now_ns() >= until_ns_) ||
           slice_.is_over(handled, in_.system);
  }
  [[nodiscard]] bool has_no_messages_left(std::uint32_t handled) const noexcept {
    return ends_ || handled >= limits_.messages;
  }
  /// Tells whether messages of users take turns with system messages, because the latter have used
  /// up half of the turn.
  [[nodiscard]] bool takes_turns() const noexcept {
    return system_messages_left_ <= limits_.system_messages / 2;
  }

  /// Begins a step, which may handle a few system messages.
  void begin_step(std::uint32_t handled) noexcept {
    constexpr std::uint32_t most = 16;
    most_in_step_ = system_messages_left_ < most ? system_messages_left_ : most;
    in_step_ = 0;
    handled_before_ = handled;
  }
  /// Tells whether the step may handle one more system message.
  [[nodiscard]] bool allows_system_message() const noexcept { return in_step_ < most_in_step_; }
  /// Counts a system message of the step, which may be one too many.
  void use_system_message() noexcept { ++in_step_; }
  void end_step(std::uint32_t handled) noexcept {
    system_messages_left_ -= in_step_ < system_messages_left_ ? in_step_ : system_messages_left_;
    if (in_step_ != 0 && (system_messages_left_ == 0 || slice_.is_over_now(in_.system)))
      ends_ = true;
    // An actor whose restarts keep failing handles no message at all.
    constexpr std::uint32_t most_idle_steps = 1024;
    if (handled == handled_before_ && ++idle_steps_ == most_idle_steps) ends_ = true;
  }
  /// Leaves nothing.
  void end() noexcept { ends_ = true; }

private:
  const turn_context& in_;
  const turn_limits& limits_;
  time_slice slice_;
  std::uint64_t until_ns_ = 0;  // 0: for any time
  std::uint32_t system_messages_left_;
  std::uint32_t most_in_step_ = 0;  // system messages
  std::uint32_t in_step_ = 0;       // system messages
  std::uint32_t handled_before_ = 0;
  const std::uint32_t sent_before_;
  std::uint32_t idle_steps_ = 0;
  bool ends_ = false;
};

}  // namespace tactor::inline v0::internal
