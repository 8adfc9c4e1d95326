// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/coroutine/running_task.hpp"

#include "tactor/base/assert.hpp"
#include "tactor/core/actor/coroutine/task_list.hpp"
#include "tactor/core/ask/pending_asks.hpp"
#include "tactor/core/ask/thread_ask.hpp"
#include "tactor/core/cell/ask_slot.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/life/actor_tasks.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/send/dead_letters.hpp"
#include "tactor/core/send/envelopes.hpp"
#include "tactor/core/send/post.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/send/send.hpp"
#include "tactor/core/timing/deadline.hpp"

#include <chrono>
#include <new>
#include <utility>

namespace tactor::inline v0::internal {
/// Opens the ask. Returns: false if there is no time, slot or memory: `why` says which.
bool awaited::open_slot(running_task& by, void* awaiting, const actor_ref<>& to,
                        const duration* timeout) noexcept {
  thread_record& here = this_thread();
  cell& asker = by.owner;
  const bool in_time = timeout == nullptr || *timeout > duration{};
  if (!in_time) why = ask_failure::timed_out;
  task_list* const list = in_time ? make_list(here, asker) : nullptr;
  ask_slot* const taken = list == nullptr ? nullptr : program_memory.asks.take(here.asks);
  if (taken == nullptr) return false;
  if (timeout == nullptr) {
    list->await_untimed();
  } else {
    began_ns = here.services->stamp_ns();
    list->note_ask(began_ns);
    if (!list->set_deadline(here, asker, *this, began_ns, *timeout)) {
      began_ns = 0;
      program_memory.asks.give_back(here.asks, *taken);
      return false;
    }
  }
  wait(by, awaiting);
  slot = taken;
  slot->begin<ask_of_coroutine>() = {
      .what = this, .target = to.slot(), .target_generation = to.generation()};
  (void)slot->open_for(asker, ask_word::phase::open_to_coroutine);
  return true;
}

bool awaited::begin_ask(running_task& by, void* awaiting, const actor_ref<>& to, duration timeout,
                        envelope* question) noexcept {
  thread_record& here = this_thread();
  if (question == nullptr) return waits_for_outboxes(by, awaiting);
  if (to == actor_ref<>{&by.owner, by.owner.tenant} && !by.root->reentrant) {
    why = ask_failure::would_deadlock;
    question->from = here.sender;
    question->generation = to.generation();
    end_refused(here, to.slot(), *question, drop_reason::would_deadlock);
    return waits_for_outboxes(by, awaiting);
  }
  // Without time it stays refused.
  if (timeout <= duration{} || !open_slot(by, awaiting, to, &timeout)) {
    discard_envelope(here, *question);
    return waits_for_outboxes(by, awaiting);
  }
  question->from = slot->as_origin();
  (void)send(here, to.slot(), to.generation(), *question);
  return true;
}

origin awaited::begin_completion(running_task& by, void* awaiting,
                                 const duration* timeout) noexcept {
  if (!open_slot(by, awaiting, {}, timeout)) return {};
  return slot->as_origin();
}

bool awaited::begin_sleep(running_task& by, void* awaiting, duration delay) noexcept {
  thread_record& here = this_thread();
  cell& c = by.owner;
  if (!deadline_after(timer_instant{}, delay, here.services->timers().config().timing.resolution))
    return waits_for_outboxes(by, awaiting);
  refused = scheduler_error::capacity_exceeded;
  task_list* const list = make_list(here, c);
  if (list == nullptr) return false;
  if (!list->set_deadline(here, c, *this, here.services->now_ns(), delay)) return false;
  wait(by, awaiting);
  return true;
}

bool awaited_signal::begin(running_task& by, void* awaiting, signal_key awaited_key,
                           const duration* timeout) noexcept {
  thread_record& here = this_thread();
  cell& c = by.owner;
  task_list* const list = make_list(here, c);
  if (list == nullptr) return false;
  early_signals* const early = c.parts->suspension->early;
  signalled = early != nullptr && early->take(awaited_key);
  if (signalled || (timeout != nullptr && *timeout <= duration{}))
    return waits_for_outboxes(by, awaiting);
  if (timeout != nullptr && !list->set_deadline(here, c, *this, here.services->now_ns(), *timeout))
    return false;
  key = awaited_key;
  wait(by, awaiting);
  list->await_signal(*this);
  return true;
}

bool awaited::begin_yield(running_task& by, void* awaiting) noexcept {
  thread_record& here = this_thread();
  task_list* const list = make_list(here, by.owner);
  if (list == nullptr) return false;
  wait(by, awaiting);
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
  wait(by, awaiting);
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
          .waited = std::chrono::nanoseconds{static_cast<std::int64_t>(waited_ns)}};
}

namespace {

/// Describes a frame as a block.
message_operations operations_of_frame(std::size_t size) noexcept {
  return {.type = {},
          .destroy = nullptr,
          .print = nullptr,
          .size = static_cast<std::uint32_t>(size),
          .alignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__,
          .suppress_dead_letter = true};
}

}  // namespace

void* new_frame(std::size_t size) noexcept {
  return new_block(this_thread(), operations_of_frame(size));
}
void free_frame(void* frame, std::size_t size) noexcept {
  const message_operations what = operations_of_frame(size);
  std::byte* const start = static_cast<std::byte*>(frame) - payload_offset(what.alignment);
  envelope& e = *std::launder(reinterpret_cast<envelope*>(start));
  e.operations = &what;  // the pool needs the size of a large one
  free_envelope(this_thread(), e);
}

call_result start_task(running_task& task, envelope& message, failure& why) noexcept {
  TACTOR_ASSERT(program_features().coroutines != nullptr, panics::coroutines_left_out);
  thread_record& here = this_thread();
  cell& c = task.owner;
  task.message = &message;
  task_list* const list = make_list(here, c);
  if (list != nullptr) return list->run_and_suspend(here, c, task, task.frame, why);
  destroy_frame(task.frame);
  why = failure{"no memory for a coroutine"};
  return call_result::failed;
}

running_task** begin_helper(running_task& helper, running_task& by, void* parent, task_join& join,
                            running_task** last) noexcept {
  helper.root = by.root;
  helper.parent = parent;
  helper.join = &join;
  while (*last != nullptr)
    last = &(*last)->sibling;
  *last = &helper;
  return &helper.sibling;
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
  this_thread().failures.why = why;
  by.root->failed = true;
}

}  // namespace tactor::inline v0::internal
