// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/message/envelope_sink.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

struct timer_plan;

/// The target of a due job in one word: a dispatcher or a sink; or the plan, which then holds the
/// target. All-zero is no target. A value.
class timer_target {
public:
  constexpr timer_target() noexcept = default;
  explicit timer_target(job_dispatcher& to) noexcept : bits_(word_of(&to, kind::dispatcher)) {}
  explicit timer_target(sink_ref to) noexcept
      : bits_(word_of(&to.get(), to.is_held() ? kind::held_sink : kind::sink)) {}
  explicit timer_target(timer_plan& instead) noexcept : bits_(word_of(&instead, kind::plan)) {}

  [[nodiscard]] bool is_message() const noexcept {
    return what() == kind::sink || what() == kind::held_sink;
  }
  /// Requires: no message, and no plan.
  [[nodiscard]] job_dispatcher* dispatcher() const noexcept { return as<job_dispatcher>(); }
  /// Requires: a message.
  [[nodiscard]] envelope_sink* receiver() const noexcept { return as<envelope_sink>(); }
  /// The sink that must be released; null: none.
  [[nodiscard]] held_sink* held() const noexcept {
    return what() == kind::held_sink ? static_cast<held_sink*>(receiver()) : nullptr;
  }
  /// The plan; null: it is a dispatcher or a sink.
  [[nodiscard]] timer_plan* plan() const noexcept {
    return what() == kind::plan ? as<timer_plan>() : nullptr;
  }
  /// Returns its identity in events.
  [[nodiscard]] const void* address() const noexcept {
    const held_sink* const sink = held();
    return sink != nullptr ? sink->receiver() : as<void>();
  }

private:
  // In the low bits of the address of an object with virtual functions, or of the plan.
  enum class kind : std::uint8_t { dispatcher, sink, held_sink, plan };
  static constexpr std::uintptr_t kind_mask = 3;
  static_assert(alignof(job_dispatcher) > kind_mask && alignof(envelope_sink) > kind_mask);

  template <class T>
  static std::uintptr_t word_of(T* object, kind what) noexcept {
    return reinterpret_cast<std::uintptr_t>(object) | static_cast<std::uintptr_t>(what);
  }
  [[nodiscard]] kind what() const noexcept { return static_cast<kind>(bits_ & kind_mask); }
  template <class T>
  [[nodiscard]] T* as() const noexcept {
    return reinterpret_cast<T*>(bits_ & ~kind_mask);  // NOLINT(performance-no-int-to-ptr): tagged
  }

  std::uintptr_t bits_ = 0;
};

}  // namespace tactor::inline v0::internal
