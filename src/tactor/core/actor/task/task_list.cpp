// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/task/task_list.hpp"

#include "tactor/core/actor/cell/system_services.hpp"
#include "tactor/core/actor/delivery/delivery.hpp"
#include "tactor/core/actor/delivery/timer_envelope.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"

#include <new>
#include <utility>

namespace tactor::inline v0::internal {
namespace {

// A board links with it:
[[gnu::used]] void (*const task_needs_turns)() noexcept = link_tasks;
[[gnu::used]] void (*const task_needs_answers)() noexcept = link_answers;

}  // namespace

call_result task_list::run(thread_record& here, cell& c, running_task& task, void* frame,
                           failure& why) noexcept {
  task.next = frame;
  now_ns_ = 0;
  while (!task.failed) {
    void* next_frame = std::exchange(task.next, nullptr);
    if (next_frame == nullptr && task.to_begin != nullptr)
      next_frame = std::exchange(task.to_begin, task.to_begin->sibling)->frame;
    if (next_frame == nullptr) break;
    resume_frame(next_frame);
  }
  if (!task.failed && !task.ended) {
    if (!task.linked) {
      task.linked = true;
      tasks_.push_back(task);
      ++count;
      newest = task.message;
    }
    if (!task.reentrant && !ready) {
      waits = true;
      suspend_for_await(*here.services, here, c, now_ns_);
    }
    return call_result::awaiting;
  }
  call_result said = call_result::failed;
  if (!task.failed) {
    said = task.finish(task, why);
  } else if (&why != &here.why) {
    why = here.why;
  }
  leave(task);
  destroy_frame(task.frame);
  is_over(c);
  return said;
}

void task_list::leave(running_task& task) noexcept {
  if (!std::exchange(task.linked, false)) return;
  tasks_.erase(task);
  --count;
  if (newest == task.message) newest = nullptr;
}

void task_list::is_over(cell& c) noexcept {
  if (count != 0 || when_over == nullptr) return;
  if (c.object != nullptr) when_over(c.object);
  when_over = nullptr;
}

actor_tasks::step task_list::run_ready(thread_record& here, cell& c, failure& why) noexcept {
  awaited& first = *ready_list_.front();
  running_task& task = *first.task;
  void* const frame = first.frame;
  forget(first);
  return run_frame(here, c, task, frame, why);
}

actor_tasks::step task_list::run_frame(thread_record& here, cell& c, running_task& task,
                                       void* frame, failure& why) noexcept {
  envelope* const message = task.message;
  c.current = message;
  // relaxed: a hint
  here.handling.store(message == nullptr ? nullptr : message->operations, relaxed);
  const call_result said = run(here, c, task, frame, why);
  if (ready) (void)c.box.give_notice();  // for the next one; the cell is running
  return {.said = said, .message = said == call_result::awaiting ? nullptr : message};
}

void task_list::forget(awaited& what) noexcept {
  what.task = nullptr;
  if (what.is_ready) {
    ready_list_.erase(what);
    what.is_ready = false;
    ready = !ready_list_.empty();
    return;
  }
  if (what.deadline_ns != 0) timed_.erase(what);
  if (what.for_signal) signals_.erase(what);
}

bool task_list::set_deadline(thread_record& here, cell& c, awaited& what,
                             std::uint64_t now_ns) noexcept {
  actor_deadlines& deadlines = c.extras->deadlines;
  const bool set = deadlines.covers(deadline_of::asks, what.deadline_ns) ||
                   deadlines.set(*here.services, c, deadline_of::asks, what.deadline_ns, now_ns);
  if (!set) return false;
  what.number = ++numbers_;
  timed_.insert(what);
  return true;
}

void task_list::complete(system_services& services, thread_record& here, awaited& what,
                         std::uint64_t asked_ns) noexcept {
  running_task& task = *what.task;
  cell& c = task.owner;
  if (what.deadline_ns != 0) timed_.erase(what);
  if (what.for_signal) signals_.erase(what);
  make_ready(what);
  if (task.reentrant) {
    (void)c.box.give_notice();  // the cell is running
    return;
  }
  waits = false;
  resume(services, here, c, suspend_reason::await_external, asked_ns);
}

awaited* task_list::end_ask(system_services& services, thread_record& here, cell& c,
                            envelope& answer) noexcept {
  cell& slot = *program_memory.cells.at(answer.from.index());
  // relaxed: the worker that runs the actor calls, and sees the actor's own writes
  cell* const asker = reply_slot_view{slot}.asker.load(relaxed);
  const bool awaits = slot.generation() == answer.from.generation && asker == as_awaiting(c);
  if (!awaits) {
    end_late_answer(here, answer);
    return nullptr;
  }
  awaited& what = **std::launder(reinterpret_cast<awaited**>(slot.storage));
  close_slot(here, what);
  if (answer.operations == &operations_of<not_answered>) {
    what.why = static_cast<not_answered*>(payload_of(answer))->why;
    what.began_ns = services.now_ns() - what.began_ns;
    discard_envelope(here, answer);
  } else {
    what.answer = &answer;
  }
  return &what;
}

bool task_list::take_answer(system_services& services, thread_record& here, cell& c,
                            envelope& answer) noexcept {
  awaited* const what = end_ask(services, here, c, answer);
  if (what != nullptr) complete(services, here, *what, 0);
  return what != nullptr;
}

actor_tasks::step task_list::run_with(system_services& services, thread_record& here, cell& c,
                                      envelope& answer, failure& why) noexcept {
  awaited* const what = end_ask(services, here, c, answer);
  if (what == nullptr) return {.said = call_result::unhandled};
  running_task& task = *what->task;
  forget(*what);
  waits = false;
  end_await(services, here, c);
  return run_frame(here, c, task, what->frame, why);
}

bool task_list::take_signal(system_services& services, thread_record& here, cell&, signal_key key,
                            std::uint64_t asked_ns) noexcept {
  bool taken = false;
  for (awaited* each = signals_.front(); each != nullptr;) {
    awaited& what = *each;
    each = signals_.next(what);
    if (what.key != key) continue;
    taken = true;
    what.signalled = true;
    complete(services, here, what, asked_ns);
  }
  return taken;
}

void task_list::expire(system_services& services, thread_record& here, cell&,
                       std::uint64_t now_ns) noexcept {
  for (awaited* first = timed_.first(); first != nullptr && first->deadline_ns <= now_ns;
       first = timed_.first()) {
    close_slot(here, *first);
    first->why = ask_failure::timed_out;
    first->began_ns = now_ns - first->began_ns;
    first->timed_out = true;
    complete(services, here, *first, first->deadline_ns);
  }
}

namespace {

/// Stands for the message of a coroutine that was not sent by an actor.
struct kept_notification {
  static constexpr const char* type_name = "notification";
};

}  // namespace

void task_list::copy_message(thread_record& here) noexcept {
  running_task& task = *tasks_.back();
  envelope* const copy = new_envelope<kept_notification>(here);
  if (copy != nullptr) {
    ::new (payload_of(*copy)) kept_notification;
    copy->from = task.message->from;
    copy->generation = task.message->generation;
  }
  newest = task.message = copy;  // null: the coroutine has no sender from now on
}

void task_list::release_message(thread_record& here, envelope& message) noexcept {
  if (message.kind != envelope_kind::timer) return discard_envelope(here, message);
  timer_job& job = timer_envelope::of(message).job();
  if (message.operations->destroy != nullptr) message.operations->destroy(payload_of(message));
  job.finish({});
  job.let_go();
}

void task_list::end(thread_record& here, cell& c, ask_failure why) noexcept {
  const bool ended = std::exchange(here.ending, true);
  while (!tasks_.empty()) {
    running_task& task = *tasks_.front();
    envelope* const message = task.message;
    leave(task);
    destroy_frame(task.frame);
    if (message == nullptr) continue;
    refuse_answer(here, message->from, why);
    release_message(here, *message);
  }
  here.ending = ended;
  waits = false;
  yields = false;
  is_over(c);
}

}  // namespace tactor::inline v0::internal
