// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/task/running_task.hpp"

#include "tactor/base/treap.hpp"
#include "tactor/core/actor/cell/runtime_memory.hpp"
#include "tactor/core/actor/cell/system_services.hpp"
#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/core/actor/delivery/delivery.hpp"
#include "tactor/core/actor/delivery/timer_envelope.hpp"
#include "tactor/core/actor/lifecycle/actor_extras.hpp"
#include "tactor/core/actor/lifecycle/actor_tasks.hpp"
#include "tactor/core/actor/lifecycle/pending_asks.hpp"
#include "tactor/core/actor/lifecycle/reply_slot.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/timing/deadline.hpp"

#include <chrono>
#include <coroutine>
#include <new>
#include <utility>

namespace tactor::inline v0::internal {
namespace {

/// What is awaited, by deadline, then by number.
struct deadline_order {
  static awaited*& left(awaited& of) noexcept { return of.left; }
  static awaited*& right(awaited& of) noexcept { return of.right; }
  static bool comes_before(const awaited& a, const awaited& b) noexcept {
    if (a.deadline_ns != b.deadline_ns) return a.deadline_ns < b.deadline_ns;
    return static_cast<std::int32_t>(a.number - b.number) < 0;
  }
  static std::uint64_t priority(const awaited& of) noexcept { return mixed_bits(of.number); }
};

void resume_frame(void* frame) noexcept {
  std::coroutine_handle<>::from_address(frame).resume();
}
void destroy_frame(void* frame) noexcept {
  std::coroutine_handle<>::from_address(frame).destroy();
}

/// The coroutines of one actor.
class task_list final : public actor_tasks {
public:
  static constexpr const char* type_name = "coroutines";

  void take_answer(system_services& services, thread_record& here, cell& c,
                   envelope& answer) noexcept override;
  bool take_signal(system_services& services, thread_record& here, cell& c, signal_key key,
                   std::uint64_t asked_ns) noexcept override;
  void expire(system_services& services, thread_record& here, cell& c,
              std::uint64_t now_ns) noexcept override;
  [[nodiscard]] std::uint64_t next_deadline_ns() const noexcept override {
    const awaited* const first = timed_.first();
    return first == nullptr ? 0 : first->deadline_ns;
  }
  step run_ready(thread_record& here, cell& c, failure& why) noexcept override;
  void copy_message(thread_record& here) noexcept override;
  void release_message(thread_record& here, envelope& message) noexcept override;
  void end(thread_record& here, cell& c, ask_failure why) noexcept override;
  void release(thread_record& here) noexcept override { free_record(here, this); }

  /// Runs `task` until it ends or awaits. Returns: `awaiting`, or its result; then it is destroyed.
  call_result run(thread_record& here, cell& c, running_task& task, void* frame,
                  failure& why) noexcept;

  /// Sets the deadline of `what`. Returns: false if there is no timer for it.
  [[nodiscard]] bool set_deadline(thread_record& here, cell& c, awaited& what,
                                  std::uint64_t now_ns) noexcept;
  /// What is awaited has happened, or is over.
  void complete(system_services& services, thread_record& here, awaited& what,
                std::uint64_t asked_ns) noexcept;
  void make_ready(awaited& what) noexcept {
    what.is_ready = true;
    ready_list_.push_back(what);
    ready = true;
  }
  void await_signal(awaited& what) noexcept {
    what.for_signal = true;
    signals_.push_back(what);
  }
  /// Nothing of `what` is left here.
  void forget(awaited& what) noexcept;

private:
  void leave(running_task& task) noexcept;
  void is_over(cell& c) noexcept;

  intrusive_list<running_task> tasks_;
  intrusive_list<awaited> ready_list_;
  intrusive_list<awaited> signals_;  // what awaits a signal
  treap<awaited, deadline_order> timed_;
  std::uint32_t numbers_ = 0;
};

/// Their list. Requires: the actor has one.
task_list& list_of(const cell& c) noexcept {
  return static_cast<task_list&>(*c.extras->suspension->tasks);
}
/// Their list, made if there is none. Returns: null if there is no memory.
task_list* make_list(thread_record& here, cell& c) noexcept {
  suspension* const record = suspension_of(here, c);
  if (record == nullptr) return nullptr;
  if (record->tasks == nullptr) record->tasks = new_record<task_list>(here);
  return static_cast<task_list*>(record->tasks);
}

void close_slot(thread_record& here, awaited& of) noexcept {
  cell* const slot = std::exchange(of.slot, nullptr);
  if (slot == nullptr) return;
  close_ask(*slot);
  program_memory.cells.give_back(here.cells, *slot);
}

call_result task_list::run(thread_record& here, cell& c, running_task& task, void* frame,
                           failure& why) noexcept {
  task.next = frame;
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
      suspend_for_await(*here.services, here, c);
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

void task_list::take_answer(system_services& services, thread_record& here, cell& c,
                            envelope& answer) noexcept {
  cell& slot = *program_memory.cells.at(answer.from.index());
  // relaxed: the worker that runs the actor calls, and sees the actor's own writes
  cell* const asker = reply_slot_view{slot}.asker.load(relaxed);
  const bool awaits = slot.generation() == answer.from.generation && asker == as_awaiting(c);
  if (!awaits) return end_late_answer(here, answer);
  awaited& what = **std::launder(reinterpret_cast<awaited**>(slot.storage));
  close_slot(here, what);
  if (answer.operations == &operations_of<not_answered>) {
    what.why = static_cast<not_answered*>(payload_of(answer))->why;
    what.began_ns = services.now_ns() - what.began_ns;
    discard_envelope(here, answer);
  } else {
    what.answer = &answer;
  }
  complete(services, here, what, 0);
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

/// Stands for the message of a coroutine that was not sent by an actor.
struct kept_notification {
  static constexpr const char* type_name = "notification";
};

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

}  // namespace

bool awaited::begin_ask(running_task& by, void* awaiting, const actor_ref<>& to, duration timeout,
                        envelope* question) noexcept {
  thread_record& here = this_thread();
  cell& asker = by.owner;
  if (question == nullptr) return false;
  const bool in_time = timeout > duration{};
  if (!in_time) why = ask_failure::timed_out;
  task_list* const list = in_time ? make_list(here, asker) : nullptr;
  slot = list == nullptr ? nullptr : program_memory.cells.take(here.cells);
  if (slot == nullptr) {
    discard_envelope(here, *question);
    return false;
  }
  const std::uint64_t now_ns = here.services->now_ns();
  deadline_ns = later(now_ns, timeout);
  began_ns = now_ns;
  if (!list->set_deadline(here, asker, *this, now_ns)) {
    deadline_ns = 0;
    began_ns = 0;
    close_slot(here, *this);
    discard_envelope(here, *question);
    return false;
  }
  frame = awaiting;
  task = by.root;
  ::new (static_cast<void*>(slot->storage)) awaited*(this);
  // relaxed, both: the message that asks publishes them
  slot->gate.store(asker.gate.load(relaxed), relaxed);              // relaxed: as said
  reply_slot_view{*slot}.asker.store(as_awaiting(asker), relaxed);  // relaxed: as said
  question->from = origin::of_reply_slot(slot->slot, slot->tenant);
  (void)send(here, to.slot(), to.generation(), *question);
  return true;
}

bool awaited::begin_sleep(running_task& by, void* awaiting, duration delay) noexcept {
  thread_record& here = this_thread();
  cell& c = by.owner;
  if (!deadline_after(timer_instant{}, delay, here.services->timers().config().timing.resolution))
    return false;
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

bool awaited::begin_until(running_task& by, void* awaiting, signal_key awaited_key,
                          const duration* timeout) noexcept {
  thread_record& here = this_thread();
  cell& c = by.owner;
  task_list* const list = make_list(here, c);
  if (list == nullptr) return false;
  early_signals* const early = c.extras->suspension->early;
  signalled = early != nullptr && early->take(awaited_key);
  if (signalled || (timeout != nullptr && *timeout <= duration{})) return false;
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

void awaited::cancel() noexcept {
  close_slot(this_thread(), *this);
  list_of(task->owner).forget(*this);
}

void awaited::discard_answer() noexcept {
  if (envelope* const e = std::exchange(answer, nullptr)) discard_envelope(this_thread(), *e);
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
  if (list != nullptr) return list->run(here, c, task, task.frame, why);
  destroy_frame(task.frame);
  why = failure{"no memory for a coroutine"};
  return call_result::failed;
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
  if (join == nullptr) return;
  // Those that did not win do not begin.
  for (running_task** each = &root.to_begin; *each != nullptr;) {
    if ((*each)->join == join) {
      *each = (*each)->sibling;
    } else {
      each = &(*each)->sibling;
    }
  }
}

void fail_task(running_task& by, const failure& why) noexcept {
  this_thread().why = why;
  by.root->failed = true;
}

}  // namespace tactor::inline v0::internal
