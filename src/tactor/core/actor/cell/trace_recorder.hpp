// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/message/envelope.hpp"

#include <cstdint>
#include <utility>

namespace tactor::inline v0::internal {

class cell;

/// Where a span belongs: to which trace, and which span is its cause.
struct trace_cause {
  std::uint64_t trace_high = 0;
  std::uint64_t trace_low = 0;
  std::uint64_t span = 0;  // 0: to none
  bool is_remote = false;  // the cause is a span of another program
};

/// Names something that is put aside and goes on later: the message of a timer, a coroutine, an ask, a callback, the start
/// or the end of an actor.
/// What it does then belongs to the trace in which it was put aside. A value.
struct trace_key {
  std::uint64_t value = 0;  // 0: nothing

  /// An object that lives until then.
  [[nodiscard]] static trace_key of(const void* object) noexcept {
    return {reinterpret_cast<std::uintptr_t>(object)};
  }
  /// An ask. No address has this form.
  [[nodiscard]] static constexpr trace_key of_ask(origin reply_slot) noexcept {
    return {std::uint64_t{reply_slot.slot} << 32U | reply_slot.generation};
  }
  /// A callable of a timer, by the number of its job. Likewise.
  [[nodiscard]] static constexpr trace_key of_job(std::uint64_t id) noexcept {
    return {id | std::uint64_t{1} << 63U};
  }
  friend constexpr bool operator==(trace_key, trace_key) noexcept = default;
};

/// Records messages of one thread while a trace runs. Only `host/trace` has one.
class trace_recorder {
public:
  /// `e` is about to be sent to `to`, by `sender`. May mark it, so that its receiver knows it again.
  virtual void sent(const cell& to, origin sender, envelope& e, std::uint64_t now_ns) noexcept = 0;
  /// The actor in `c` begins to handle `e`, whose mark is removed. Context: the worker that runs it.
  virtual void begin(const cell& c, envelope& e, std::uint64_t now_ns) noexcept = 0;
  /// It has handled it. Context: as above.
  virtual void end(bool failed, std::uint64_t now_ns) noexcept = 0;
  /// `what` is put aside: when it goes on, it belongs to what is handled here now.
  virtual void kept(trace_key what) noexcept = 0;
  /// `what`, which was put aside before the trace, goes on because of what is handled here now: it belongs to that.
  /// What belongs to a trace already stays there.
  virtual void joined(trace_key what) noexcept = 0;
  /// The coroutine `what`, which began to handle `message`, goes on, until `end`. Context: the worker that runs it.
  virtual void resumed(const cell& c, trace_key what, const envelope& message,
                       std::uint64_t now_ns) noexcept = 0;
  /// The span of what is handled here, or goes on here.
  [[nodiscard]] virtual trace_cause current() const noexcept = 0;

protected:
  ~trace_recorder() = default;
};

/// The recorder of a thread. A small board has none: then this is empty, and code for it is left out.
template <bool = sizeof(void*) == 8>
struct trace_of_thread {
  trace_recorder* recorder = nullptr;  // null: no trace runs here
  trace_key going_on;                  // what was put aside, and goes on here
  void record_with(trace_recorder* by) noexcept { recorder = by; }
  trace_key go_on(trace_key what) noexcept { return std::exchange(going_on, what); }
};
template <>
struct trace_of_thread<false> {
  static constexpr trace_recorder* recorder = nullptr;
  static void record_with(trace_recorder*) noexcept {}
  static trace_key go_on(trace_key) noexcept { return {}; }
};

}  // namespace tactor::inline v0::internal
