// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/intrusive_list.hpp"
#include "tactor/base/treap.hpp"
#include "tactor/core/actor/coroutine/running_task.hpp"
#include "tactor/core/ask/pending_asks.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/life/actor_deadlines.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/life/actor_tasks.hpp"
#include "tactor/core/life/wait_walk.hpp"
#include "tactor/core/send/runtime_memory.hpp"

#include <coroutine>
#include <cstdint>
#include <utility>

namespace tactor::inline v0::internal {

/// Orders awaited signals by key, then by number.
struct signal_order {
  static awaited_signal*& left(awaited_signal& of) noexcept { return of.left_by_key; }
  static awaited_signal*& right(awaited_signal& of) noexcept { return of.right_by_key; }
  static bool comes_before(const awaited_signal& a, const awaited_signal& b) noexcept {
    if (a.key.value != b.key.value) return a.key.value < b.key.value;
    return static_cast<std::int32_t>(a.number - b.number) < 0;
  }
  static std::uint64_t priority(const awaited_signal& of) noexcept { return mixed_bits(of.number); }
};

inline void resume_frame(void* frame) noexcept {
  std::coroutine_handle<>::from_address(frame).resume();
}
inline void destroy_frame(void* frame) noexcept {
  std::coroutine_handle<>::from_address(frame).destroy();
}

/// The coroutines of one actor.
class task_list final : public actor_tasks {
public:
  static constexpr const char* type_name = "coroutines";

  bool take_answer(const turn_context& in, envelope& answer) noexcept override;
  task_step run_with(const turn_context& in, envelope& answer, failure& why) noexcept override;
  bool take_signal(const turn_context& in, signal_key key,
                   std::uint64_t asked_ns) noexcept override;
  void expire(const turn_context& in, std::uint64_t now_ns) noexcept override;
  [[nodiscard]] std::uint64_t next_deadline_ns() const noexcept override;
  [[nodiscard]] sole_wait awaited_alone() const noexcept override;
  [[nodiscard]] bool is_to_answer(origin question) const noexcept override;
  task_step run_ready(thread_record& here, cell& c, failure& why) noexcept override;
  void copy_message(thread_record& here) noexcept override;
  void release_message(thread_record& here, envelope& message) noexcept override;
  void end(thread_record& here, cell& c, ask_failure why) noexcept override;
  void release(thread_record& here) noexcept override { free_record(here, this); }

  /// Runs `task` until it ends or awaits; then the actor is suspended if it has to wait. Returns:
  /// `awaiting`, or its result; then it is destroyed.
  call_result run_and_suspend(thread_record& here, cell& c, running_task& task, void* frame,
                              failure& why) noexcept;
  /// Runs `task` until it ends or awaits. If the actor has to wait, `waits` is set and the caller
  /// suspends it.
  [[gnu::always_inline]] inline call_result run(thread_record& here, cell& c, running_task& task,
                                                void* frame, failure& why) noexcept;

  /// Sets the deadline of `what` to `delay` after `now_ns`. Returns: false if there is no timer.
  [[nodiscard]] bool set_deadline(thread_record& here, cell& c, awaited& what, std::uint64_t now_ns,
                                  duration delay) noexcept {
    const std::uint64_t deadline_ns = later(now_ns, delay);
    const std::uint64_t first_ns = look_ns_ < deadline_ns ? look_ns_ : deadline_ns;
    if (!c.parts->deadlines.set_no_later(*here.services, c, deadline_of::asks, first_ns, now_ns))
      return false;
    what.deadline_ns = deadline_ns;
    what.number = ++numbers_;
    timed_.insert(what);
    return true;
  }
  /// Makes the coroutine ready whose `what` has come, or is over.
  void complete(const turn_context& in, awaited& what, std::uint64_t asked_ns) noexcept;
  void make_ready(awaited& what) noexcept {
    what.is_ready = true;
    ++what.task->ready;
    ready_list_.push_back(what);
    ready = true;
  }
  void await_signal(awaited_signal& what) noexcept {
    what.for_signal = true;
    if (what.deadline_ns == 0) what.number = ++numbers_;
    signals_.insert(what);
  }
  /// Removes `what` from all lists.
  void forget(awaited& what) noexcept {
    running_task& of = *std::exchange(what.task, nullptr);
    if (what.is_ready) {
      --of.ready;
      ready_list_.erase(what);
      what.is_ready = false;
      ready = !ready_list_.empty();
      return;
    }
    forget_wait(what);
  }
  /// Counts something without deadline that is no signal.
  void await_untimed() noexcept { ++untimed_; }
  /// The running coroutine begins to await an answer, and has read the time.
  void note_ask(std::uint64_t now_ns) noexcept {
    waits_since_ns = now_ns;
    look_ns_ = later(now_ns, long_wait_time);
  }

private:
  /// Gives `answer` to what awaits it, and closes its slot. Returns: null if nothing awaits it any
  /// more.
  [[gnu::always_inline]] static inline awaited* end_ask(const turn_context& in,
                                                        envelope& answer) noexcept;
  static void set_current(thread_record& here, cell& c, envelope* message) noexcept;
  call_result end_task(thread_record& here, cell& c, running_task& task, failure& why) noexcept;
  static constexpr std::uint64_t never_ns = ~std::uint64_t{0};

  /// Removes `what`, which is not ready, from the lists of what is awaited.
  void forget_wait(awaited& what) noexcept {
    if (what.deadline_ns != 0) {
      timed_.erase(what);
    } else if (!what.for_signal) {
      --untimed_;
    }
    if (!what.for_signal) return;
    signals_.erase(static_cast<awaited_signal&>(what));
    what.for_signal = false;
  }
  [[nodiscard]] awaited_signal* first_with(signal_key key) const noexcept;
  void leave(running_task& task) noexcept;
  void tell_if_over(cell& c) noexcept;

  intrusive_list<running_task> tasks_;
  intrusive_list<awaited> ready_list_;
  treap<awaited_signal, signal_order> signals_;
  treap<awaited, deadline_order<awaited>> timed_;
  std::uint64_t look_ns_ = never_ns;  // when to look at an actor that still waits
  std::uint32_t numbers_ = 0;
  std::uint32_t untimed_ = 0;  // awaited without a deadline, besides signals
};

/// Returns: the coroutines of an actor. Requires: it has a list.
[[nodiscard]] inline task_list& list_of(const cell& c) noexcept {
  return static_cast<task_list&>(*c.parts->suspension->tasks);
}
/// Returns: the coroutines of an actor, in a list that is made if there is none; null if there is
/// no memory.
[[nodiscard]] inline task_list* make_list(thread_record& here, cell& c) noexcept {
  if (actor_tasks* const made = tasks_of(c)) return static_cast<task_list*>(made);
  suspension* const record = suspension_of(here, c);
  if (record == nullptr) return nullptr;
  record->tasks = new_record<task_list>(here);
  return static_cast<task_list*>(record->tasks);
}

/// Ends the ask of `of`, if it is one.
inline void close_slot(thread_record& here, awaited& of) noexcept {
  ask_slot* const slot = std::exchange(of.slot, nullptr);
  if (slot == nullptr) return;
  const ask_of_coroutine& record = slot->as<ask_of_coroutine>();
  withdraw_question(here, slot->answered_actor(), {record.target, record.target_generation},
                    slot->as_origin());
  if (slot->leave()) program_memory.asks.give_back(here.asks, *slot);
}

}  // namespace tactor::inline v0::internal
