// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/task/running_task.hpp"

#include "tactor/core/actor/cell/system_services.hpp"
#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/core/actor/delivery/delivery.hpp"
#include "tactor/core/actor/lifecycle/actor_tasks.hpp"
#include "tactor/core/actor/lifecycle/extras/actor_extras.hpp"
#include "tactor/core/actor/lifecycle/pending_asks.hpp"
#include "tactor/core/actor/runtime/runtime_memory.hpp"
#include "tactor/core/actor/task/task_list.hpp"
#include "tactor/core/actor/waiting/reply_slot.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/timing/deadline.hpp"

#include <chrono>
#include <new>
#include <utility>

namespace tactor::inline v0::internal {
/// Opens the reply slot of an answer. Returns: false if there is no time or memory: `why` says which.
bool awaited::open_slot(running_task& by, void* awaiting, const duration* timeout) noexcept {
  thread_record& here = this_thread();
  cell& asker = by.owner;
  const bool in_time = timeout == nullptr || *timeout > duration{};
  if (!in_time) why = ask_failure::timed_out;
  task_list* const list = in_time ? make_list(here, asker) : nullptr;
  slot = list == nullptr ? nullptr : program_memory.cells.take(here.cells);
  if (slot == nullptr) return false;
  if (timeout != nullptr) {
    const system_services& services = *here.services;
    began_ns = services.quick_ns();
    list->note_time(began_ns);
    const std::uint64_t now_ns =
        began_ns + services.constants->quick_error_ns;  // a deadline is never early
    deadline_ns = later(now_ns, *timeout);
    if (!list->set_deadline(here, asker, *this, now_ns)) {
      deadline_ns = 0;
      began_ns = 0;
      close_slot(here, *this);
      return false;
    }
  }
  frame = awaiting;
  task = by.root;
  ::new (static_cast<void*>(slot->storage())) awaited*(this);
  // relaxed, both: the message that asks publishes them
  slot->gate.store(asker.gate.load(relaxed), relaxed);              // relaxed: as said
  reply_slot_view{*slot}.asker.store(as_awaiting(asker), relaxed);  // relaxed: as said
  return true;
}

bool awaited::begin_ask(running_task& by, void* awaiting, const actor_ref<>& to, duration timeout,
                        envelope* question) noexcept {
  thread_record& here = this_thread();
  if (question == nullptr) return waits_for_outboxes(by, awaiting);
  if (!open_slot(by, awaiting, &timeout)) {
    discard_envelope(here, *question);
    return waits_for_outboxes(by, awaiting);
  }
  question->from = origin::of_reply_slot(slot->slot, slot->tenant);
  (void)send(here, to.slot(), to.generation(), *question);
  return true;
}

origin awaited::begin_completion(running_task& by, void* awaiting,
                                 const duration* timeout) noexcept {
  if (!open_slot(by, awaiting, timeout)) return {};
  const origin to = origin::of_reply_slot(slot->slot, slot->tenant);
  if (is_traced()) [[unlikely]]
    note_kept(this_thread(), &by.owner, trace_key::of_ask(to));
  return to;
}

bool awaited::begin_sleep(running_task& by, void* awaiting, duration delay) noexcept {
  thread_record& here = this_thread();
  cell& c = by.owner;
  if (!deadline_after(timer_instant{}, delay, here.services->timers().config().timing.resolution))
    return waits_for_outboxes(by, awaiting);
  refused = scheduler_error::capacity_exceeded;
  task_list* const list = make_list(here, c);
  if (list == nullptr) return false;
  const std::uint64_t now_ns = here.services->now_ns();
  deadline_ns = later(now_ns, delay);
  if (!list->set_deadline(here, c, *this, now_ns)) {
    deadline_ns = 0;
    return false;
  }
  frame = awaiting;
  task = by.root;
  return true;
}

bool awaited_signal::begin(running_task& by, void* awaiting, signal_key awaited_key,
                           const duration* timeout) noexcept {
  thread_record& here = this_thread();
  cell& c = by.owner;
  task_list* const list = make_list(here, c);
  if (list == nullptr) return false;
  early_signals* const early = c.extras->suspension->early;
  signalled = early != nullptr && early->take(awaited_key);
  if (signalled || (timeout != nullptr && *timeout <= duration{}))
    return waits_for_outboxes(by, awaiting);
  if (timeout != nullptr) {
    const std::uint64_t now_ns = here.services->now_ns();
    deadline_ns = later(now_ns, *timeout);
    if (!list->set_deadline(here, c, *this, now_ns)) {
      deadline_ns = 0;
      return false;
    }
  }
  key = awaited_key;
  frame = awaiting;
  task = by.root;
  list->await_signal(*this);
  return true;
}

bool awaited::begin_yield(running_task& by, void* awaiting) noexcept {
  thread_record& here = this_thread();
  task_list* const list = make_list(here, by.owner);
  if (list == nullptr) return false;
  frame = awaiting;
  task = by.root;
  list->make_ready(*this);
  list->yields = true;
  (void)by.owner.box.give_notice();  // the cell is running
  return true;
}

bool awaited::waits_for_outboxes(running_task& by, void* awaiting) noexcept {
  cell& c = by.owner;
  if (!c.reasons.has(suspend_reason::backpressure)) return false;
  task_list* const list = make_list(this_thread(), c);
  if (list == nullptr) return false;
  frame = awaiting;
  task = by.root;
  list->make_ready(*this);
  return true;
}

void awaited::cancel() noexcept {
  close_slot(this_thread(), *this);
  list_of(task->owner).forget(*this);
}

ask_error awaited::without_answer(const actor_ref<>& to,
                                  std::string_view message_type) const noexcept {
  return {.kind = why,
          .target = to,
          .message_type = message_type,
          .waited = std::chrono::nanoseconds{static_cast<std::int64_t>(began_ns)}};
}

void* new_frame(std::size_t size) noexcept {
  const message_operations what{.type = {},
                                .destroy = nullptr,
                                .print = nullptr,
                                .size = static_cast<std::uint32_t>(size),
                                .alignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__,
                                .suppress_dead_letter = true};
  return new_block(this_thread(), what);
}
void free_frame(void* frame, std::size_t size) noexcept {
  const message_operations what{.type = {},
                                .destroy = nullptr,
                                .print = nullptr,
                                .size = static_cast<std::uint32_t>(size),
                                .alignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__,
                                .suppress_dead_letter = true};
  std::byte* const start = static_cast<std::byte*>(frame) - payload_offset(what.alignment);
  envelope& e = *std::launder(reinterpret_cast<envelope*>(start));
  e.operations = &what;  // the pool needs the size of a large one
  free_envelope(this_thread(), e);
}

call_result start_task(running_task& task, envelope& message, failure& why) noexcept {
  thread_record& here = this_thread();
  cell& c = task.owner;
  task.message = &message;
  task_list* const list = make_list(here, c);
  if (list != nullptr) return list->run_and_suspend(here, c, task, task.frame, why);
  destroy_frame(task.frame);
  why = failure{"no memory for a coroutine"};
  return failed_call();
}

void begin_helper(running_task& helper, running_task& by, void* parent, task_join& join) noexcept {
  helper.root = by.root;
  helper.parent = parent;
  helper.join = &join;
  running_task** last = &by.root->to_begin;
  while (*last != nullptr)
    last = &(*last)->sibling;
  *last = &helper;
}

void end_helper(running_task& ended) noexcept {
  ended.ended = true;
  running_task& root = *ended.root;
  task_join* const join = ended.join;
  if (join != nullptr && --join->missing != 0) return;
  if (ended.parent != nullptr) root.next = ended.parent;
}

void running_task::leave_beginners() noexcept {
  running_task** each = &root->to_begin;
  while (*each != nullptr && *each != this)
    each = &(*each)->sibling;
  if (*each == this) *each = sibling;
}

void fail_task(running_task& by, const failure& why) noexcept {
  this_thread().failures.get().why = why;
  by.root->failed = true;
}

}  // namespace tactor::inline v0::internal
